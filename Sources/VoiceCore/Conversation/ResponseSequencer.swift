/// Keeps the default conversation to one response at a time.
///
///     idle --> requested --> active --> idle
///                              |-----> cancelling --> idle
///
/// The server answers a second `response.create` with `conversation_already_has_active_response`, may start a response
/// of its own (voice activity detection) between our look and our word, and has not cancelled before it says that the
/// response is done. A call's output is *covered* once a response began that has seen it; outputs that are not covered
/// are the reason to ask for a response.
package struct ResponseSequencer: Equatable, Sendable {
    package enum Phase: Equatable, Sendable {
        case idle
        /// `response.create` is sent, its response has not begun, and no other runs.
        case requested(eventID: String)
        /// A response runs; the id is nil where only an error told of it.
        case active(responseID: String?)
        /// `response.cancel` is sent; nothing may be asked for before the response is done.
        case cancelling(responseID: String?)
    }

    /// What it takes to silence the model.
    package enum Cancellation: Equatable, Sendable {
        /// Nothing runs, or it is being cancelled already.
        case none
        /// Send `response.cancel` now.
        case now(responseID: String?)
        /// `created` will tell when the response begins.
        case onArrival
    }

    package private(set) var phase: Phase = .idle
    /// Calls whose output is sent and not covered.
    package private(set) var uncovered: Set<String> = []
    /// A response is wanted for something else than an output: one that failed, or a question that was asked again.
    package private(set) var isWanted = false
    /// Our request that was neither followed by its response nor refused; another response may run meanwhile.
    private var outstanding: String?
    /// What had been sent when it was made: its response sees that.
    private var asked: Set<String> = []
    /// Of the uncovered, the ones the server has confirmed to be in the conversation.
    private var confirmed: Set<String> = []
    /// Outputs that the running response has seen.
    private var covered: Set<String> = []
    /// Of those, the ones covered on the guess that a response without metadata was ours, though unconfirmed.
    private var guessed: Set<String> = []
    /// The requested response is not wanted any more.
    private var isSilenced = false
    /// The server is known to send our metadata back: a response without it is not ours.
    private var hasEchoed = false

    package init() {}

    /// The sequencer of the session after.
    package init(after previous: ResponseSequencer) {
        hasEchoed = previous.hasEchoed
    }

    package var isIdle: Bool { phase == .idle }

    /// No response is known to run.
    package var isFree: Bool {
        switch phase {
        case .idle, .requested: true
        case .active, .cancelling: false
        }
    }

    /// Whether a response is still to be asked for.
    package var wantsResponse: Bool { isWanted || !uncovered.isEmpty }

    /// Outputs sent of which the model has not spoken, or not to the end.
    package var unspoken: Set<String> { uncovered.union(covered) }

    /// Calls whose outputs the response that runs has to speak about.
    package var telling: Set<String> { covered }

    /// Whether the response that runs has outputs to speak about.
    package var isTelling: Bool { !covered.isEmpty }

    package var activeResponse: String? {
        switch phase {
        case .active(let responseID), .cancelling(let responseID): responseID
        case .idle, .requested: nil
        }
    }

    /// Whether this response may be the one that runs.
    package func mayRun(_ responseID: String) -> Bool {
        switch phase {
        case .idle, .requested: false
        case .active(let running), .cancelling(let running): running == nil || running == responseID
        }
    }

    /// Whether a response is on its way that nobody has silenced.
    package var isResponseComing: Bool {
        switch phase {
        case .idle, .cancelling: false
        case .requested: !isSilenced
        case .active: true
        }
    }

    /// Whether this is the request that waits for its response.
    package func isOutstanding(_ eventID: String?) -> Bool {
        eventID != nil && eventID == outstanding
    }

    package mutating func want() {
        isWanted = true
    }

    package mutating func outputSent(callID: String) {
        uncovered.insert(callID)
    }

    package mutating func outputConfirmed(callID: String) {
        if uncovered.contains(callID) { confirmed.insert(callID) }
    }

    package mutating func requested(eventID: String) {
        asked = uncovered
        phase = .requested(eventID: eventID)
        outstanding = eventID
        isSilenced = false
    }

    /// - Returns: whether it is the response we asked for, and whether it was silenced meanwhile and has to be
    ///   cancelled.
    package mutating func created(
        responseID: String,
        clientEventID: String?
    ) -> (isOurs: Bool, isSilenced: Bool) {
        if clientEventID != nil { hasEchoed = true }
        // A server that does not echo metadata: take it for ours until the refusal says otherwise.
        let isOurs = outstanding != nil && (clientEventID == outstanding || clientEventID == nil && !hasEchoed)
        // What was sent behind the request came too late for its response, unless its place there is confirmed.
        covered = uncovered.intersection(isOurs ? confirmed.union(asked) : confirmed)
        guessed = isOurs && clientEventID == nil ? covered.subtracting(confirmed) : []
        uncovered.subtract(covered)
        confirmed = []
        isWanted = false
        phase = .active(responseID: responseID)
        guard isOurs else { return (false, false) }
        outstanding = nil
        defer { isSilenced = false }
        return (true, isSilenced)
    }

    /// Silences the model: what runs, and what was asked for.
    package mutating func cancel() -> Cancellation {
        if outstanding != nil { isSilenced = true }
        switch phase {
        case .idle, .cancelling: return .none
        case .requested: return .onArrival
        case .active(let responseID):
            phase = .cancelling(responseID: responseID)
            return .now(responseID: responseID)
        }
    }

    /// A response is over; one whose beginning was never told is known by its metadata.
    ///
    /// - Parameter isSpoken: false where the user heard nothing of it, and should have: what it was to tell is still
    ///   to be told.
    /// - Returns: whether it was the response that ran.
    @discardableResult
    package mutating func done(
        responseID: String,
        clientEventID: String? = nil,
        isSpoken: Bool = true
    ) -> Bool {
        switch phase {
        case .active(let running), .cancelling(let running):
            guard running == nil || running == responseID else { return false }
        case .requested(let eventID):
            guard clientEventID == eventID else { return false }
            _ = created(responseID: responseID, clientEventID: clientEventID)
        case .idle: return false
        }
        ended(isSpoken: isSpoken)
        return true
    }

    /// The server refused our request because a response was running already.
    ///
    /// - Parameter eventID: of the request, where the server says it; the refusal of one that was given up is old news.
    package mutating func refused(eventID: String? = nil) {
        guard eventID == nil || outstanding == nil || eventID == outstanding else { return }
        uncovered.formUnion(guessed)
        covered.subtract(guessed)
        guessed = []
        outstanding = nil
        isSilenced = false
        if case .requested = phase { phase = .active(responseID: nil) }
    }

    /// The server had nothing to cancel: its word of the end crossed ours, or will never come.
    package mutating func cancelRefused() {
        if case .cancelling = phase { ended(isSpoken: false) }
    }

    /// The request was not answered in time, or was refused for another reason.
    package mutating func abandon() {
        outstanding = nil
        isSilenced = false
        if case .requested = phase { phase = .idle }
    }

    /// The end of the response that runs was never told.
    package mutating func lostTrack() {
        switch phase {
        case .active: ended(isSpoken: true)
        case .cancelling: ended(isSpoken: false)
        case .idle, .requested: break
        }
    }

    /// Gives up on having spoken what was to be spoken.
    package mutating func forget() {
        uncovered = []
        confirmed = []
        covered = []
        guessed = []
        isWanted = false
    }

    private mutating func ended(isSpoken: Bool) {
        phase = outstanding.map { .requested(eventID: $0) } ?? .idle
        if !isSpoken {
            uncovered.formUnion(covered)
            confirmed.formUnion(covered)
        }
        covered = []
        guessed = []
    }
}
