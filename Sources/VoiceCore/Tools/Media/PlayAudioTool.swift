internal import VoiceConversation
internal import VoiceMedia

/// play_audio: plays a stream, a podcast, a recording, on this box.
package struct PlayAudioTool: OrderedTool {
    package let name = "play_audio"
    package let description = """
        Plays sound on this box now, in place of what plays. What Jarvis named to be played is listed in the result of \
        ask_jarvis under handles: use the handle. A radio station such as "SomaFM Groove Salad" may be played by its \
        name. Returns at once; if it cannot be played after all, you are told.
        """
    package let parameters = """
        {"type":"object","properties":{"what":{"type":"string","description":"\(MediaWish.what)"},\
        "title":{"type":"string","description":"What it is called; not for a handle."},"type":{"type":"string",\
        "enum":["radio","podcast","track"],"description":"Not for a handle."}},"required":["what"],\
        "additionalProperties":false}
        """
    private let player: any MediaControls

    init(_ player: any MediaControls) { self.player = player }

    package func call(arguments: String) async -> ToolOutput {
        guard let wish = ToolArguments.decode(MediaWish.self, from: arguments) else {
            return .unreadable(MediaWish.wanted)
        }
        return await player.perform(wish.names) { player, name, isFirst throws(MediaProblem) in
            if isFirst { return try await player.play(address: name, title: wish.title, kind: wish.kind) }
            return try await player.enqueue(address: name, title: "")
        }
    }
}
