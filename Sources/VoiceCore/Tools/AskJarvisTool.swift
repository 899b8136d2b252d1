package import Logging
package import VoiceAgent
package import VoiceConversation

/// ask_jarvis: passes the user's request to the agent.
package struct AskJarvisTool: Tool {
    /// Longest request, in UTF-8 bytes: about a quarter of an hour of speech.
    package static let maximumQueryBytes = 8192

    package let name = "ask_jarvis"
    package let description = """
        Passes a request of the user to Jarvis, the user's personal agent, and returns what Jarvis answers. Call it \
        for every question, wish or instruction.
        """
    package let parameters: String
    package var activity: String? { context.activity() }
    package var keepsDeadline: Bool { true }
    private let context: ToolContext

    /// - Parameter playsMedia: whether the model can mark a request as being about media.
    package init(_ context: ToolContext, playsMedia: Bool = false) {
        self.context = context
        let media =
            playsMedia
            ? #","about_media":{"type":"boolean","description":"True when the request is about music, radio, podcasts or "#
                + #"what plays on this box."}"# : ""
        parameters = """
            {"type":"object","properties":{"query":{"type":"string","description":"The whole request in the user's own \
            words, with every name, number and detail."}\(media)},"required":["query"],"additionalProperties":false}
            """
    }

    package init(logger: Logger, ask: @escaping @Sendable (String) async -> JarvisAnswer) {
        var context = ToolContext(logger: logger)
        context.ask = { query, _ in await ask(query) }
        self.init(context)
    }

    package func call(arguments: String) async -> ToolResult {
        guard let decoded = ToolArguments.decode(Arguments.self, from: arguments) else {
            return context.refuse(
                name,
                "its arguments could not be read",
                "I did not get that request. Please say it again."
            )
        }
        let query = decoded.query ?? ""
        guard !query.allSatisfy(\.isWhitespace) else {
            return context.refuse(name, "it has no query", "The request was empty. Please say it again.")
        }
        guard query.utf8.count <= Self.maximumQueryBytes else {
            return context.refuse(
                name,
                "its query is too long",
                "The request was too long for me to pass on. Please make it shorter."
            )
        }
        let media = decoded.about_media == true ? await context.mediaContext() : nil
        let answer = await context.ask(query, media)
        return ToolResult(answer, lateQuestion: answer.took > context.lateAfter ? query : nil)
    }

    private struct Arguments: Decodable {
        let query: String?
        let about_media: Bool?
    }
}
