internal import VoiceMedia

/// duck_audio: how loud media is under the voice.
package struct DuckAudioTool: OrderedTool {
    package let name = "duck_audio"
    package let description = """
        Sets how loud media stays while somebody speaks, from 0 (silent) to 1 (as loud as before). It goes down and comes \
        back by itself.
        """
    package let parameters = MediaLevel.parameters
    private let player: any MediaControls

    init(_ player: any MediaControls) { self.player = player }

    package func call(arguments: String) async -> ToolOutput {
        guard let level = MediaLevel.decode(arguments) else { return .unreadable("level, from 0 to 1") }
        return ToolOutput(await player.setDucking(level))
    }
}
