internal import VoiceConversation
internal import VoiceMedia

/// stop_playback: ends what plays, now or later.
package struct StopPlaybackTool: OrderedTool {
    package let name = "stop_playback"
    package let description = """
        Stops what plays; the queue is kept. With after_min it stops so many minutes from now, for falling asleep or for \
        a set of a given length.
        """
    package let parameters = """
        {"type":"object","properties":{"after_min":{"type":"number","description":"Minutes from now, up to 720. Leave it \
        out to stop at once."}},"additionalProperties":false}
        """
    private let player: any MediaControls

    init(_ player: any MediaControls) { self.player = player }

    package func call(arguments: String) async -> ToolOutput {
        let minutes = ToolArguments.decode(Arguments.self, from: arguments)?.after_min ?? 0
        let after = minutes.isFinite && minutes > 0 ? Duration.seconds(60 * min(720, minutes)) : nil
        return ToolOutput(await player.stop(after: after))
    }

    private struct Arguments: Decodable {
        let after_min: Double?
    }
}
