internal import VoiceAgent
internal import VoiceConversation

extension Tool {
    /// Longest request, in UTF-8 bytes: about a quarter of an hour of speech.
    static let maximumQueryBytes = 8192

    /// ask_jarvis: passes the user's request to the agent.
    ///
    /// - Parameter playsMedia: whether the model can mark a request as being about media.
    package static func askJarvis(_ context: ToolContext, playsMedia: Bool = false) -> Tool {
        let media =
            playsMedia
            ? #","about_media":{"type":"boolean","description":"True when the request is about music, radio, podcasts or "#
                + #"what plays on this box."}"# : ""
        var tool = Tool(
            "ask_jarvis",
            needs: .words,
            """
            Passes a request of the user to Jarvis, the user's personal agent, and returns what Jarvis answers. Call it \
            for every question, wish or instruction.
            """,
            """
            {"type":"object","properties":{"query":{"type":"string","description":"The whole request in the user's own \
            words, with every name, number and detail."}\(media)},"required":["query"],"additionalProperties":false}
            """,
            .asks { arguments, _, listener in
                guard let decoded = ToolArguments.decode(Query.self, from: arguments) else {
                    return context.refuse(
                        "ask_jarvis", "its arguments could not be read",
                        "I did not get that request. Please say it again."
                    )
                }
                let query = decoded.query ?? ""
                guard !query.allSatisfy(\.isWhitespace) else {
                    return context.refuse(
                        "ask_jarvis", "it has no query", "The request was empty. Please say it again."
                    )
                }
                guard query.utf8.count <= maximumQueryBytes else {
                    return context.refuse(
                        "ask_jarvis", "its query is too long",
                        "The request was too long for me to pass on. Please make it shorter."
                    )
                }
                let media = decoded.about_media == true ? await context.mediaContext() : nil
                return await context.read(context.ask(query, media, listener.inParts), to: query, listener)
            }
        )
        tool.activity = context.activity
        return tool
    }

    private struct Query: Decodable {
        let query: String?
        let about_media: Bool?
    }
}
