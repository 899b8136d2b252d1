internal import VoiceBase
internal import VoiceConfiguration

/// A finding of the doctor that is safe to share. Findings quote configuration values, files, devices, addresses and
/// server replies; only the doctor's own words, names of keys, paths of the program, devices and measures are known to
/// be harmless.
enum RedactedFinding {
    private static let hidden = HarmlessText.hidden

    static func report(_ report: DoctorReport) -> DoctorReport {
        DoctorReport(report.findings.map(finding))
    }

    static func finding(_ finding: DoctorFinding) -> DoctorFinding {
        var copy = finding
        copy.message = text(finding.message)
        copy.advice = finding.advice.map(text)
        return copy
    }

    /// Hides quoted texts, which are values, whatever words they contain.
    static func text(_ text: String) -> String {
        var shown: [String] = []
        func hide() {
            if shown.last != hidden { shown.append(hidden) }
        }
        var isQuoted = false
        for token in text.split(separator: " ") {
            let quotes = token.count { $0 == "\"" }
            if !isQuoted, HarmlessText.isChoice(token) {
                shown.append(String(token))
            } else if isQuoted || quotes > 0 {
                if quotes % 2 == 1 { isQuoted.toggle() }
                hide()
            } else if let device = device(token) ?? HarmlessText.place(token) {
                shown.append(device)
            } else if isHarmless(token) {
                shown.append(String(token))
            } else {
                hide()
            }
        }
        return shown.joined(separator: " ")
    }

    private static func device(_ token: Substring) -> String? {
        let word = token.last.map { ",.;".contains($0) } == true ? token.dropLast() : token
        return DeviceName.shown(String(word)).map { $0 + token.dropFirst(word.count) }
    }

    private static func isHarmless(_ token: Substring) -> Bool {
        var word = token
        while let last = word.last, ",.:;)!?".contains(last) { word.removeLast() }
        while word.first == "(" { word.removeFirst() }
        guard !word.isEmpty else { return true }
        let text = String(word)
        return DoctorVocabulary.words.contains(text.lowercased()) || isMeasure(word)
            || places.contains(text) || marks.contains(text) || ConfigurationSchema.key(text) != nil
    }

    /// "30", "2.5", "12%", "48 000" in two pieces: three digits are not a secret. Of longer numbers only sample rates
    /// are shown.
    private static func isMeasure(_ word: Substring) -> Bool {
        let sign = word.first == "-" || word.first == "+" ? word.dropFirst() : word
        let digits = sign.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unit = sign.dropFirst(digits.count)
        let count = digits.count { $0 != "." }
        guard (1...3).contains(count), digits.count <= count + 1 else { return rates.contains(String(word)) }
        return ["", "%", "s", "ms", "dB", "Hz", "kHz", "MB", "GB", "K", "M", "G"].contains(String(unit))
    }

    private static let rates: Set<String> = [
        "8000", "16000", "22050", "24000", "32000", "44100", "48000", "96000", "192000",
    ]
    private static let marks: Set<String> = ["->", "-", "/", "+", "=", "--"]
    private static let places = Set<String>([
        "/etc/jarvis-voiced", "/etc/jarvis-voiced/jarvis-voiced.toml",
        "/etc/jarvis-voiced/jarvis-token", StateDirectory.service, "/run/jarvis-voiced",
        "/run/jarvis-voiced/control.sock",
        "/etc/default/jarvis-voiced", "/usr/bin/jarvis-voiced", "/usr/local/bin/jarvis-voiced", "/dev/snd",
        "api.openai.com", "api.datagrid.com", "$JARVIS_TOKEN", "$HOME", "jarvis-voiced.toml(5)", "StateDirectory=",
        "--set", "--vacuum-size=100M", "apt-get", "LimitRTPRIO=40", "LimitMEMLOCK=infinity", "SCHED_FIFO",
    ]).union(ServiceKey.allCases.flatMap { ["\(ServiceEnvironment.folder)/\($0.credential)", "$" + $0.variable] })
}
