/// A line of the service manager about the unit, safe to share: why the service ended, how often it was restarted. Some
/// lines contain the unit's description, which may be any text.
enum RedactedServiceLine {
    private static let unit = "jarvis-voiced.service"

    static func text(_ message: Substring) -> String {
        let tokens = message.split(separator: " ")
        guard let first = tokens.first else { return "" }
        // "Started jarvis-voiced.service - DESCRIPTION."
        if first != unit + ":" { return shown(tokens) { $0 == unit || begins.contains(String($0)) } }
        return shown(tokens) { token in
            if let mark = token.firstIndex(of: "=") {
                return isField(token[..<mark], token[token.index(after: mark)...])
            }
            var word = token
            while let last = word.last, ",.:;)!'".contains(last) { word.removeLast() }
            while let first = word.first, "('".contains(first) { word.removeFirst() }
            return token == unit + ":" || words.contains(word.lowercased()) || isMeasure(word) || isSignal(word)
        }
    }

    /// Keeps the words up to the first unknown one.
    private static func shown(_ tokens: [Substring], _ isKnown: (Substring) -> Bool) -> String {
        let known = tokens.prefix(while: isKnown).map(String.init)
        return (known + (known.count < tokens.count ? [HarmlessText.hidden] : [])).joined(separator: " ")
    }

    /// "code=dumped", "status=11/SEGV".
    private static func isField(_ key: Substring, _ value: Substring) -> Bool {
        let value = value.last == "," ? value.dropLast() : value
        switch key {
        case "code": return ["exited", "killed", "dumped"].contains(value)
        case "status":
            let parts = value.split(separator: "/", omittingEmptySubsequences: false)
            return parts.count <= 2 && HarmlessText.isNumber(parts[0], digits: 3)
                && (parts.count == 1 || isName(parts[1]))
        default: return false
        }
    }

    private static func isSignal(_ word: Substring) -> Bool { word.hasPrefix("SIG") && isName(word) }

    private static func isName(_ text: Substring) -> Bool {
        (1...16).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
            }
    }

    /// "4711", "1min", "30.221s", "40.1M".
    private static func isMeasure(_ word: Substring) -> Bool {
        let digits = word.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        return (1...9).contains(digits.count) && digits.first != "."
            && ["", "us", "ms", "s", "min", "h", "d", "B", "K", "M", "G"].contains(word.dropFirst(digits.count))
    }

    private static let begins: Set<String> = [
        "Starting", "Started", "Stopping", "Stopped", "Reloading", "Reloaded", "Failed", "to", "start",
    ]

    private static let words = Set(
        """
        a abandoned active aborted abort again already and at be been by canceled code condition config consumed control core-dump
        counter cpu deactivated did disconnected due during enabled entered exec-condition exit-code exited failed failing
        for forbidden from has have hit hold-off in incoming initialization into ip ignoring is it job jarvis-voiced
        kernel kill killed killer killing left limit main memory new no non-existent not of off on oom oom-kill operation
        out outgoing over peak policy process processes protocol pid quickly reached received reload reloading remains repeated request
        requested resources restart result running scheduled sending service signal sigkill skipped start start-limit-hit
        start-pre state stop stop-final-sigterm stop-post stop-sigabrt stop-sigkill stop-sigterm stop-watchdog stopping
        succeeded success successfully swap swapped synchronisation terminated terminating the this time timed timeout timer
        to too traffic unit unlimited upon used watchdog while will with written
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )
}
