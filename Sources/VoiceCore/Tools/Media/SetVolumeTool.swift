/// set_volume: how loud media is.
package struct SetVolumeTool: Tool {
    package let name = "set_volume"
    package let description = """
        Sets how loud media is, from 0 to 1; the voice stays as it is. For "louder" or "quieter" ask get_now_playing for the \
        volume first and change it by about 0.15.
        """
    package let parameters = """
        {"type":"object","properties":{"level":{"type":"number","minimum":0,"maximum":1}},"required":["level"],\
        "additionalProperties":false}
        """
    private let player: any MediaControls

    init(_ player: any MediaControls) { self.player = player }

    package func call(arguments: String) async -> ToolOutput {
        guard let wish = ToolArguments.decode(Arguments.self, from: arguments), wish.level.isFinite else {
            return .unreadable("level, from 0 to 1")
        }
        return ToolOutput(await player.setVolume(wish.level))
    }

    private struct Arguments: Decodable {
        let level: Double
    }
}
