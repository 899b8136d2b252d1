/// The tools by name. A new tool is a `Tool` and a line here.
package struct ToolRegistry: Sendable {
    /// Which tools are offered to the model.
    package struct Options: Sendable, Equatable {
        /// Whether a run accepts remarks.
        package var takesRemarks = true
        /// Whether questions of the agent are put to the user.
        package var asksUser = true
        /// Whether approvals are requested by voice.
        package var asksApproval = true
        /// Whether the model may close the session; the user must be able to open it again.
        package var mayEnd = false
        /// Whether media can be played.
        package var playsMedia = false
        /// Whether the small grammar is used, which has tools that models are not offered.
        package var hasGrammar = false
    }

    /// In the order in which the model is given them.
    package let tools: [Tool]
    private let byName: [String: Tool]

    /// If two tools have the same name, the first is used.
    package init(_ tools: [Tool]) {
        self.tools = tools
        byName = Dictionary(tools.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    package static func standard(_ context: ToolContext, options: Options = Options()) -> ToolRegistry {
        var tools: [Tool] = [
            .askJarvis(context, playsMedia: options.playsMedia), .continueReading(context), .cancelRequest(context),
            .checkProgress(context), .forgetLast(context), .newConversation(context), .staySilent, .setTimer(context),
            .listTimers(context), .cancelTimer(context), .changeTimer(context),
        ]
        if options.takesRemarks { tools.append(.addToRequest(context)) }
        if options.asksUser { tools.append(.answerQuestion(context)) }
        if options.asksApproval { tools.append(.approve(context)) }
        if options.mayEnd { tools.append(.endConversation(context)) }
        if options.playsMedia { tools += Tool.media(context) }
        if options.hasGrammar { tools += Tool.box(context) }
        return ToolRegistry(tools)
    }

    package subscript(name: String) -> Tool? { byName[name] }
}
