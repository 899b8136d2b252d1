import FoundationEssentials

extension ToolOutput {
    /// The media player's state as JSON; a problem in it is a failure of the call.
    init(_ snapshot: MediaSnapshot, wantsReply: Bool = true) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        let data = (try? encoder.encode(snapshot)) ?? Data()
        self.init(
            String(decoding: data, as: UTF8.self),
            succeeded: snapshot.problem == nil,
            wantsReply: wantsReply
        )
    }

    /// Why something is not played, as JSON.
    init(_ problem: MediaProblem) {
        struct Reply: Encodable {
            let status = "failed"
            let problem: String
        }
        let data = (try? JSONEncoder().encode(Reply(problem: problem.description))) ?? Data()
        self.init(String(decoding: data, as: UTF8.self), succeeded: false)
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
            PlayAudioTool(player), EnqueueTool(player), PausePlaybackTool(player), ResumePlaybackTool(player),
            StopPlaybackTool(player), SkipTrackTool(player), ClearQueueTool(player), GetNowPlayingTool(player),
            SetVolumeTool(player), DuckAudioTool(player),
        ]
    }
}
