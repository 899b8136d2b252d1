import FoundationEssentials
package import Logging

/// ask_jarvis: passes the user's request to the agent.
package struct AskJarvisTool: Tool {
    /// Longest request, in UTF-8 bytes: about a quarter of an hour of speech.
    package static let maximumQueryBytes = 8192

    package let name = "ask_jarvis"
    package let description = """
        Passes a request of the user to Jarvis, the user's personal agent, and returns what Jarvis answers. Call it \
        for every question, wish or instruction.
        """
    package let parameters = """
        {"type":"object","properties":{"query":{"type":"string","description":"The whole request in the user's own \
        words, with every name, number and detail."}},"required":["query"],"additionalProperties":false}
        """
    private let ask: @Sendable (String) async -> JarvisAnswer
    private let logger: Logger

    package init(logger: Logger, ask: @escaping @Sendable (String) async -> JarvisAnswer) {
        self.logger = logger
        self.ask = ask
    }

    package func call(arguments: String) async -> ToolOutput {
        guard arguments.utf8.count <= 4 * Self.maximumQueryBytes,
            let decoded = try? JSONDecoder().decode(Arguments.self, from: Data(arguments.utf8))
        else { return refuse("its arguments could not be read", "I did not get that request. Please say it again.") }
        let query = decoded.query ?? ""
        guard !query.allSatisfy(\.isWhitespace) else {
            return refuse("it has no query", "The request was empty. Please say it again.")
        }
        guard query.utf8.count <= Self.maximumQueryBytes else {
            return refuse(
                "its query is too long",
                "The request was too long for me to pass on. Please make it shorter."
            )
        }
        let answer = await ask(query)
        return ToolOutput(answer.spoken, succeeded: answer.failure == nil)
    }

    private func refuse(_ reason: String, _ sentence: String) -> ToolOutput {
        logger.warning("a call of \(name) was not passed on: \(reason)")
        return ToolOutput(sentence, succeeded: false)
    }

    private struct Arguments: Decodable {
        let query: String?
    }
}
