/// The user's turn: whether he speaks, what he has asked, and what is still owed to him.
///
///     speechStarted --> speechStopped --> responseBegan --> answered
///                            |                 '--> the response failed: asked for again, once or twice
///                            '--> no response comes: it was noise
///
/// "Stop" and interruptions take a turn back; what the service makes of it all the same is turned away.
struct Turn: Equatable, Sendable {
    /// What is to be done about a response that failed.
    enum Retry: Equatable, Sendable {
        /// Ask again after the pause.
        case again
        /// The user has to ask again.
        case givenUp
        /// The same, and not for the first time: this session is not worth keeping.
        case broken
    }

    /// What the next session is to be told of a question that went down with the last one.
    enum LostQuestion: Equatable, Sendable {
        case none
        case known(String)
        /// The user has to say it again.
        case unknown
    }

    /// What "stop" has taken back.
    struct TakenBack: Equatable, Sendable {
        /// The user's items that nothing was said in reply to.
        var items: [String] = []
        /// Those to be taken out of the service's conversation now.
        var deleted: [String] = []
        /// The service still hears the turn.
        var isHeard = false
    }

    /// Requests in a row that the service may leave without an answer.
    private static let patience = 3

    /// Counts the user's turns.
    private(set) var number = 0
    /// The service hears a turn of the user that is wanted.
    private(set) var isUserSpeaking = false
    /// The service has heard the user begin to speak, and not yet stop.
    private(set) var isHeard = false
    /// What was last reported of it.
    private var reportedHearing = false
    /// The user's turn is over and the service owes a response to it.
    private(set) var owesResponse = false
    /// The response that is owed is one the user has silenced already.
    private var cancelsOwed = false
    /// It is waited for, so that nothing of ours is asked for beside it.
    private(set) var awaitsUnwanted = false
    /// The user's question, until it is answered.
    private(set) var question: OpenQuestion?
    private var stopped = StoppedTurn()
    /// Responses to this turn that failed, and requests in a row that were not answered.
    private var failures = 0
    private var unanswered = 0
    /// Turns in a row that were given up because the service failed.
    private var brokenTurns = 0
    /// A response is not asked for before this pause is over.
    private(set) var retryAfter: Duration?
    /// The stages of the turn, until it ends.
    var clock: TurnClock?

    /// The user does not speak, and no response is owed to him.
    var isIdle: Bool { !isUserSpeaking && !owesResponse }

    /// The same, and the service is not about to say what nobody wants.
    var isQuiet: Bool { isIdle && !awaitsUnwanted }

    // MARK: Speech

    /// The service hears the user begin to speak.
    /// - Returns: false where it is the rest of what was stopped.
    mutating func speechStarted(_ itemID: String, at now: Duration) -> Bool {
        isHeard = true
        guard !stopped.discards(itemID, at: now) else { return false }
        stopped.isSilent = false
        isUserSpeaking = true
        // The response that was owed will not come any more: the next one answers what is being said now.
        cancelsOwed = false
        awaitsUnwanted = false
        var asked = question ?? OpenQuestion()
        asked.add(itemID)
        asked.isBegun = false
        question = asked
        return true
    }

    /// - Returns: whether a turn is over that is wanted.
    mutating func speechStopped(at now: Duration) -> Bool {
        isHeard = false
        if stopped.isDiscarding {
            stopped.isDiscarding = false
            // The service knows nothing of "stop": it will answer.
            expectUnwanted()
        }
        guard isUserSpeaking else { return false }
        isUserSpeaking = false
        owesResponse = true
        begin(at: now)
        return true
    }

    /// The end of his speech was lost.
    mutating func speechTimedOut() {
        isHeard = false
        if isUserSpeaking { question = nil }
        isUserSpeaking = false
    }

    /// A question that was typed.
    /// - Returns: the name of its item, which no session knows.
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

    /// Whether the service hears the user, where that has changed since it was last asked.
    mutating func takeChangeOfHearing() -> Bool? {
        guard isHeard != reportedHearing else { return nil }
        reportedHearing = isHeard
        return isHeard
    }

    // MARK: Its response

    /// - Parameters:
    ///   - isOurs: it is the one that we asked for.
    ///   - isSilenced: it was silenced before it began.
    ///   - isNamed: the service says whose it is.
    /// - Returns: whether it was owed to the user's turn, and whether nobody wants it.
    mutating func responseBegan(isOurs: Bool, isSilenced: Bool, isNamed: Bool) -> (wasOwed: Bool, isUnwanted: Bool) {
        let wasOwed = owesResponse
        owesResponse = false
        unanswered = 0
        // Where the service does not say whose it is, it may be the one that nobody wants.
        let isOwed = !isOurs || !isNamed
        let isOfStopped = stopped.isSilent && !isOurs
        // A response that we asked for may begin when the user does: two would speak at once.
        let isUnwanted = isOurs && (isSilenced || isUserSpeaking) || cancelsOwed && isOwed || isOfStopped
        if !isOurs || isOwed && !isSilenced {
            cancelsOwed = false
            awaitsUnwanted = false
        }
        return (wasOwed, isUnwanted)
    }

    /// Something is said in reply.
    mutating func answerBegan() { question?.isBegun = true }

    /// A response was completed.
    mutating func answered() {
        failures = 0
        brokenTurns = 0
        if isIdle { question = nil }
    }

    /// Nobody waits for an answer, or something else stands for it.
    mutating func forgetQuestion() { question = nil }

    /// The service heard a turn and made no response of it, noise perhaps.
    mutating func responseNeverCame() {
        owesResponse = false
        awaitsUnwanted = false
        question = nil
    }

    /// The service did not answer our request for a response.
    /// - Returns: whether that has happened too often.
    mutating func requestFailed() -> Bool {
        unanswered += 1
        return unanswered >= Self.patience
    }

    /// - Parameters:
    ///   - pause: before a response is asked for again.
    ///   - limitedPause: the same where the service had too much of us; twice that the second time.
    mutating func responseFailed(_ failure: ErrorClass, pause: Duration, limitedPause: Duration) -> Retry {
        failures += 1
        guard failures > (failure == .limited ? 2 : 1) else {
            retryAfter = failure == .limited ? limitedPause * failures : pause
            return .again
        }
        question = nil
        guard failure != .limited else { return .givenUp }
        brokenTurns += 1
        guard brokenTurns >= 2 else { return .givenUp }
        brokenTurns = 0
        return .broken
    }

    /// A response may be asked for again.
    mutating func retryIsDue() { retryAfter = nil }

    /// - Returns: the report of the turn, where there was anything to it.
    mutating func end() -> TurnReport? {
        defer { clock = nil }
        guard let clock, clock.report.calls > 0 || clock.hadVoice else { return nil }
        return clock.report
    }

    // MARK: Taking it back

    /// Nothing is said to its end.
    /// - Parameter inSession: whether the service will still answer what was asked.
    mutating func silenced(inSession: Bool) {
        if inSession, owesResponse { expectUnwanted() }
        retryAfter = nil
        clock?.interrupted()
        owesResponse = false
    }

    /// The service will answer though nobody wants it.
    private mutating func expectUnwanted() {
        cancelsOwed = true
        awaitsUnwanted = true
    }

    /// "Stop": whatever is being said to us, or was said and not answered, has not been said.
    ///
    /// - Parameters:
    ///   - isSpoken: the word itself may still reach the service.
    ///   - inSession: there is a session that may know of it.
    mutating func takeBack(isSpoken: Bool, inSession: Bool, at now: Duration) -> TakenBack {
        var taken = TakenBack()
        if let question, !question.isBegun { taken.items = question.items }
        let isMidSpeech = isUserSpeaking
        isUserSpeaking = false
        question = nil
        guard inSession else { return taken }
        taken.isHeard = isHeard
        stopped.begin(isHeard: isHeard, isSpoken: isSpoken, at: now)
        // One that is being spoken is no item yet.
        if isMidSpeech { stopped.itemID = taken.items.last }
        taken.deleted = taken.items.filter { $0 != stopped.itemID }
        return taken
    }

    /// Nothing more comes of these responses: their calls are not made.
    mutating func stop(responses: [String]) {
        for responseID in responses { stopped.add(responseID) }
    }

    func isStopped(response responseID: String) -> Bool { stopped.responses.contains(responseID) }

    /// What the service heard has become an item.
    /// - Returns: whether it is the one that was stopped in its midst.
    mutating func committed(_ itemID: String) -> Bool {
        guard !itemID.isEmpty, itemID == stopped.itemID else { return false }
        stopped.itemID = nil
        return true
    }

    // MARK: The end of a session

    /// The conversation ends on purpose: nothing is lost.
    mutating func abandon() {
        isUserSpeaking = false
        question = nil
    }

    /// Something was said that nobody has heard.
    mutating func missedSpeech() { question = question ?? OpenQuestion() }

    /// The session takes with it what the user said last: keeps the words where they are known.
    /// - Returns: the question, where it is lost now.
    mutating func sessionEnded(_ memory: TurnMemory, at now: Duration) -> OpenQuestion? {
        let lost = loseQuestion(memory, at: now)
        isUserSpeaking = false
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
        lost.text = isUserSpeaking || lost.isBegun ? nil : lost.text ?? memory.words(of: lost.items)
        question = lost
        return lost
    }

    /// A session is ready to be told of the question that was lost.
    /// - Parameter limit: how long it is worth asking again.
    mutating func takeLostQuestion(within limit: Duration, at now: Duration) -> LostQuestion {
        guard let lostAt = question?.lostAt else { return .none }
        guard let text = question?.text, now - lostAt <= limit else {
            question = nil
            return .unknown
        }
        question?.lostAt = nil
        return .known(text)
    }

    // MARK: What always holds

    /// What does not hold, though it always should.
    var brokenInvariants: [String] {
        var broken: [String] = []
        if isUserSpeaking, !isHeard { broken.append("the user speaks unheard") }
        if awaitsUnwanted, !cancelsOwed { broken.append("a response is waited for and would not be turned away") }
        return broken
    }
}

/// What the user has asked and not been answered: all of it that would be gone with the session.
struct OpenQuestion: Equatable, Sendable {
    /// Items of the user's speech, oldest first; a turn that is spoken over leads to a second.
    private(set) var items: [String] = []
    /// Its words, once the session that heard it is gone.
    var text: String?
    /// Something was said in reply already, though not all.
    var isBegun = false
    /// When its session ended.
    var lostAt: Duration?

    private static let limit = 8

    mutating func add(_ itemID: String) {
        guard !itemID.isEmpty, !items.contains(itemID) else { return }
        items.append(itemID)
        if items.count > Self.limit { items.removeFirst() }
    }
}

/// What "stop" has taken back and may still come of it.
private struct StoppedTurn: Equatable, Sendable {
    /// The turn that the service hears, or has just heard, is not to be answered.
    var isDiscarding = false
    /// Its item, to be taken out of the conversation once it is in there.
    var itemID: String?
    /// Nobody has spoken since: a response that was not asked for since then belongs to what was stopped, however late.
    var isSilent = false
    /// Responses whose calls are not made.
    private(set) var responses: [String] = []
    /// Speech that begins before belongs to what was stopped: its rest, or the word itself.
    private var deafUntil: Duration?

    /// A clear that is on its way to the service and the beginning of speech that is on its way from it cross within this
    /// time; so do the stop word, found here, and its speech, found there.
    private static let restOfSpeech = Duration.seconds(1)
    /// Speech that had begun before, and is on its way from the service when a key is pressed.
    private static let speechOnItsWay = Duration.milliseconds(300)
    private static let limit = 32

    mutating func begin(isHeard: Bool, isSpoken: Bool, at now: Duration) {
        isSilent = true
        if isHeard { isDiscarding = true }
        deafUntil = now + (isHeard || isSpoken ? Self.restOfSpeech : Self.speechOnItsWay)
    }

    /// - Returns: whether this speech is the rest of what was stopped.
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
