import FoundationEssentials

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
            PlayAudioTool(player), EnqueueTool(player), PausePlaybackTool(player), ResumePlaybackTool(player),
            StopPlaybackTool(player), SkipTrackTool(player), ClearQueueTool(player), GetNowPlayingTool(player),
            SetVolumeTool(player), DuckAudioTool(player),
        ]
    }
}
