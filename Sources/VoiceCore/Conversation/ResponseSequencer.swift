/// Keeps the default conversation to one response at a time.
///
/// The server answers a second `response.create` with `conversation_already_has_active_response`, and may start a
/// response of its own (voice activity detection) between our look and our word. A call's output is *covered* once
/// a response began that has seen it; outputs that are not covered are the reason to ask for a response.
package struct ResponseSequencer: Equatable, Sendable {
    package enum Phase: Equatable, Sendable {
        case idle
        /// `response.create` is sent, its response has not begun.
        case requested(eventID: String)
        /// A response runs; the id is nil where only an error told of it.
        case active(responseID: String?)
    }

    package private(set) var phase: Phase = .idle
    /// Calls whose output is sent and not covered.
    package private(set) var uncovered: Set<String> = []
    /// Of those, the ones the server has confirmed to be in the conversation.
    private var confirmed: Set<String> = []
    /// Covered by the latest request on the guess that a response without metadata was ours, though unconfirmed.
    private var guessed: Set<String> = []

    package init() {}

    package var isIdle: Bool { phase == .idle }

    package var activeResponse: String? {
        if case .active(let responseID) = phase { responseID } else { nil }
    }

    package mutating func outputSent(callID: String) {
        uncovered.insert(callID)
    }

    package mutating func outputConfirmed(callID: String) {
        if uncovered.contains(callID) { confirmed.insert(callID) }
    }

    package mutating func requested(eventID: String) {
        phase = .requested(eventID: eventID)
    }

    package mutating func created(responseID: String, clientEventID: String?) {
        var isOurs = false
        guessed = []
        if case .requested(let eventID) = phase {
            isOurs = clientEventID == eventID
            // A server that does not echo metadata: take it for ours until the refusal says otherwise.
            if clientEventID == nil {
                isOurs = true
                guessed = uncovered.subtracting(confirmed)
            }
        }
        if isOurs { uncovered = [] } else { uncovered.subtract(confirmed) }
        confirmed = []
        phase = .active(responseID: responseID)
    }

    /// - Returns: whether the response was the one that ran.
    @discardableResult
    package mutating func done(responseID: String) -> Bool {
        guard case .active(let active) = phase, active == nil || active == responseID else { return false }
        phase = .idle
        guessed = []
        return true
    }

    /// The server refused our request because a response was running already.
    package mutating func refused() {
        uncovered.formUnion(guessed)
        guessed = []
        if case .requested = phase { phase = .active(responseID: nil) }
    }

    /// The request was not answered in time, or was refused for another reason.
    package mutating func abandon() {
        if case .requested = phase { phase = .idle }
    }

    /// Gives up on having these outputs spoken.
    package mutating func forgetOutputs() {
        uncovered = []
        confirmed = []
        guessed = []
    }
}
