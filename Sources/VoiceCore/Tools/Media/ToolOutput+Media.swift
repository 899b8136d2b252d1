import FoundationEssentials
internal import VoiceBase
internal import VoiceMedia

extension ToolOutput {
    /// The state of the media player as JSON. If it has a problem, the call failed.
    init(_ snapshot: MediaSnapshot, wantsReply: Bool = true) {
        self.init(json: snapshot, succeeded: snapshot.problem == nil, wantsReply: wantsReply)
    }

    /// Why something is not played, as JSON.
    init(_ problem: MediaProblem) {
        struct Reply: Encodable {
            let status = "failed"
            let problem: String
        }
        self.init(json: Reply(problem: problem.description), succeeded: false, wantsReply: true)
    }

    /// Encodes a value as JSON. A value that cannot be encoded is reported in words, since an empty output would say
    /// nothing.
    init(json value: some Encodable, succeeded: Bool, wantsReply: Bool) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        do {
            let text = String(decoding: try encoder.encode(value), as: UTF8.self)
            self.init(text, succeeded: succeeded, wantsReply: wantsReply)
        } catch {
            self.init("It was done, but the state of the media player cannot be reported.", succeeded: false)
        }
    }

    /// The output of a call with unreadable arguments.
    static func unreadable(_ wanted: String) -> ToolOutput {
        ToolOutput(.failed("the arguments could not be read: \(wanted)"))
    }
}

extension ToolRegistry {
    /// The tools of the media player.
    static func media(_ context: ToolContext) -> [any Tool] {
        let player = context.media
        return [
            PlayAudioTool(player), EnqueueTool(player), MediaOrderTool.pause(player), MediaOrderTool.resume(player),
            StopPlaybackTool(player), MediaOrderTool.skip(player), MediaOrderTool.clearQueue(player),
            MediaOrderTool.nowPlaying(player), MediaLevelTool.volume(player), MediaLevelTool.ducking(player),
        ]
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
    ) async -> ToolOutput {
        var last: MediaSnapshot?
        var failures: [(name: String, problem: MediaProblem)] = []
        for name in names {
            do throws(MediaProblem) {
                last = try await step(self, name, last == nil)
            } catch {
                failures.append((name, error))
            }
        }
        guard let last else { return failures.first.map { ToolOutput($0.problem) } ?? ToolOutput(MediaSnapshot()) }
        guard !failures.isEmpty else { return ToolOutput(last) }
        return ToolOutput(
            json: PartlyDone(
                taken: names.count - failures.count,
                not_taken: failures.count,
                problems: failures.prefix(5).map { "\(ForeignText.title($0.name)): \($0.problem)" },
                now: last
            ),
            succeeded: true,
            wantsReply: true
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
