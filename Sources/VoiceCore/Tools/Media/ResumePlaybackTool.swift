internal import VoiceConversation
internal import VoiceMedia

/// resume_playback: goes on with what was paused.
package struct ResumePlaybackTool: OrderedTool {
    package let name = "resume_playback"
    package let description = "Goes on with what was paused; with the queue when nothing was."
    package let parameters = ToolArguments.none
    private let player: any MediaControls

    init(_ player: any MediaControls) { self.player = player }

    package func call(arguments: String) async -> ToolOutput { ToolOutput(await player.resume()) }
}
