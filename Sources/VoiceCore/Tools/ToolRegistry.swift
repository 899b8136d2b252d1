/// The tools by their names. A new tool is a type of its own and a line here.
package struct ToolRegistry: Sendable {
    /// Which of the tools are offered to the model.
    package struct Options: Sendable, Equatable {
        /// A run takes remarks while it is under way.
        package var takesRemarks = true
        /// Questions of the agent to the user are read aloud.
        package var asksUser = true
        /// Approvals are asked for aloud.
        package var asksApproval = true
        /// The model may close the session; somebody must be able to open it again.
        package var mayEnd = false
        /// The box plays music, radio and podcasts.
        package var playsMedia = false
        /// The small grammar gives orders for what models are not offered.
        package var hasGrammar = false

        package init() {}
    }

    /// In the order in which the model is told of them.
    package let tools: [any Tool]
    private let byName: [String: any Tool]

    /// Of two tools with one name the first is used.
    package init(_ tools: [any Tool]) {
        self.tools = tools
        byName = Dictionary(tools.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    package static func standard(_ context: ToolContext, options: Options = Options()) -> ToolRegistry {
        var tools: [any Tool] = [
            AskJarvisTool(context, playsMedia: options.playsMedia), ContinueReadingTool(context),
            CancelRequestTool(context), CheckProgressTool(context), ForgetLastTool(context),
            NewConversationTool(context), StaySilentTool(), SetTimerTool(context), ListTimersTool(context),
            CancelTimerTool(context),
        ]
        if options.takesRemarks { tools.append(AddToRequestTool(context)) }
        if options.asksUser { tools.append(AnswerQuestionTool(context)) }
        if options.asksApproval { tools.append(ApproveTool(context)) }
        if options.mayEnd { tools.append(EndConversationTool(context)) }
        if options.playsMedia { tools += media(context) }
        if options.hasGrammar { tools += box(context) }
        return ToolRegistry(tools)
    }

    package subscript(name: String) -> (any Tool)? { byName[name] }
}
