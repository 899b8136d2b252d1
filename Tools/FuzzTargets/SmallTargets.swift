import VoiceAgent
import VoiceBase
import VoiceCore

enum ScriptFuzz {
    /// The bytes select the events of the pure core.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var script = EventScript(bytes)
        script.run(4096)
    }
}

enum Base64Fuzz {
    /// Encoding and decoding must return the same bytes; decoded text must fit the bound of three bytes per four
    /// characters.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        let output = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count / 4 * 3)
        defer { output.deallocate() }
        if let count = Base64.decode(bytes, into: output) { precondition(count <= bytes.count / 4 * 3) }
        let text = Base64.text(Array(bytes))
        let back = UnsafeMutablePointer<UInt8>.allocate(capacity: text.utf8.count / 4 * 3)
        defer { back.deallocate() }
        let count = Array(text.utf8).withUnsafeBytes { Base64.decode($0, into: back) }
        precondition(count == bytes.count, "another length")
        precondition(UnsafeRawBufferPointer(start: back, count: bytes.count).elementsEqual(bytes), "other bytes")
    }
}

enum ConfigurationFuzz {
    /// Every problem must be reported on one line, and their number must be bounded.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        let file = FileReader.File(bytes: Array(bytes))
        let loader = ConfigurationLoader(environment: [:], files: FileReader { _, _ throws(FileReader.Fault) in file })
        do {
            _ = try loader.load(path: "fuzz.toml")
        } catch {
            precondition(!error.problems.isEmpty && error.problems.count <= 20, "how many problems")
            for problem in error.problems {
                precondition("\(problem)".utf8.allSatisfy { $0 != 0x0a }, "a problem of several lines")
            }
        }
    }
}

/// Messages of Home Assistant as the agent, one a line.
enum HomeAssistantFuzz {
    /// Its own sentences must never be an answer, and an answer must not be blank.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard let token = Secret("token") else { return }
        var run = HomeAssistantRun("question", conversation: nil, token: token)
        for line in bytes.split(separator: 0x0A) {
            guard case .finished(let outcome) = run.handle(Array(line)) else { continue }
            guard case .answered(let text, _) = outcome else { return }
            precondition(!text.allSatisfy(\.isWhitespace) && text != "(no response)", "an answer without words")
            return
        }
    }
}

/// Event streams of the agent.
enum EventStreamFuzz {
    private static let limits = ServerSentEventParser.Limits(lineBytes: 512, eventBytes: 1024)

    /// The events must not depend on how the bytes are split.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 1 else { return }
        let whole = events([UnsafeRawBufferPointer(rebasing: bytes.dropFirst())])
        let cut = events(Pieces.of(bytes))
        precondition(whole.failed == cut.failed, "the cut decides whether it is too long")
        precondition(whole.failed || whole.events == cut.events, "the cut changes the events")
    }

    private static func events(_ pieces: [UnsafeRawBufferPointer]) -> (events: [ServerSentEvent], failed: Bool) {
        var parser = ServerSentEventParser(limits: limits)
        var events: [ServerSentEvent] = []
        for piece in pieces {
            do {
                for event in try parser.feed(piece) {
                    precondition(!event.data.isEmpty && !event.name.isEmpty, "an empty event")
                    events.append(event)
                }
            } catch {
                return (events, true)
            }
        }
        return (events, false)
    }
}
