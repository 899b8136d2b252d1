import ArgumentParser
import FoundationEssentials
import VoiceSimulator

/// One turn of the user.
struct UserLine: Equatable, Sendable {
    var text: String
    /// Whether it is spoken over the answer to the previous line.
    var isOver = false

    static let conversation = [
        UserLine(text: "What is on my calendar today?"),
        UserLine(text: "Set a timer for ten minutes."),
        UserLine(text: "And how is the weather on Mars?"),
        UserLine(text: "Wait a moment, what is on my calendar on Friday?", isOver: true),
    ]

    /// Reads the non-empty lines of a file.
    static func read(_ path: String, isOver: Bool) throws(ValidationError) -> [UserLine] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError("\(path) cannot be read")
        }
        let texts = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        let lines = texts.enumerated().map { UserLine(text: String($1), isOver: isOver && $0 > 0) }
        guard !lines.isEmpty else { throw ValidationError("\(path) has no lines") }
        return lines
    }

    /// The answer of the stand-in for Jarvis, in Markdown, as agents write it.
    static func answer(to query: String) -> String {
        let words = query.lowercased()
        if words.contains("mars") || words.contains("weather") {
            return """
                ## Weather on Mars

                * Gale crater: **-63 °C**, dusty
                * Wind from the *north west*, see [the station](https://example.org/mars)

                It will stay cold for the rest of the week, with some clouds of water ice in the early morning hours.
                """
        }
        if words.contains("calendar") {
            return "You have **two meetings**: stand-up at *nine thirty*, and lunch with Ada at twelve."
        }
        if words.contains("thank") { return "You are welcome." }
        return "I only stand in for Jarvis. You said: \(query)"
    }
}

/// The result of one line.
struct LineOutcome: Sendable {
    var line: UserLine
    /// The words as recognised; nil if nothing was.
    var heard: String?
    /// Time from the last word to the first sample of the answer; nil if the line was spoken over another answer, or
    /// not answered.
    var wait: Duration?
    /// The parts of `wait` that the agent took, and that passed before the turn counted as finished.
    var agent: Duration?
    var sure: Duration?

    var errors: WordErrors { WordErrors(said: line.text, heard: heard ?? "") }
    /// How long the user waited, and for whom, in one line; nil if nothing was answered. The parts are those of the turn in the
    /// middle, so that they add up.
    static func waits(_ outcomes: [LineOutcome]) -> String? {
        let answered = outcomes.compactMap { turn in
            turn.wait.map { (whole: hundredths($0), agent: hundredths(turn.agent ?? .zero)) }
        }.sorted { $0 < $1 }
        guard let first = answered.first, let last = answered.last else { return nil }
        let middle = answered[answered.count / 2]
        return "From your last word to the first sample of the answer: \(seconds(middle.whole)) s in the middle of "
            + "\(answered.count) turns (\(seconds(first.whole)) to \(seconds(last.whole)) s): the agent "
            + "\(seconds(middle.agent)) s, the box \(seconds(middle.whole - middle.agent)) s."
    }

    private static func hundredths(_ time: Duration) -> Int { Int(time / .milliseconds(10)) }

    private static func seconds(_ hundredths: Int) -> String {
        "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    }

    /// The wait without the agent's part.
    var own: Duration? { wait.map { $0 - (agent ?? .zero) } }

    var json: SimulatedJSON {
        func milliseconds(_ time: Duration?) -> SimulatedJSON {
            time.map { .int(Int($0 / .milliseconds(1))) } ?? .null
        }
        return .object([
            "said": .string(line.text), "heard": heard.map { .string($0) } ?? .null, "words": .int(errors.words),
            "wrong": .int(errors.wrong), "over": .bool(line.isOver), "wait_ms": milliseconds(own),
            "agent_ms": milliseconds(agent), "turn_end_ms": milliseconds(sure),
        ])
    }
}
