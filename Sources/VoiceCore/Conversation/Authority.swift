/// Tracks whether the user's words authorise what the model does.
///
/// The first response to a turn has the authority of the user's words. A response that has seen the output of a tool has
/// less, because outside text came in between. A response to a notice, to news or to nothing has none. Only a turn that began
/// after a question of the agent was heard can answer that question, and each turn answers one question.
///
///     asked --> delivered --> a response asks it --> heard, or interrupted --> the user's next turn answers it
///                                    ^                                   |
///                                    +--- read again <-- overtaken <-----+  other speech followed the question
///
/// A yes answers the latest speech. Once an announcement, another question or an answer has sounded after a question, later
/// turns no longer answer the question until it is read again.
///
/// A question counts as heard by the samples that were played of the response that asks it. A response that was played to
/// its end must have lasted at least half as long as saying the question fast. An interrupted response must have been played
/// beyond its half, and a short one to its end. A response that asks several questions must be long enough for all of them
/// and be played to its end, because the order of the questions in it is unknown.
///
/// A pure value, updated by the conversation machine.
package struct Authority: Equatable, Sendable {
    /// Why a response was requested.
    package enum Purpose: Equatable, Sendable {
        /// The user's turn, which no response has fully answered yet.
        case turn
        /// The outputs of calls.
        case outputs
        /// A notice, an announcement or news, which the user did not request.
        case remark
        /// A remark that asks the agent's question with this number again.
        case prompt(Int)
    }

    /// The origin of a response, or of a call in it.
    private enum Ground: Equatable, Sendable {
        case nobody
        /// The user's turn with this number, and text of this program.
        case words(Int)
        /// The user's turn with this number, after outside text.
        case turn(Int)

        /// The same ground once outside text was read.
        var tainted: Ground {
            if case .words(let turn) = self { .turn(turn) } else { self }
        }

        /// The number of the user's turn; nil if there is none.
        var turn: Int? {
            switch self {
            case .nobody: nil
            case .turn(let turn), .words(let turn): turn
            }
        }

        var rank: (Int, Int) {
            switch self {
            case .nobody: (0, 0)
            case .turn(let turn): (1, turn)
            case .words(let turn): (2, turn)
            }
        }
    }

    private struct Response: Equatable, Sendable {
        var id: String
        var ground: Ground
        /// Speech played by the loudspeaker and speech received, in ms.
        var heard = 0
        var received = 0
        /// All of its speech has been received.
        var isWhole = false
        /// The response was played to its end, and another followed.
        var isPlayed = false
        /// Number of turns that had begun when the response was cut short.
        var cutAfter: Int?
        /// The response may ask a question: it was requested, or answers a turn.
        var mayAsk = false
    }

    private struct Call: Equatable, Sendable {
        var id: String
        var ground: Ground
        /// Origin of the call's output; nil until there is one.
        var origin: OutputOrigin?
        /// The turn whose answer the call carries, while the call runs.
        var spends: Int?
    }

    private struct Prompt: Equatable, Sendable {
        var number: Int
        var callID: String
        /// Responses that ask the question since it was last overtaken.
        var responses: [String] = []
        /// Number of turns that had begun when the question was heard, and the time.
        var heardAfter: Int?
        var heardAt = Duration.zero
        /// Number of turns that had begun when other speech followed the question; nil if none did. Later turns do not answer
        /// the question.
        var overtakenAfter: Int?

        /// Whether the turn with this number may answer the question.
        func isAnswered(by turn: Int) -> Bool {
            guard let heardAfter, heardAfter < turn else { return false }
            return overtakenAfter.map { turn <= $0 } ?? true
        }
    }

    /// A turn of the user, and when it began.
    private struct Turn: Equatable, Sendable {
        var number = 0
        var began = Duration.zero
        /// This machine's microphone heard no voice during the turn.
        var isSilent = false
        /// The turn may give a permission: it was spoken, or typed by a user who may approve.
        var mayApprove = true
    }

    /// How much of a question must be played before the next turn can answer it, in ms.
    enum Heard {
        /// The shortest speech that can be understood.
        static let least = 500
        /// A shorter response must be played whole, except for the end of its last word (`end`).
        static let short = 1500
        static let end = 100
        /// Time for a character (Unicode scalar) of very fast speech, and for the longest question that is read aloud.
        static let character = 40
        static let longest = 20_000
    }

    /// How long a turn waits for its response. A later one is no longer wanted.
    static let longestWait = Duration.seconds(120)
    private static let kept = 32

    /// Number of the user's turns so far, and the latest turn.
    private var begun = 0
    private var latest = Turn()
    /// The latest turn, from its end until a response has fully answered it; and the time of its end.
    private var waiting: Int?
    private var waitingSince = Duration.zero
    /// The item of the current turn, and the items that the service has committed. An item that is committed again answers
    /// nothing.
    private var item = ""
    private var committed: [String] = []
    /// The latest turn that the service has committed, or that was typed.
    private var committedTurn = Turn()
    /// The latest turn that has answered a question, or whose answer a running call carries.
    private var used = 0
    /// The latest turn with a call that returned outside text.
    private var tainted = 0
    private var requested: Purpose?
    private var responses: [Response] = []
    private var calls: [Call] = []
    private var prompts: [Prompt] = []
    /// Number of characters of each prompt that the user has to hear.
    private var lengths: [Length] = []
    /// How long the agent waits for an answer.
    private let promptLimit: Duration

    private struct Length: Equatable, Sendable {
        var number: Int
        var characters: Int
    }

    /// - Parameter promptLimit: how long the agent waits for an answer.
    package init(promptLimit: Duration) {
        self.promptLimit = promptLimit
    }

    // MARK: The user

    /// The user begins to speak; `itemID` names the turn.
    package mutating func turnBegan(_ itemID: String, at now: Duration) {
        begun += 1
        latest = Turn(number: begun, began: now)
        waiting = nil
        item = itemID
    }

    /// The service added the turn to the conversation.
    package mutating func turnCommitted(_ itemID: String) {
        guard !itemID.isEmpty, itemID == item, !committed.contains(itemID) else { return }
        Self.keep(itemID, in: &committed)
        committedTurn = latest
    }

    /// The microphone of this machine heard no voice in the turn with this item. Reported before the service commits the
    /// turn; a turn that was committed earlier is not changed.
    package mutating func turnWasSilent(_ itemID: String) {
        if itemID == item { latest.isSilent = true }
    }

    /// The turn is over, and a response to it is on its way.
    package mutating func turnEnded(at now: Duration) {
        waiting = begun
        waitingSince = now
    }

    /// The user typed a question instead of speaking.
    ///
    /// - Parameter mayApprove: whether the typed text may give a permission, which otherwise must be spoken.
    package mutating func turnWritten(mayApprove: Bool, at now: Duration) {
        turnBegan("", at: now)
        latest.mayApprove = mayApprove
        committedTurn = latest
        turnEnded(at: now)
    }

    /// The user withdrew the request: responses to it have no authority.
    package mutating func withdrawn() {
        waiting = nil
        for index in responses.indices { responses[index].ground = .nobody }
        for index in calls.indices { calls[index].ground = .nobody }
    }

    // MARK: Responses

    package mutating func requested(_ purpose: Purpose) { requested = purpose }

    /// - Parameters:
    ///   - isOurs: whether this is the requested response.
    ///   - telling: calls whose outputs this response sees for the first time.
    package mutating func began(_ id: String, isOurs: Bool, telling: Set<String>, at now: Duration) {
        if now - waitingSince > Self.longestWait { waiting = nil }
        let purpose = isOurs ? requested : nil
        if isOurs { requested = nil }
        let reported = calls.filter { telling.contains($0.id) }
        var response = Response(id: id, ground: .nobody)
        var isOfTurn = false
        switch purpose {
        case .remark, .prompt: break
        case .outputs: follow(reported, &response)
        case .turn, nil:
            // A repeated response has seen the outputs of the first attempt's calls.
            if let waiting {
                isOfTurn = true
                response.ground = waiting == tainted ? .turn(waiting) : .words(waiting)
            } else {
                follow(reported, &response)
            }
        }
        response.mayAsk = purpose != nil || response.ground.turn != nil
        Self.keep(response, in: &responses)
        for index in prompts.indices where telling.contains(prompts[index].callID) {
            Self.keep(id, in: &prompts[index].responses)
        }
        if case .prompt(let number) = purpose { asksAgain(number, by: id) }
        if isOfTurn { mayRetell(id) }
    }

    /// If the user interrupts a question too early, the next response repeats it.
    ///
    /// A hostile model gains nothing: its first response could already have said anything. The repetition must be as long and
    /// be played as far, and the yes must come in a later turn.
    private mutating func mayRetell(_ id: String) {
        guard let index = prompts.indices.last, prompts[index].heardAfter == nil, !prompts[index].responses.isEmpty,
            !prompts[index].responses.contains(id)
        else { return }
        Self.keep(id, in: &prompts[index].responses)
    }

    private mutating func asksAgain(_ number: Int, by responseID: String) {
        if let index = prompts.lastIndex(where: { $0.number == number }) {
            Self.keep(responseID, in: &prompts[index].responses)
        } else {
            Self.keep(Prompt(number: number, callID: "", responses: [responseID]), in: &prompts)
        }
    }

    private func follow(_ reported: [Call], _ response: inout Response) {
        let best = reported.max { $0.ground.rank < $1.ground.rank }
        let isOwn = reported.allSatisfy { $0.origin == .own }
        response.ground = best.map { isOwn ? $0.ground : $0.ground.tainted } ?? .nobody
    }

    /// All of the response was received.
    package mutating func completed(_ id: String) {
        for index in responses.indices where responses[index].id == id { responses[index].isWhole = true }
        if let waiting, responses.contains(where: { $0.id == id && $0.ground.turn == waiting }) {
            self.waiting = nil
        }
    }

    /// The response has ended: a call that names it later has no authority.
    ///
    /// - Parameter isTriedAgain: whether the user's turn may still get another response.
    package mutating func ended(_ id: String, isTriedAgain: Bool) {
        for index in responses.indices where responses[index].id == id {
            if let waiting, responses[index].ground.turn == waiting, !isTriedAgain { self.waiting = nil }
            responses[index].ground = .nobody
        }
    }

    /// How much of the response was played and how much was received, in ms.
    package mutating func sounded(_ id: String, heard: Int, received: Int, at now: Duration) {
        guard let index = responses.lastIndex(where: { $0.id == id }) else { return }
        responses[index].heard = max(0, heard)
        responses[index].received = max(responses[index].heard, received)
        if heard > 0 { audible(id) }
        // The figures of a response that was cut short arrive after the cut.
        if let turns = responses[index].cutAfter { return noteHeard(responses[index], before: turns, at: now) }
        // If several responses follow each other without a pause, only the last is reported to `played`.
        let isAtEnd = responses[index].isWhole && heard > 0 && heard >= received
        if isAtEnd, !responses[index].isPlayed {
            responses[index].isPlayed = true
            noteHeard(responses[index], before: begun, at: now)
        }
    }

    /// All received audio of the response was played.
    package mutating func played(_ id: String, at now: Duration) {
        guard let response = responses.last(where: { $0.id == id }), response.isWhole else { return }
        noteHeard(response, before: begun, at: now)
    }

    /// The response was cut short; `sounded` reports where.
    package mutating func interrupted(_ id: String) {
        for index in responses.indices where responses[index].id == id {
            responses[index].cutAfter = responses[index].cutAfter ?? begun
        }
    }

    // MARK: Speech after a question

    /// The response becomes audible.
    package mutating func audible(_ id: String) {
        guard let place = responses.lastIndex(where: { $0.id == id }), responses[place].mayAsk else { return }
        let turns = responses[place].cutAfter ?? begun
        for index in prompts.indices {
            let telling = prompts[index].responses
            let asked = responses.lastIndex { telling.contains($0.id) } ?? -1
            if !telling.contains(id), place > asked { overtake(index, after: turns) }
        }
    }

    /// The local voice speaks.
    package mutating func boxSpoke() {
        for index in prompts.indices { overtake(index, after: begun) }
    }

    /// The response only reminds the user of the open question.
    package mutating func reminds(_ id: String) {
        for index in responses.indices where responses[index].id == id { responses[index].mayAsk = false }
    }

    /// Whether this question must be read again before a turn can answer it.
    package func isOvertaken(_ prompt: Int) -> Bool {
        prompts.last { $0.number == prompt }?.overtakenAfter != nil
    }

    private mutating func overtake(_ index: Int, after turns: Int) {
        guard !prompts[index].responses.isEmpty else { return }
        prompts[index].responses = []
        prompts[index].overtakenAfter = min(prompts[index].overtakenAfter ?? turns, turns)
    }

    // MARK: Heard questions

    private mutating func noteHeard(_ response: Response, before turns: Int, at now: Duration) {
        for index in prompts.indices where prompts[index].responses.contains(response.id) {
            guard response.heard >= needed(of: response) else { continue }
            let isAgain = prompts[index].overtakenAfter != nil
            prompts[index].heardAfter = isAgain ? turns : prompts[index].heardAfter ?? turns
            prompts[index].overtakenAfter = nil
            prompts[index].heardAt = now
        }
    }

    /// Milliseconds of the response that must be played before its questions can be answered.
    private func needed(of response: Response) -> Int {
        let asked = Set(prompts.lazy.filter { $0.responses.contains(response.id) }.map(\.number))
        let characters = asked.reduce(0) { sum, prompt in
            sum + (lengths.last { $0.number == prompt }?.characters ?? 0)
        }
        let text = min(characters * Heard.character, Heard.longest)
        let least = max(Heard.least, text / 2)
        guard response.cutAfter != nil else { return least }
        let whole = response.isWhole ? response.received : max(response.received, text)
        return max(least, whole <= Heard.short || asked.count > 1 ? whole - Heard.end : max(Heard.short, whole / 2))
    }

    /// The agent asks the question with this number. The user has to hear `characters` Unicode scalars of it.
    package mutating func asks(_ prompt: Int, characters: Int) {
        Self.keep(Length(number: prompt, characters: min(max(0, characters), 1 << 20)), in: &lengths)
    }

    /// The session is over: its responses get no further audio.
    package mutating func sessionEnded() {
        waiting = nil
        requested = nil
        // The next session may reuse item names.
        item = ""
        committed = []
    }

    /// The user's last words were repeated in the next session.
    package mutating func askedAgain(at now: Duration) {
        waiting = begun > 0 ? begun : nil
        waitingSince = now
    }

    // MARK: Calls

    /// What a call of this response may do. A call that carries an answer uses the turn up, unless the call was not carried
    /// out. While such a call runs, no other call of the turn carries an answer.
    package mutating func authority(of call: FunctionCall, in responseID: String) -> CallAuthority {
        let response = responses.last { $0.id == responseID }
        let ground = response?.ground ?? .nobody
        var known = Call(id: call.callID, ground: ground)
        defer { Self.keep(known, in: &calls) }
        switch ground {
        case .nobody: return .nobody
        case .turn: return CallAuthority(.turn)
        case .words(let turn):
            guard let tool = AnswerTool(rawValue: call.name) else { return CallAuthority(.words) }
            let prompt = prompts.last { $0.isAnswered(by: turn) }
            guard committedTurn.mayApprove || tool == .answerQuestion else {
                return CallAuthority(.words)
            }
            guard let prompt, turn > used, turn == begun, turn == committedTurn.number, !committedTurn.isSilent,
                committedTurn.began - prompt.heardAt <= promptLimit
            else { return CallAuthority(.words) }
            used = turn
            known.spends = turn
            return CallAuthority(.words, prompt: prompt.number)
        }
    }

    /// - Parameters:
    ///   - origin: origin of the call's output.
    ///   - isCarriedOut: false if the call certainly had no effect: another call may still carry the user's answer.
    package mutating func answered(_ callID: String, _ origin: OutputOrigin, isCarriedOut: Bool = true) {
        guard let index = calls.lastIndex(where: { $0.id == callID }) else {
            // A forgotten call may belong to any turn.
            if origin != .own { tainted = begun }
            return
        }
        if origin != .own, let turn = calls[index].ground.turn { tainted = max(tainted, turn) }
        if let turn = calls[index].spends, turn == used, !isCarriedOut { used = turn - 1 }
        calls[index].spends = nil
        calls[index].origin = origin
        if case .prompt(let number) = origin { Self.keep(Prompt(number: number, callID: callID), in: &prompts) }
    }

    /// A later session received the call's output under another id.
    package mutating func repeated(_ callID: String, as newID: String) {
        for index in calls.indices where calls[index].id == callID { calls[index].id = newID }
        for index in prompts.indices where prompts[index].callID == callID { prompts[index].callID = newID }
    }

    /// Keeps the latest `kept` elements: a forgotten one has no authority.
    private static func keep<Kept>(_ one: Kept, in all: inout [Kept]) {
        all.append(one)
        if all.count > kept { all.removeFirst(all.count - kept) }
    }
}
