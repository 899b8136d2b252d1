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
        guard let wish = ToolArguments.decode(MediaWish.self, from: arguments) else { return .unreadable("what") }
        do throws(MediaProblem) {
            for name in wish.names.dropLast() { _ = try await player.enqueue(address: name, title: wish.title) }
            return ToolOutput(try await player.enqueue(address: wish.names[wish.names.count - 1], title: wish.title))
        } catch {
            return ToolOutput(error)
        }
    }
}
