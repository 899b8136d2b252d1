/// play_audio: plays a stream, a podcast, a recording, on this box.
package struct PlayAudioTool: Tool {
    package let name = "play_audio"
    package let description = """
        Plays sound on this box now, in place of what plays. Use the address that Jarvis named: a radio stream, the feed of \
        a podcast (its newest unheard episode is played), an item of archive.org, a playlist or a file; or the name of a \
        radio station, such as "SomaFM Groove Salad" or "Radio Paradise". Returns at once; if it cannot be played after \
        all, you are told.
        """
    package let parameters = """
        {"type":"object","properties":{"url":{"type":"string","description":"Address, or name of a station."},\
        "title":{"type":"string","description":"What it is called."},"type":{"type":"string","enum":["radio","podcast",\
        "track"]}},"required":["url"],"additionalProperties":false}
        """
    private let player: any MediaControls

    init(_ player: any MediaControls) { self.player = player }

    package func call(arguments: String) async -> ToolOutput {
        guard let wish = ToolArguments.decode(Arguments.self, from: arguments) else { return .unreadable("url") }
        do throws(MediaProblem) {
            let kind = wish.type.flatMap(MediaKind.init)
            return ToolOutput(try await player.play(address: wish.url, title: wish.title ?? "", kind: kind))
        } catch {
            return ToolOutput(error)
        }
    }

    private struct Arguments: Decodable {
        let url: String
        let title: String?
        let type: String?
    }
}
