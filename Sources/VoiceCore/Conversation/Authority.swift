/// Tracks whose word is behind the model's actions.
///
/// A response may act for the user as far as it answers the user: the first response to a turn, with the user's words
/// alone; one that has seen the output of a tool, with outside text in between; one to a notice, to news or to nothing, not
/// at all. An answer to a question of the agent takes a turn that began after the question was heard, and each turn gives
/// one.
///
///     asked --> delivered --> a response asks it --> heard, or interrupted --> the user's next turn answers it
///                                    ^                                   |
///                                    +--- read again <-- overtaken <-----+  anything else was said after it
///
/// A yes belongs to what was said last. Once an announcement, another question or an answer has sounded after a question,
/// later turns no longer answer the question until it is read again.
///
/// Heard is what was played of it, in samples: a response that was played to its end took at least half as long as saying
/// the question fast; one that was interrupted got beyond its half, or to its end where it is short. One that tells
/// several questions has room for the words of all, and is heard to its end: nobody knows which its first half was.
///
/// A pure value, fed by the machine.
package struct Authority: Equatable, Sendable {
    /// Why a response was requested.
    package enum Purpose: Equatable, Sendable {
        /// The user's turn, not yet fully answered by a response.
        case turn
        /// Outputs of calls.
        case outputs
        /// A notice, an announcement, news: no request of the user.
        case remark
        /// The same, and the agent's question under this number is asked again.
        case prompt(Int)
    }

    /// The origin of a response, or of a call in it.
    private enum Ground: Equatable, Sendable {
        case nobody
        /// The user's turn of this number, and texts of this program.
        case words(Int)
        /// That turn, through outside text.
        case turn(Int)

        /// The ground after outside text.
        var tainted: Ground {
            if case .words(let turn) = self { .turn(turn) } else { self }
        }

        /// The user's turn behind it; nil for nobody.
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
        /// Milliseconds that have left the loudspeaker, and milliseconds received.
        var heard = 0
        var received = 0
        /// All of its speech has been received.
        var isWhole = false
        /// It was played to its end with another one behind it.
        var isPlayed = false
        /// Turns that had begun when it was cut short.
        var cutAfter: Int?
        /// It may hold a question of its own: it was requested, or answers a turn.
        var mayAsk = false
    }

    private struct Call: Equatable, Sendable {
        var id: String
        var ground: Ground
        /// Of its output; nil before there is one.
        var origin: OutputOrigin?
        /// The turn that it carries an answer of, as long as it is out.
        var spends: Int?
    }

    private struct Prompt: Equatable, Sendable {
        var number: Int
        var callID: String
        /// Responses that tell it, since it was last overtaken.
        var responses: [String] = []
        /// Turns that had begun when it was heard, and when that was.
        var heardAfter: Int?
        var heardAt = Duration.zero
        /// Turns that had begun when something else was said after it; nil while nothing was. Later turns do not answer it.
        var overtakenAfter: Int?

        /// Whether a turn with this number may answer it.
        func isAnswered(by turn: Int) -> Bool {
            guard let heardAfter, heardAfter < turn else { return false }
            return overtakenAfter.map { turn <= $0 } ?? true
        }
    }

    /// A person's turn, and when it began.
    private struct Turn: Equatable, Sendable {
        var number = 0
        var began = Duration.zero
        /// Nobody was heard to speak in it on this machine, as far as it can tell.
        var isSilent = false
        /// It may give a permission: it was spoken, or written by those who may.
        var mayApprove = true
    }

    /// How much of a question the user has to hear before the next words can be an answer, in ms.
    enum Heard {
        /// Nothing shorter than this can be understood.
        static let least = 500
        /// What is shorter is heard whole, but for the last word's end.
        static let short = 1500
        static let end = 100
        /// Of a character (Unicode scalar), said faster than anybody speaks; and of the longest question that is read out.
        static let character = 40
        static let longest = 20_000
    }

    /// How long a turn waits for its response. Nobody wants a later one.
    static let longestWait = Duration.seconds(120)
    private static let kept = 32

    /// Turns of the user so far, and the last one.
    private var begun = 0
    private var latest = Turn()
    /// The last one, once it is finished and until a response has answered it to its end; and since when.
    private var waiting: Int?
    private var waitingSince = Duration.zero
    /// The item of the turn at hand, and those that the service has taken as spoken. One that comes again answers nothing.
    private var item = ""
    private var committed: [String] = []
    /// The last turn that the service has taken as spoken, or that was written.
    private var committedTurn = Turn()
    /// The last turn that has answered something, or is about to: a call that carries its answer is out.
    private var used = 0
    /// The last turn with a call that brought text from outside.
    private var tainted = 0
    private var requested: Purpose?
    private var responses: [Response] = []
    private var calls: [Call] = []
    private var prompts: [Prompt] = []
    /// Characters of what the user has to hear of a prompt.
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

    /// The user begins to speak; the turn has this item.
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

    /// The turn of this item is about to be taken as spoken, but the microphone of this machine has heard nobody in it.
    /// A turn that was taken before stays what it was.
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
    /// - Parameter mayApprove: whether it may give a permission, which otherwise takes a voice.
    package mutating func turnWritten(mayApprove: Bool, at now: Duration) {
        turnBegan("", at: now)
        latest.mayApprove = mayApprove
        committedTurn = latest
        turnEnded(at: now)
    }

    /// The user took back the request: responses still to come act for nobody.
    package mutating func withdrawn() {
        waiting = nil
        for index in responses.indices { responses[index].ground = .nobody }
        for index in calls.indices { calls[index].ground = .nobody }
    }

    // MARK: Responses

    package mutating func requested(_ purpose: Purpose) { requested = purpose }

    /// - Parameters:
    ///   - isOurs: whether it is the requested one.
    ///   - telling: calls whose outputs it sees for the first time.
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
            // What is tried again has seen what the calls of the first try brought.
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

    /// Who spoke into a question before he had heard enough of it is told it again, in the answer to his turn.
    ///
    /// A hostile model gains nothing: it may say what it likes in the first telling already. This one has to last as long,
    /// to be played as far, and the yes has to come in a later turn.
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

    /// It has come in as a whole.
    package mutating func completed(_ id: String) {
        for index in responses.indices where responses[index].id == id { responses[index].isWhole = true }
        if let waiting, responses.contains(where: { $0.id == id && $0.ground.turn == waiting }) {
            self.waiting = nil
        }
    }

    /// Nothing more comes of it: a call that names it later is nobody's wish.
    ///
    /// - Parameter isTriedAgain: whether the user's turn may still get another response.
    package mutating func ended(_ id: String, isTriedAgain: Bool) {
        for index in responses.indices where responses[index].id == id {
            if let waiting, responses[index].ground.turn == waiting, !isTriedAgain { self.waiting = nil }
            responses[index].ground = .nobody
        }
    }

    /// How much of it has left the loudspeaker, and how much was received, in ms.
    package mutating func sounded(_ id: String, heard: Int, received: Int, at now: Duration) {
        guard let index = responses.lastIndex(where: { $0.id == id }) else { return }
        responses[index].heard = max(0, heard)
        responses[index].received = max(responses[index].heard, received)
        if heard > 0 { audible(id) }
        // The account of what was cut comes after the cut.
        if let turns = responses[index].cutAfter { return noteHeard(responses[index], before: turns, at: now) }
        // Of several that sound one behind the other, `played` is told of the last one alone.
        let isAtEnd = responses[index].isWhole && heard > 0 && heard >= received
        if isAtEnd, !responses[index].isPlayed {
            responses[index].isPlayed = true
            noteHeard(responses[index], before: begun, at: now)
        }
    }

    /// All received audio of it was played.
    package mutating func played(_ id: String, at now: Duration) {
        guard let response = responses.last(where: { $0.id == id }), response.isWhole else { return }
        noteHeard(response, before: begun, at: now)
    }

    /// It was cut short; `sounded` will report where.
    package mutating func interrupted(_ id: String) {
        for index in responses.indices where responses[index].id == id {
            responses[index].cutAfter = responses[index].cutAfter ?? begun
        }
    }

    // MARK: What is said after a question

    /// The response is heard.
    package mutating func audible(_ id: String) {
        guard let place = responses.lastIndex(where: { $0.id == id }), responses[place].mayAsk else { return }
        let turns = responses[place].cutAfter ?? begun
        for index in prompts.indices {
            let telling = prompts[index].responses
            let asked = responses.lastIndex { telling.contains($0.id) } ?? -1
            if !telling.contains(id), place > asked { overtake(index, after: turns) }
        }
    }

    /// The box says something with its own voice.
    package mutating func boxSpoke() {
        for index in prompts.indices { overtake(index, after: begun) }
    }

    /// The response only reminds the user of the open question.
    package mutating func reminds(_ id: String) {
        for index in responses.indices where responses[index].id == id { responses[index].mayAsk = false }
    }

    /// Whether this question has to be read again before a turn can answer it.
    package func isOvertaken(_ prompt: Int) -> Bool {
        prompts.last { $0.number == prompt }?.overtakenAfter != nil
    }

    private mutating func overtake(_ index: Int, after turns: Int) {
        guard !prompts[index].responses.isEmpty else { return }
        prompts[index].responses = []
        prompts[index].overtakenAfter = min(prompts[index].overtakenAfter ?? turns, turns)
    }

    // MARK: What was heard

    private mutating func noteHeard(_ response: Response, before turns: Int, at now: Duration) {
        for index in prompts.indices where prompts[index].responses.contains(response.id) {
            guard response.heard >= needed(of: response) else { continue }
            let isAgain = prompts[index].overtakenAfter != nil
            prompts[index].heardAfter = isAgain ? turns : prompts[index].heardAfter ?? turns
            prompts[index].overtakenAfter = nil
            prompts[index].heardAt = now
        }
    }

    /// Milliseconds of the response that have to be heard before what it tells can be answered.
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

    /// The agent asks under this number; the user has to hear so many characters (Unicode scalars) to know what.
    package mutating func asks(_ prompt: Int, characters: Int) {
        Self.keep(Length(number: prompt, characters: min(max(0, characters), 1 << 20)), in: &lengths)
    }

    /// The session is over: its responses get no further audio.
    package mutating func sessionEnded() {
        waiting = nil
        requested = nil
        // Servers may count anew.
        item = ""
        committed = []
    }

    /// The user's last words were repeated in the next session.
    package mutating func askedAgain(at now: Duration) {
        waiting = begun > 0 ? begun : nil
        waitingSince = now
    }

    // MARK: Calls

    /// What a call of this response may do. One that carries an answer uses the turn up, unless it turns out that nothing
    /// of it was carried out; while it is out, no other call of the turn carries one.
    package mutating func authority(of call: FunctionCall, in responseID: String) -> CallAuthority {
        let response = responses.last { $0.id == responseID }
        let ground = response?.ground ?? .nobody
        var known = Call(id: call.callID, ground: ground)
        defer { Self.keep(known, in: &calls) }
        switch ground {
        case .nobody: return .nobody
        case .turn: return CallAuthority(.turn)
        case .words(let turn):
            guard ToolAuthority.needed(by: call.name) == .answer else { return CallAuthority(.words) }
            let prompt = prompts.last { $0.isAnswered(by: turn) }
            guard committedTurn.mayApprove || !ToolAuthority.givesPermission(call.name) else {
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
    ///   - origin: of the call's output.
    ///   - isCarriedOut: false where it is certain that nothing came of the call: what the user said may still be passed on.
    package mutating func answered(_ callID: String, _ origin: OutputOrigin, isCarriedOut: Bool = true) {
        guard let index = calls.lastIndex(where: { $0.id == callID }) else {
            // A call that is forgotten may have been of any turn.
            if origin != .own { tainted = begun }
            return
        }
        if origin != .own, let turn = calls[index].ground.turn { tainted = max(tainted, turn) }
        if let turn = calls[index].spends, turn == used, !isCarriedOut { used = turn - 1 }
        calls[index].spends = nil
        calls[index].origin = origin
        if case .prompt(let number) = origin { Self.keep(Prompt(number: number, callID: callID), in: &prompts) }
    }

    /// A later session was told of an output under another id.
    package mutating func repeated(_ callID: String, as newID: String) {
        for index in calls.indices where calls[index].id == callID { calls[index].id = newID }
        for index in prompts.indices where prompts[index].callID == callID { prompts[index].callID = newID }
    }

    /// The oldest is forgotten, and can do nothing any more.
    private static func keep<Kept>(_ one: Kept, in all: inout [Kept]) {
        all.append(one)
        if all.count > kept { all.removeFirst(all.count - kept) }
    }
}
