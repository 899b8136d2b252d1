@testable import VoiceConversation

/// A text is an answer.
extension ToolResult: ExpressibleByStringLiteral {
    init(_ text: String) { self.init(.answer(text)) }

    package init(stringLiteral text: String) { self.init(text) }

    var text: String { forModel }

    /// The same as a part of an answer.
    func asPart(_ part: Part) -> Self {
        var result = self
        result.part = part
        return result
    }

    /// False for a refusal or a problem.
    var succeeded: Bool {
        switch content {
        case .refusal: false
        case .data(_, let problem): problem == nil
        default: true
        }
    }
}
