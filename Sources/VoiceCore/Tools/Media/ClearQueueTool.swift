internal import VoiceConversation
internal import VoiceMedia

/// clear_queue: forgets what waits.
package struct ClearQueueTool: OrderedTool {
    package let name = "clear_queue"
    package let description = "Empties the queue. What plays goes on."
    package let parameters = ToolArguments.none
    private let player: any MediaControls

    init(_ player: any MediaControls) { self.player = player }

    package func call(arguments: String) async -> ToolOutput { ToolOutput(await player.clearQueue()) }
}
