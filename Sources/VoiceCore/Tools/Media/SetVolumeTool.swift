internal import VoiceMedia

/// set_volume: how loud media is.
package struct SetVolumeTool: OrderedTool {
    package let name = "set_volume"
    package let description = """
        Sets how loud media is, from 0 to 1; the voice stays as it is. For "louder" or "quieter" ask get_now_playing for the \
        volume first and change it by about 0.15.
        """
    package let parameters = MediaLevel.parameters
    private let player: any MediaControls

    init(_ player: any MediaControls) { self.player = player }

    package func call(arguments: String) async -> ToolOutput {
        guard let level = MediaLevel.decode(arguments) else { return .unreadable("level, from 0 to 1") }
        return ToolOutput(await player.setVolume(level))
    }
}
