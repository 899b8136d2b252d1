/// Keeps the default conversation to one response at a time.
///
///     idle --> requested --> active --> idle
///                              |-----> cancelling --> idle
///
/// The server answers a second `response.create` with `conversation_already_has_active_response`, may start a response of
/// its own (voice activity detection) between the daemon's check and its request, and has not cancelled a response before
/// it reports it as done. Its refusal may also arrive after the end of the response it is about: a request that is refused
/// while no response is known to run is therefore repeated. A call's output is *covered* once a response that has seen it
/// has begun; uncovered outputs are the reason to request a response.
package struct ResponseSequencer: Equatable, Sendable {
    package enum Phase: Equatable, Sendable {
        case idle
        /// `response.create` is sent, its response has not begun, and no other is running.
        case requested(eventID: String)
        /// A response is running; the id is nil if only errors revealed it.
        case active(responseID: String?)
        /// `response.cancel` is sent; nothing may be requested until the response is done.
        case cancelling(responseID: String?)
    }

    /// How to silence the model.
    package enum Cancellation: Equatable, Sendable {
        /// Nothing is running, or it is already being cancelled.
        case none
        /// Send `response.cancel` now.
        case now(responseID: String?)
        /// `created` will report when the response begins.
        case onArrival
    }

    private static let mostRefusals = 10

    package private(set) var phase: Phase = .idle
    /// Calls whose output is sent and not covered.
    package private(set) var uncovered: Set<String> = []
    /// A response is wanted for another reason than an output: one that failed, or a repeated question.
    package private(set) var isWanted = false
    /// The request whose response has neither begun nor been refused; another response may run meanwhile.
    private var outstanding: String?
    /// Outputs sent before that request: its response sees them.
    private var asked: Set<String> = []
    /// Uncovered outputs confirmed by the server as part of the conversation.
    private var confirmed: Set<String> = []
    /// Outputs that the running response has seen.
    private var covered: Set<String> = []
    /// Outputs that are unconfirmed and counted as covered, on the assumption that a response without metadata was the requested
    /// one; kept beyond its end, because a refusal of the request may still prove the assumption wrong.
    private var guessed: Set<String> = []
    /// The requested response is no longer wanted.
    private var isSilenced = false
    /// Refusals in a row while no response was known to run.
    private var refusals = 0
    /// See `consumeLoss`.
    private var isLost = false
    /// The server is known to return metadata: a response without it is not the requested one.
    private var hasEchoed = false

    package init() {}

    /// The sequencer of the following session.
    package init(after previous: ResponseSequencer) {
        hasEchoed = previous.hasEchoed
    }

    package var isIdle: Bool { phase == .idle }

    /// Whether no response is known to be running.
    package var isFree: Bool {
        switch phase {
        case .idle, .requested: true
        case .active, .cancelling: false
        }
    }

    /// Whether a response still has to be requested.
    package var wantsResponse: Bool { isWanted || !uncovered.isEmpty }

    /// Sent outputs the model has not fully spoken about.
    package var unspoken: Set<String> { uncovered.union(covered) }

    /// Calls whose outputs the running response has to speak about.
    package var telling: Set<String> { covered }

    /// Whether the running response has outputs to speak about.
    package var isTelling: Bool { !covered.isEmpty }

    package var activeResponse: String? {
        switch phase {
        case .active(let responseID), .cancelling(let responseID): responseID
        case .idle, .requested: nil
        }
    }

    /// Whether this response may be the running one.
    package func mayRun(_ responseID: String) -> Bool {
        switch phase {
        case .idle, .requested: false
        case .active(let running), .cancelling(let running): running == nil || running == responseID
        }
    }

    /// Whether a response that was not silenced is on its way.
    package var isResponseComing: Bool {
        switch phase {
        case .idle, .cancelling: false
        case .requested: !isSilenced
        case .active: true
        }
    }

    /// Whether this request is still waiting for its response.
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
        guessed = []
        phase = .requested(eventID: eventID)
        outstanding = eventID
        isSilenced = false
    }

    /// - Returns: whether it is the requested response, and whether it was silenced meanwhile and has to be cancelled.
    package mutating func created(
        responseID: String,
        clientEventID: String?
    ) -> (isOurs: Bool, isSilenced: Bool) {
        if clientEventID != nil { hasEchoed = true }
        // If the server does not echo metadata, assume it is ours until a refusal says otherwise.
        let isOurs = outstanding != nil && (clientEventID == outstanding || clientEventID == nil && !hasEchoed)
        // Outputs sent after the request came too late for its response, unless confirmed.
        covered = uncovered.intersection(isOurs ? confirmed.union(asked) : confirmed)
        guessed = isOurs && clientEventID == nil ? covered.subtracting(confirmed) : []
        uncovered.subtract(covered)
        confirmed = []
        isWanted = false
        refusals = 0
        phase = .active(responseID: responseID)
        guard isOurs else { return (false, false) }
        outstanding = nil
        defer { isSilenced = false }
        return (true, isSilenced)
    }

    /// Silences the model: the running response and the requested one.
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

    /// Ends a response; one whose beginning was never reported is identified by its metadata.
    ///
    /// - Parameter isSpoken: false if the user should have heard it and did not: its outputs still have to be spoken.
    /// - Returns: whether it was the running response.
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

    /// The server refused the request because a response was already running. If none is known, that one has ended, or its
    /// beginning is still to come: the request may be repeated immediately, and after another refusal when the response ends,
    /// or after a pause.
    ///
    /// - Parameter eventID: the id of the request, if stated; the refusal of an abandoned request is ignored.
    package mutating func refused(eventID: String? = nil) {
        guard eventID == nil || outstanding == nil || eventID == outstanding else { return }
        uncovered.formUnion(guessed)
        covered.subtract(guessed)
        guessed = []
        outstanding = nil
        defer { isSilenced = false }
        guard case .requested = phase else { return }
        refusals += 1
        phase = refusals == 1 ? .idle : .active(responseID: nil)
        isLost = asked.isEmpty && !isSilenced
    }

    /// Returns whether a request without outputs was refused, so that nothing else repeats it; only once.
    package mutating func consumeLoss() -> Bool {
        defer { isLost = false }
        return isLost
    }

    /// Whether the server keeps naming a response that it never announces.
    package var isBlocked: Bool { refusals >= Self.mostRefusals }

    /// The server had nothing to cancel: its end of the response crossed the cancellation, or will never come.
    package mutating func cancelRefused() {
        if case .cancelling = phase { ended(isSpoken: false) }
    }

    /// Abandons the request: it was not answered in time, or was refused for another reason.
    package mutating func abandon() {
        outstanding = nil
        isSilenced = false
        if case .requested = phase { phase = .idle }
    }

    /// The end of the running response was never reported.
    package mutating func lostTrack() {
        switch phase {
        case .active: ended(isSpoken: true)
        case .cancelling: ended(isSpoken: false)
        case .idle, .requested: break
        }
    }

    /// Counts all outputs as spoken.
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
    }
}
