internal import VoiceAudio
package import VoiceBase

/// The verdict of the last `echo-test` on this machine, kept for `doctor`.
package struct SavedEchoTest: Sendable, Equatable {
    static let file = "echo-test.toml"
    /// The last second of the year 9999.
    private static let latest = 253_402_300_799

    package var grade: EchoTestVerdict.Grade
    package var summary: String
    /// The most important advice; may be empty.
    package var advice: String
    /// Devices as named in the configuration.
    package var input: String
    package var output: String
    /// Unix seconds.
    package var time: Int
    /// `CardIdentity.text` of the microphone; empty if it has none.
    package var device = ""

    package init(
        _ verdict: EchoTestVerdict,
        audio: Configuration.Audio,
        device: String = "",
        time: Int = WallClock.seconds()
    ) {
        self.device = device
        grade = verdict.grade
        summary = verdict.summary
        advice = verdict.advice.first ?? ""
        input = audio.input
        output = audio.output
        self.time = time
    }

    /// Returns whether it was measured with these devices, as far as anybody can tell: a card's name may lead to another one.
    ///
    /// - Parameter device: `CardIdentity.text` of the microphone; empty if it has none.
    func applies(to audio: Configuration.Audio, device: String) -> Bool {
        input == audio.input && output == audio.output && (self.device.isEmpty || device == self.device)
    }

    /// Returns nil for any other text.
    init?(parsing bytes: [UInt8]) {
        guard let document = try? ConfigurationDocument(parsing: bytes) else { return nil }
        var texts: [String: String] = [:]
        var when: Int?
        for entry in document.entries {
            if case .text(let text) = entry.value { texts[entry.path] = text }
            if case .integer(let number) = entry.value, entry.path == "time" { when = number }
        }
        guard let grade = texts["grade"].flatMap(EchoTestVerdict.Grade.init(name:)), let summary = texts["summary"],
            let input = texts["input"], let output = texts["output"], let when
        else { return nil }
        self.grade = grade
        self.summary = summary.printable
        advice = (texts["advice"] ?? "").printable
        self.input = input
        self.output = output
        time = min(max(when, 0), Self.latest)
        device = texts["device"] ?? ""
    }

    package var text: String {
        func line(_ name: String, _ text: String) -> String { "\(name) = \(ConfigurationValue.text(text).toml)\n" }
        return StateStore.header + line("grade", grade.name) + line("summary", summary)
            + line("advice", advice) + line("input", input) + line("output", output) + "time = \(time)\n"
            + (device.isEmpty ? "" : line("device", device))
    }

    /// Saves the result in the state directory; returns why that failed.
    package func save(environment: [String: String]) -> String? {
        guard let folder = StateDirectory.path(environment: environment) else { return "there is no state directory" }
        do {
            try StateFile.write(Array(text.utf8), to: "\(folder)/\(Self.file)")
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// Returns nil if there is no file.
    /// - Throws: why the file is unusable, in one line.
    static func load(folder: String, files: FileReader = .system) throws(Unreadable) -> SavedEchoTest? {
        try StateStore.read("\(folder)/\(file)", files: files) { bytes throws(Unreadable) in
            guard let test = SavedEchoTest(parsing: bytes) else { throw Unreadable("it is damaged") }
            return test
        }
    }
}

extension String {
    /// Without control characters, which a terminal would obey.
    fileprivate var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { $0.properties.generalCategory != .control }))
    }
}

extension EchoTestVerdict.Grade {
    fileprivate var name: String { "\(self)" }

    fileprivate init?(name: String) {
        guard let grade = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = grade
    }
}
