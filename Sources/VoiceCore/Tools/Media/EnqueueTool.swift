internal import VoiceConversation
internal import VoiceMedia

/// enqueue: lets something follow what plays.
package struct EnqueueTool: OrderedTool {
    package let name = "enqueue"
    package let description = """
        Puts something, or several things in their order, behind what plays and what waits already, without a gap. Begins \
        at once when nothing plays. Named as for play_audio.
        """
    package let parameters = """
        {"type":"object","properties":{"what":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":20,\
        "description":"\(MediaWish.what)"},"title":{"type":"string","description":"What it is called; not for \
        handles."}},"required":["what"],"additionalProperties":false}
        """
    private let player: any MediaControls

    init(_ player: any MediaControls) { self.player = player }

    package func call(arguments: String) async -> ToolOutput {
        guard let wish = ToolArguments.decode(MediaWish.self, from: arguments) else {
            return .unreadable(MediaWish.wanted)
        }
        return await player.perform(wish.names) { player, name, _ throws(MediaProblem) in
            try await player.enqueue(address: name, title: wish.names.count == 1 ? wish.title : "")
        }
    }
}
