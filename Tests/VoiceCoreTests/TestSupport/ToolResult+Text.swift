@testable import VoiceConversation

/// A text is an answer.
extension ToolResult: ExpressibleByStringLiteral {
    init(_ text: String) { self.init(.answer(text)) }

    package init(stringLiteral text: String) { self.init(text) }

    var text: String { forModel }

    /// False for a refusal or a problem.
    var succeeded: Bool {
        switch content {
        case .refusal: false
        case .data(_, let problem): problem == nil
        default: true
        }
    }
}
