import FoundationEssentials
internal import VoiceBase
internal import VoiceConversation
internal import VoiceMedia

extension ToolResult {
    /// The state of the media player, with its problem if there is one.
    init(_ snapshot: MediaSnapshot) { self.init(facts: snapshot, problem: snapshot.problem) }

    /// Why something is not played.
    init(_ problem: MediaProblem) {
        struct Reply: Encodable {
            let status = "failed"
            let problem: String
        }
        self.init(facts: Reply(problem: problem.description), problem: problem.description)
    }

    fileprivate init(facts: some Encodable, problem: String? = nil) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        guard let json = try? encoder.encode(facts) else {
            self.init(.done("It was done, but the state of the media player cannot be reported."))
            return
        }
        self.init(.data(String(decoding: json, as: UTF8.self), problem: problem))
    }

    /// The result of a call with unreadable arguments.
    static func unreadable(_ wanted: String) -> ToolResult {
        ToolResult(.failed("the arguments could not be read: \(wanted)"))
    }
}

extension MediaControls {
    /// Performs a step for every name, in order. Names that fail do not affect the others; if only some succeed, the
    /// output lists the failures.
    ///
    /// - Parameter step: its `isFirst` is true until a name has succeeded.
    func perform(
        _ names: [String],
        _ step: (any MediaControls, String, _ isFirst: Bool) async throws(MediaProblem) -> MediaSnapshot
    ) async -> ToolResult {
        var last: MediaSnapshot?
        var failures: [(name: String, problem: MediaProblem)] = []
        for name in names {
            do throws(MediaProblem) {
                last = try await step(self, name, last == nil)
            } catch {
                failures.append((name, error))
            }
        }
        guard let last else { return failures.first.map { ToolResult($0.problem) } ?? ToolResult(MediaSnapshot()) }
        guard !failures.isEmpty else { return ToolResult(last) }
        return ToolResult(
            facts: PartlyDone(
                taken: names.count - failures.count,
                not_taken: failures.count,
                problems: failures.prefix(5).map { "\(ForeignText.title($0.name)): \($0.problem)" },
                now: last
            )
        )
    }
}

/// Only some of several items were accepted.
private struct PartlyDone: Encodable {
    let status = "partly done"
    let taken: Int
    let not_taken: Int
    let problems: [String]
    let now: MediaSnapshot
}
