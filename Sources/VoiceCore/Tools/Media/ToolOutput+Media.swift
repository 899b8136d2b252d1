import FoundationEssentials
internal import VoiceBase
internal import VoiceMedia

extension ToolOutput {
    /// The media player's state as JSON; a problem in it is a failure of the call.
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

    /// What cannot be written as JSON is told as such: an empty output says nothing.
    init(json value: some Encodable, succeeded: Bool, wantsReply: Bool) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        do {
            let text = String(decoding: try encoder.encode(value), as: UTF8.self)
            self.init(text, succeeded: succeeded, wantsReply: wantsReply)
        } catch {
            self.init("It was done, but what the media player says cannot be told.", succeeded: false)
        }
    }

    /// The arguments of a call could not be read.
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
    /// Does the same with every name in its order. What cannot be taken does not stand in the way of the others; where
    /// something was taken, it is told which were not.
    ///
    /// - Parameter isFirst: of those that are taken.
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

/// Of several things some were taken.
private struct PartlyDone: Encodable {
    let status = "partly done"
    let taken: Int
    let not_taken: Int
    let problems: [String]
    let now: MediaSnapshot
}
