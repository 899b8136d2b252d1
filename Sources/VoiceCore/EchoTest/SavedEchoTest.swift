/// The verdict of the last `echo-test` on this box, kept for `doctor`.
package struct SavedEchoTest: Sendable, Equatable {
    static let file = "echo-test.toml"
    /// The last second of the year 9999.
    private static let latest = 253_402_300_799

    package var grade: EchoTestVerdict.Grade
    package var summary: String
    /// What helps most; may be empty.
    package var advice: String
    /// As the configuration names them.
    package var input: String
    package var output: String
    /// Unix seconds.
    package var time: Int

    package init(_ verdict: EchoTestVerdict, audio: Configuration.Audio, time: Int = WallClock.seconds()) {
        grade = verdict.grade
        summary = verdict.summary
        advice = verdict.advice.first ?? ""
        input = audio.input
        output = audio.output
        self.time = time
    }

    /// Nil where the text is anything else.
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
        self.summary = summary
        advice = texts["advice"] ?? ""
        self.input = input
        self.output = output
        time = min(max(when, 0), Self.latest)
    }

    package var text: String {
        func line(_ name: String, _ text: String) -> String { "\(name) = \(ConfigurationValue.text(text).toml)\n" }
        return "# Written by jarvis-voiced echo-test.\n" + line("grade", grade.name) + line("summary", summary)
            + line("advice", advice) + line("input", input) + line("output", output) + "time = \(time)\n"
    }

    package func save(folder: String) throws(StateFile.Fault) {
        try StateFile.write(Array(text.utf8), to: "\(folder)/\(Self.file)")
    }

    static func load(folder: String, files: FileReader = .system) -> SavedEchoTest? {
        (try? files.read("\(folder)/\(file)", 16_384)).flatMap { SavedEchoTest(parsing: $0.bytes) }
    }
}

extension EchoTestVerdict.Grade {
    fileprivate var name: String { "\(self)" }

    fileprivate init?(name: String) {
        guard let grade = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = grade
    }
}
