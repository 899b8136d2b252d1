/// The user's turn: whether the user is speaking, has asked something, or is owed a response.
///
///     speechStarted --> speechStopped --> responseBegan --> answered
///                            |                 '--> the response failed: requested again, once or twice
///                            '--> no response comes: it was noise
///
/// Some services report `speechStopped` only with the answer: the turn is over for the user once the local voice detector has
/// heard a pause (`userPaused`), and continues if it hears a voice again (`userResumed`).
///
/// "Stop" and interruptions take a turn back; responses the service makes to it anyway are refused.
struct Turn: Equatable, Sendable {
    /// What to do about a failed response.
    enum Retry: Equatable, Sendable {
        /// Request it again after the pause.
        case again
        /// The user has to ask again.
        case givenUp
        /// The same, and repeatedly: this session is not worth keeping.
        case broken
    }

    /// What the next session receives of a question that was lost with the last session.
    enum LostQuestion: Equatable, Sendable {
        case none
        case known(String)
        /// The user has to say it again.
        case unknown
    }

    /// What "stop" took back.
    struct TakenBack: Equatable, Sendable {
        /// The user's unanswered items.
        var items: [String] = []
        /// The items to delete from the service's conversation now.
        var deleted: [String] = []
        /// The service is still hearing the turn.
        var isHeard = false
    }

    /// How many requests in a row the service may leave unanswered.
    private static let patience = 3
    /// Longest pause before a retry for which a user waits, and the time added to the pause that the service asks for.
    private static let longestRetryPause = Duration.seconds(10)
    private static let retryMargin = Duration.milliseconds(100)

    /// Counts the user's turns.
    private(set) var number = 0
    /// The service is hearing a turn of the user that is wanted.
    private(set) var isUserSpeaking = false
    /// Meanwhile, the local voice detector hears a pause.
    private(set) var isPaused = false
    /// The turn was counted at an earlier pause.
    private var isCounted = false
    /// The service has reported the beginning of speech, and not yet its end.
    private(set) var isHeard = false
    /// The value of `isHeard` last reported.
    private var reportedHearing = false
    /// The user's turn is over and the service owes a response to it.
    private(set) var owesResponse = false
    /// Whether the owed response is unwanted, because the user has silenced it.
    private var cancelsOwed = false
    /// An unwanted response is still awaited, so that no other response is requested beside it.
    private(set) var awaitsUnwanted = false
    /// The user's question, until it is answered.
    private(set) var question: OpenQuestion?
    private var stopped = StoppedTurn()
    /// The response that the service began before it reported the end of the turn, and whether it has failed already.
    private var early: String?
    private var hasFailedEarly = false
    /// No voice was heard locally in the latest turn.
    private(set) var isVoiceless = false
    /// When the user began to speak.
    private var began = Duration.zero
    /// Failed responses to this turn, and unanswered requests in a row.
    private var failures = 0
    private var unanswered = 0
    /// Turns in a row given up because the service failed.
    private var brokenTurns = 0
    /// No response is requested before this time.
    private(set) var retryAfter: Duration?
    /// The stages of the turn, until it ends.
    var clock: TurnClock?

    /// The user is speaking, as far as the service and the local detector can tell.
    var isTalking: Bool { isUserSpeaking && !isPaused }

    /// The user is waiting for a service that still seems to hear the turn.
    var isWaitingEarly: Bool { isUserSpeaking && isPaused && early == nil }

    /// The user is not speaking, and no response is owed.
    var isIdle: Bool { !isUserSpeaking && !owesResponse }

    /// The user is not speaking, no response is owed, and the service is not about to speak unwanted.
    var isQuiet: Bool { isIdle && !awaitsUnwanted }

    // MARK: Speech

    /// The service reports the beginning of speech.
    /// - Returns: false if the speech is the rest of a stopped turn.
    mutating func speechStarted(_ itemID: String, at now: Duration) -> Bool {
        isHeard = true
        guard !stopped.discards(itemID, at: now) else { return false }
        stopped.isSilent = false
        if !isUserSpeaking {
            began = now
            isCounted = false
        }
        isUserSpeaking = true
        isPaused = false
        early = nil
        hasFailedEarly = false
        isVoiceless = false
        // The owed response will not come any more: the next one answers the current speech.
        cancelsOwed = false
        awaitsUnwanted = false
        var asked = question ?? OpenQuestion()
        asked.add(itemID)
        asked.isBegun = false
        question = asked
        return true
    }

    /// - Parameter end: when the user stopped.
    /// - Returns: whether a wanted turn is over.
    mutating func speechStopped(at end: Duration) -> Bool {
        isHeard = false
        if stopped.isDiscarding {
            stopped.isDiscarding = false
            // The service does not know of "stop" and will answer.
            expectUnwanted()
        }
        guard isUserSpeaking else { return false }
        isUserSpeaking = false
        owesResponse = early == nil
        // The user stopped at the pause, and has been waiting since.
        if !isPaused { ended(at: max(end, began)) }
        isPaused = false
        return true
    }

    /// The local voice detector hears no voice any more in the turn that the service is hearing.
    ///
    /// - Parameter end: when the user stopped.
    mutating func userPaused(at end: Duration) {
        guard isUserSpeaking, !isPaused else { return }
        isPaused = true
        ended(at: max(end, began))
    }

    /// The local voice detector hears the user again.
    mutating func userResumed(at now: Duration) {
        guard isHeard, !stopped.isDiscarding else { return }
        if !isUserSpeaking {
            // The wait for an answer to the first part is over.
            began = now
            isCounted = false
            early = nil
            cancelsOwed = false
            awaitsUnwanted = false
            question = OpenQuestion()
        }
        isUserSpeaking = true
        isPaused = false
        clock = nil
    }

    /// Treats the pause as the end of the turn, without waiting for the service.
    mutating func endAtPause() {
        guard isPaused else { return }
        isUserSpeaking = false
        isPaused = false
        owesResponse = early == nil
    }

    private mutating func ended(at end: Duration) {
        if isCounted {
            clock = TurnClock(number: number, ended: end)
        } else {
            begin(at: end)
        }
        isCounted = true
    }

    /// A response failed while the service still seemed to hear the user: it answered this turn, unless another one follows.
    mutating func failedEarly() { hasFailedEarly = true }

    mutating func takeEarlyFailure() -> Bool {
        defer { hasFailedEarly = false }
        return hasFailedEarly
    }

    /// A response that was cancelled as the user began to speak answered the turn before.
    mutating func wasCancelled(_ responseID: String) {
        if early == responseID { early = nil }
    }

    /// No voice was heard locally in the turn.
    mutating func wasVoiceless() { isVoiceless = true }

    /// The recogniser understood no word in this item: the service may make no response to it.
    mutating func hadNoWords(_ itemID: String) {
        if question?.items.last == itemID { isVoiceless = true }
    }

    /// The end of the speech was lost.
    mutating func speechTimedOut() {
        isHeard = false
        if isUserSpeaking { question = nil }
        isUserSpeaking = false
        isPaused = false
    }

    /// Notes a typed question.
    /// - Returns: the name of its item, unknown to any session.
    mutating func wrote(_ text: String, at now: Duration) -> String {
        begin(at: now)
        let itemID = "typed-\(number)"
        var open = OpenQuestion()
        open.add(itemID)
        open.text = text
        question = open
        return itemID
    }

    private mutating func begin(at now: Duration) {
        number += 1
        failures = 0
        clock = TurnClock(number: number, ended: now)
    }

    /// Whether the service is hearing the user; nil if unchanged since the last call.
    mutating func takeChangeOfHearing() -> Bool? {
        guard isHeard != reportedHearing else { return nil }
        reportedHearing = isHeard
        return isHeard
    }

    // MARK: Its response

    /// - Parameters:
    ///   - id: the name of the response.
    ///   - isOurs: whether it is the requested one.
    ///   - isSilenced: whether it was silenced before it began.
    ///   - isNamed: whether the service states which request it answers.
    /// - Returns: whether it was owed to the user's turn, and whether it is unwanted.
    mutating func responseBegan(
        _ id: String,
        isOurs: Bool,
        isSilenced: Bool,
        isNamed: Bool
    ) -> (wasOwed: Bool, isUnwanted: Bool) {
        let wasOwed = owesResponse
        owesResponse = false
        if isUserSpeaking, !isOurs { early = id }
        unanswered = 0
        // If the service does not state its request, the response may be the unwanted one.
        let isOwed = !isOurs || !isNamed
        let isOfStopped = stopped.isSilent && !isOurs
        // A requested response may begin as the user does: both would speak at the same time.
        let isUnwanted = isOurs && (isSilenced || isUserSpeaking) || cancelsOwed && isOwed || isOfStopped
        if !isOurs || isOwed && !isSilenced {
            cancelsOwed = false
            awaitsUnwanted = false
        }
        return (wasOwed, isUnwanted)
    }

    /// The reply has begun.
    mutating func answerBegan() { question?.isBegun = true }

    /// A response was completed.
    mutating func answered(by responseID: String) {
        failures = 0
        brokenTurns = 0
        if isIdle || isEarly(responseID) { question = nil }
    }

    /// Whether the response answers a turn whose end the service has not reported yet.
    func isEarly(_ responseID: String) -> Bool { early == responseID }

    /// No answer is expected any more, or something else represents the question.
    mutating func forgetQuestion() { question = nil }

    /// The service made no response to a turn, which may have been noise. It may still hear the turn; an answer that comes
    /// later is spoken.
    mutating func responseNeverCame() {
        if isPaused { isUserSpeaking = false }
        isPaused = false
        owesResponse = false
        awaitsUnwanted = false
        question = nil
    }

    /// The service did not answer a request for a response.
    /// - Returns: whether that happened too often.
    mutating func requestFailed() -> Bool {
        unanswered += 1
        return unanswered >= Self.patience
    }

    /// - Parameters:
    ///   - pause: pause before the next request.
    ///   - limitedPause: the same after a rate limit; doubled the second time.
    ///   - wanted: the pause that the service asks for after a rate limit; one longer than a user waits ends the turn.
    mutating func responseFailed(
        _ failure: ErrorClass,
        pause: Duration,
        limitedPause: Duration,
        wanted: Duration? = nil
    ) -> Retry {
        failures += 1
        let isTooLong = failure == .limited && (wanted ?? .zero) > Self.longestRetryPause
        guard failures > (failure == .limited ? 2 : 1) || isTooLong else {
            retryAfter = failure == .limited ? wanted.map { $0 + Self.retryMargin } ?? limitedPause * failures : pause
            return .again
        }
        question = nil
        guard failure != .limited else { return .givenUp }
        brokenTurns += 1
        guard brokenTurns >= 2 else { return .givenUp }
        brokenTurns = 0
        return .broken
    }

    /// A response may be requested again.
    mutating func retryIsDue() { retryAfter = nil }

    /// - Returns: the report of the turn, if there is anything to report.
    mutating func end() -> TurnReport? {
        defer { clock = nil }
        let isReported = clock.map { $0.report.calls > 0 || $0.hadVoice || $0.report.failure != nil } ?? false
        guard isReported, let clock else { return nil }
        return clock.report
    }

    // MARK: Taking it back

    /// Notes that all speech was cut.
    /// - Parameter inSession: whether the service will still answer the question.
    mutating func silenced(inSession: Bool, at now: Duration) {
        if inSession, owesResponse { expectUnwanted() }
        retryAfter = nil
        clock?.interrupted(at: now)
        owesResponse = false
    }

    /// Expects an unwanted response.
    private mutating func expectUnwanted() {
        cancelsOwed = true
        awaitsUnwanted = true
    }

    /// "Stop": takes back a turn in progress, and turns that were not answered.
    ///
    /// - Parameters:
    ///   - isSpoken: whether the word itself may still reach the service.
    ///   - inSession: whether a session may know of it.
    mutating func takeBack(isSpoken: Bool, inSession: Bool, at now: Duration) -> TakenBack {
        var taken = TakenBack()
        if let question, !question.isBegun { taken.items = question.items }
        let isMidSpeech = isUserSpeaking
        isUserSpeaking = false
        isPaused = false
        question = nil
        guard inSession else { return taken }
        taken.isHeard = isHeard
        stopped.begin(isHeard: isHeard, isSpoken: isSpoken, at: now)
        // A turn in progress is not an item yet.
        if isMidSpeech { stopped.itemID = taken.items.last }
        taken.deleted = taken.items.filter { $0 != stopped.itemID }
        return taken
    }

    /// Stops these responses: their calls are not made.
    mutating func stop(responses: [String]) {
        for responseID in responses { stopped.add(responseID) }
    }

    func isStopped(response responseID: String) -> Bool { stopped.responses.contains(responseID) }

    /// The user's turn became an item.
    /// - Returns: whether it is the turn that was stopped in progress.
    mutating func committed(_ itemID: String) -> Bool {
        guard !itemID.isEmpty, itemID == stopped.itemID else { return false }
        stopped.itemID = nil
        return true
    }

    // MARK: The end of a session

    /// The conversation ends on purpose, so nothing is lost.
    mutating func abandon() {
        isUserSpeaking = false
        isPaused = false
        question = nil
    }

    /// The user said something that no session heard.
    mutating func missedSpeech() { question = question ?? OpenQuestion() }

    /// The session ended, and with it the user's last words: keeps them if they are known.
    /// - Returns: the question if it is lost now.
    mutating func sessionEnded(_ memory: TurnMemory, at now: Duration) -> OpenQuestion? {
        let lost = loseQuestion(memory, at: now)
        isUserSpeaking = false
        isPaused = false
        isHeard = false
        stopped = StoppedTurn()
        owesResponse = false
        cancelsOwed = false
        awaitsUnwanted = false
        retryAfter = nil
        failures = 0
        unanswered = 0
        return lost
    }

    private mutating func loseQuestion(_ memory: TurnMemory, at now: Duration) -> OpenQuestion? {
        if isUserSpeaking { missedSpeech() }
        guard var lost = question, lost.lostAt == nil else { return nil }
        lost.lostAt = now
        let isAskable = !isTalking && !lost.isBegun && !lost.isRepeated
        lost.text = isAskable ? lost.text ?? memory.words(of: lost.items) : nil
        question = lost
        return lost
    }

    /// Returns the lost question for a session that is ready.
    /// - Parameter limit: how long the question is worth repeating.
    mutating func takeLostQuestion(within limit: Duration, at now: Duration) -> LostQuestion {
        guard let lostAt = question?.lostAt else { return .none }
        guard let text = question?.text, now - lostAt <= limit else {
            question = nil
            return .unknown
        }
        question?.lostAt = nil
        question?.isRepeated = true
        return .known(text)
    }

    // MARK: What always holds

    /// Violated invariants; empty if all is well.
    var brokenInvariants: [String] {
        var broken: [String] = []
        if isUserSpeaking, !isHeard { broken.append("the user speaks unheard") }
        if isPaused, !isUserSpeaking { broken.append("a pause of a user who does not speak") }
        if awaitsUnwanted, !cancelsOwed { broken.append("a response is waited for and would not be turned away") }
        return broken
    }
}

/// The user's unanswered question: everything that would be lost with the session.
struct OpenQuestion: Equatable, Sendable {
    /// The user's items, oldest first; a second turn over the first adds another.
    private(set) var items: [String] = []
    /// Its words, once the session that heard it is gone.
    var text: String?
    /// The reply has begun and is not complete.
    var isBegun = false
    /// When its session ended.
    var lostAt: Duration?
    /// It was put to a second session. If that ends as well, the question may be the reason.
    var isRepeated = false

    private static let limit = 8

    mutating func add(_ itemID: String) {
        guard !itemID.isEmpty, !items.contains(itemID) else { return }
        items.append(itemID)
        if items.count > Self.limit { items.removeFirst() }
    }
}

/// What "stop" took back and may still arrive.
private struct StoppedTurn: Equatable, Sendable {
    /// The turn the service is hearing, or has just heard, must not be answered.
    var isDiscarding = false
    /// Its item, to be deleted from the conversation once it is there.
    var itemID: String?
    /// No one has spoken since: until then an unrequested response belongs to the stopped turn, however late.
    var isSilent = false
    /// Responses whose calls are not made.
    private(set) var responses: [String] = []
    /// Speech that begins before this time belongs to the stopped turn: its rest, or the word itself.
    private var deafUntil: Duration?

    /// Within this time a clear on its way to the service and a speech start on its way back cross; so do the locally
    /// detected stop word and its speech as reported by the service.
    private static let restOfSpeech = Duration.seconds(1)
    /// Within this time a speech start may be on its way from the service when a key is pressed.
    private static let speechOnItsWay = Duration.milliseconds(300)
    private static let limit = 32

    mutating func begin(isHeard: Bool, isSpoken: Bool, at now: Duration) {
        isSilent = true
        if isHeard { isDiscarding = true }
        deafUntil = now + (isHeard || isSpoken ? Self.restOfSpeech : Self.speechOnItsWay)
    }

    /// - Returns: whether this speech is the rest of the stopped turn.
    mutating func discards(_ itemID: String, at now: Duration) -> Bool {
        guard let deafUntil, now < deafUntil else {
            isDiscarding = false
            deafUntil = nil
            return false
        }
        isDiscarding = true
        self.itemID = itemID
        return true
    }

    mutating func add(_ responseID: String) {
        guard !responseID.isEmpty, !responses.contains(responseID) else { return }
        responses.append(responseID)
        if responses.count > Self.limit { responses.removeFirst() }
    }
}
