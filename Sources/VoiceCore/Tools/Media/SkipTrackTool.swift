internal import VoiceConversation
internal import VoiceMedia

/// skip_track: goes on to the next item.
package struct SkipTrackTool: OrderedTool {
    package let name = "skip_track"
    package let description = "Leaves what plays and goes on to the next item of the queue."
    package let parameters = ToolArguments.none
    private let player: any MediaControls

    init(_ player: any MediaControls) { self.player = player }

    package func call(arguments: String) async -> ToolOutput { ToolOutput(await player.skip()) }
}
