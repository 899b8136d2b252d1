internal import Synchronization
internal import VoiceBase
internal import VoiceConversation

/// Hands the answer to a typed question to the client that sent it, and keeps nothing of it.
package final class AnswerReaders: Sendable {
    /// Most readers at the same time; another hears the answer only.
    private static let most = 8
    /// Longest part of an answer, in UTF-8 bytes.
    private static let longest = 4000

    /// The parts of one answer as they are said; ends with the answer.
    package struct Reading: Sendable {
        package let parts: AsyncStream<String>
        let number: Int
        fileprivate let end: @Sendable () -> Void

        /// The reader has left.
        package func cancel() { end() }
    }

    private struct State {
        var next = 0
        var waiting: [Int: AsyncStream<String>.Continuation] = [:]
        /// The reader whose question is being answered.
        var current: Int?
    }

    private let state = Mutex(State())

    /// nil if there are too many.
    func open() -> Reading? {
        let (parts, continuation) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingOldest(64))
        let number: Int? = state.withLock { state in
            guard state.waiting.count < Self.most else { return nil }
            state.next += 1
            state.waiting[state.next] = continuation
            return state.next
        }
        return number.map { number in Reading(parts: parts, number: number) { [weak self] in self?.finish(number) } }
    }

    /// Follows the conversation.
    func see(_ effect: ConversationEffect) {
        switch effect {
        case .note(.typedQuestion(let reader)):
            finish(state.withLock { $0.current })
            state.withLock { $0.current = reader }
        case .note(.spoken(let text)):
            let reader = state.withLock { state in state.current.flatMap { state.waiting[$0] } }
            if !text.isEmpty { reader?.yield(text.shortened(toBytes: Self.longest)) }
        case .turnEnded: finish(state.withLock { $0.current })
        // "Stop", or a question that waited too long. One that was typed while a session closed is asked in the next one.
        case .cancelCalls, .note(.speechDropped(.typed, _)): finishAll()
        case .stateChanged(_, let next):
            switch next {
            // In these states, the turn of the typed question is over.
            case .listening, .userSpeaking, .idle: finish(state.withLock { $0.current })
            case .error: finishAll()
            case .connecting, .processing, .fillerSpeaking, .waitingForJarvis, .aiSpeaking: break
            }
        default: break
        }
    }

    private func finishAll() {
        for number in state.withLock({ Array($0.waiting.keys) }) { finish(number) }
    }

    private func finish(_ number: Int?) {
        guard let number else { return }
        let reader = state.withLock { state in
            if state.current == number { state.current = nil }
            return state.waiting.removeValue(forKey: number)
        }
        reader?.finish()
    }
}
