internal import VoiceBase
internal import VoiceConversation
internal import VoiceSession

/// Generates the tables of dialects and of capabilities in docs/services.md from the values the conversation uses.
package enum ServiceTable {
    /// The lines of the page that enclose the table.
    package static let begin = "<!-- made of the services' capabilities -->"
    package static let end = "<!-- end of the table -->"
    package static let beginDialects = "<!-- made of the rows of Dialect.all -->"
    package static let endDialects = "<!-- end of the dialects -->"

    /// One row for each dialect; what all servers of one's own have in common stands in the page.
    static var dialects: String {
        let common = Dialect.all.filter(\.isSelfHosted).map { Set($0.differences.keys) }
        // How a turn ends matters for the choice of a server.
        let shared = common.dropFirst().reduce(common.first ?? []) { $0.intersection($1) }.subtracting([.silenceTurns])
        let rows = Dialect.all.map { dialect in
            let reasons = Dialect.Difference.allCases.filter { !dialect.isSelfHosted || !shared.contains($0) }
                .compactMap { dialect.differences[$0] }
            let proof = if case .run(let what) = dialect.proof { what } else { "no, by transcript" }
            return line(["`\(dialect.name.rawValue)`", dialect.title, reasons.joined(separator: "; "), proof])
        }
        let head = [line(["`realtime.dialect`", "service", "what differs", "run against it"]), "|---|---|---|---|"]
        return (head + rows).joined(separator: "\n") + "\n"
    }

    package static var text: String { text(ServiceRegistry.all.flatMap { $0.kinds }) }

    /// A row for each capability: the value of most services, and the services that differ.
    static func text(_ services: [(name: String, capabilities: ServiceCapabilities)]) -> String {
        var lines = [line(["", "most", "others"]), "|---|---|---|"]
        for row in rows {
            let groups = Dictionary(grouping: services) { row.value($0.capabilities) }.mapValues { $0.map(\.name) }
            let values = services.map { row.value($0.capabilities) }
            let common = values.max { groups[$0, default: []].count < groups[$1, default: []].count } ?? ""
            let others = values.indices.filter { values[$0] != common && !values[..<$0].contains(values[$0]) }.map {
                values[$0] + ": " + groups[values[$0], default: []].map { "`\($0)`" }.joined(separator: ", ")
            }
            lines.append(line([row.name, common, others.joined(separator: "; ")]))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    /// Returns the page with updated tables; nil if the markers are missing.
    package static func updated(_ page: String) -> String? {
        let page = filled(page, from: beginDialects, to: endDialects, with: dialects)
        return page.flatMap { filled($0, from: begin, to: end, with: text) }
    }

    /// Replaces the lines between two; nil if those are missing.
    static func filled(_ page: String, from begin: String, to end: String, with text: String) -> String? {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let start = lines.firstIndex(of: begin), let stop = lines.firstIndex(of: end), start < stop else {
            return nil
        }
        return (Array(lines[...start]) + ["", text] + Array(lines[stop...])).joined(separator: "\n")
    }

    private struct Row {
        var name: String
        var value: @Sendable (ServiceCapabilities) -> String
    }

    private static func word(_ name: String, _ value: @escaping @Sendable (ServiceCapabilities) -> String) -> Row {
        Row(name: name, value: value)
    }

    private static func flag(_ name: String, _ value: @escaping @Sendable (ServiceCapabilities) -> Bool) -> Row {
        Row(name: name) { value($0) ? "yes" : "no" }
    }

    private static var rows: [Row] { turns + sound + words }

    private static var turns: [Row] {
        [
            word("requests are carried out by") { $0.work.rawValue },
            word("turns ended by") { $0.turns.rawValue },
            flag("can be stopped") { $0.cancels },
            flag("learns how much of an answer was heard") { $0.truncates },
            flag("answers while a call is out") { $0.answersWhileCalling },
        ]
    }

    private static var sound: [Row] {
        [
            word("uplink") { audio($0.uplink) + ($0.continuousUplink ? ", never stops" : "") },
            word("downlink") { audio($0.downlink) },
            word("session limit, unless it states one") { length($0.sessionLimit) },
            flag("fills the wait for an answer") { $0.fillsSilence },
            flag("transcripts count only if a voice was heard locally") { $0.confirmsLocally },
        ]
    }

    private static var words: [Row] {
        [
            word("the user's words as text") { $0.heardText.rawValue },
            flag("text of what it says") { $0.tellsSaidText },
            word("takes text") { $0.takesText ? "yes" : $0.takesQuestions ? "questions" : "no" },
            flag("speaks given words verbatim") { $0.saysExactly },
            flag("phrases answers in its own words") { $0.rewords },
            flag("speaks an answer while it is written") { $0.speaksInParts },
            flag("can speak first") { $0.greets },
            word("learns earlier turns from") { $0.history.rawValue },
            word("reports usage as") { $0.usage.rawValue },
            word("charges for") { $0.charge.rawValue },
            word("key") { $0.key.rawValue },
        ]
    }

    private static func length(_ limit: Duration?) -> String {
        limit.map { "\($0.components.seconds / 60) min" } ?? "not known"
    }

    private static func audio(_ audio: ServiceAudio) -> String { "\(audio.rate / 1000) kHz \(audio.codec.rawValue)" }
}
