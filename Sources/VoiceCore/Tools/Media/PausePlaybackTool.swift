internal import VoiceConversation
internal import VoiceMedia

/// pause_playback: holds what plays.
package struct PausePlaybackTool: OrderedTool {
    package let name = "pause_playback"
    package let description = "Pauses what plays, so that it can go on later."
    package let parameters = ToolArguments.none
    private let player: any MediaControls

    init(_ player: any MediaControls) { self.player = player }

    package func call(arguments: String) async -> ToolOutput { ToolOutput(await player.pause()) }
}
