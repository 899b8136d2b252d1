/// enqueue: lets something follow what plays.
package struct EnqueueTool: Tool {
    package let name = "enqueue"
    package let description = """
        Puts something behind what plays and what waits already, without a gap. Begins at once when nothing plays.
        """
    package let parameters = """
        {"type":"object","properties":{"url":{"type":"string","description":"Address, or name of a station."},\
        "title":{"type":"string","description":"What it is called."}},"required":["url"],"additionalProperties":false}
        """
    private let player: any MediaControls

    init(_ player: any MediaControls) { self.player = player }

    package func call(arguments: String) async -> ToolOutput {
        guard let wish = ToolArguments.decode(Arguments.self, from: arguments) else { return .unreadable("url") }
        do throws(MediaProblem) {
            return ToolOutput(try await player.enqueue(address: wish.url, title: wish.title ?? ""))
        } catch {
            return ToolOutput(error)
        }
    }

    private struct Arguments: Decodable {
        let url: String
        let title: String?
    }
}
