/// Whose word stands behind what the model wants done.
///
/// A response may act for the user as far as it answers him: the first one to his turn with his words alone; one that has
/// seen the output of a tool with what came from outside in between; one to a notice, to news or to nothing at all not. An
/// answer to what the agent asked takes a turn that began after the question was heard, and each turn gives one.
///
///     asked --> delivered --> a response tells it --> heard, or interrupted --> the user's next turn answers it
///
/// A pure value, fed by the machine.
package struct Authority: Equatable, Sendable {
    /// Why a response was asked for.
    package enum Purpose: Equatable, Sendable {
        /// The user's turn, which no response has answered to its end.
        case turn
        /// Outputs of calls.
        case outputs
        /// A notice, an announcement, news: nobody's wish.
        case remark
        /// The same, and what the agent has asked under this number is told anew.
        case prompt(Int)
    }

    /// What a response, or a call in it, goes back to.
    private enum Ground: Equatable, Sendable {
        case nobody
        /// The user's turn of this number, and what this program says.
        case words(Int)
        /// That turn, by way of text from outside.
        case turn(Int)

        /// After text from outside.
        var tainted: Ground {
            if case .words(let turn) = self { .turn(turn) } else { self }
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
        /// Responses since the user spoke; a model that calls for ever is nobody's any more.
        var depth = 0
        /// Since when it sounds; nil while it does not.
        var sounds: Duration?
        var hasSounded = false
        /// How long it has sounded before that.
        var played = Duration.zero
        /// All that it says has come in.
        var isWhole = false
    }

    private struct Call: Equatable, Sendable {
        var id: String
        var ground: Ground
        var depth: Int
        var origin = OutputOrigin.outside
    }

    private struct Prompt: Equatable, Sendable {
        var number: Int
        var callID: String
        /// Responses that tell it.
        var responses: [String] = []
        /// Turns that had begun when it was heard.
        var heardAfter: Int?
    }

    /// Of what sounded for less nobody has understood a word, played to its end or interrupted: there is nothing to answer.
    static let leastHeard = Duration.milliseconds(500)
    /// Responses to one turn, each after the outputs of the one before.
    static let deepest = 32
    private static let kept = 32

    /// Turns of the user so far.
    private var begun = 0
    /// The last one, once it is finished and until a response has answered it to its end.
    private var waiting: Int?
    /// The item of the turn at hand, and those that the service has taken as spoken. One that comes again answers nothing.
    private var item = ""
    private var committed: [String] = []
    /// The last turn that the service has taken as spoken, or that was written.
    private var committedTurn = 0
    /// The last turn that has answered something.
    private var used = 0
    private var requested: Purpose?
    private var responses: [Response] = []
    private var calls: [Call] = []
    private var prompts: [Prompt] = []

    package init() {}

    // MARK: The user

    /// The user begins to speak, as this item.
    package mutating func turnBegan(_ itemID: String) {
        begun += 1
        waiting = nil
        item = itemID
    }

    /// The service has taken what he said into the conversation.
    package mutating func turnCommitted(_ itemID: String) {
        guard !itemID.isEmpty, itemID == item, !committed.contains(itemID) else { return }
        Self.keep(itemID, in: &committed)
        committedTurn = begun
    }

    /// His turn is finished, and a response to it is on its way.
    package mutating func turnEnded() { waiting = begun }

    /// A person has written what would else be spoken.
    package mutating func turnWritten() {
        turnBegan("")
        committedTurn = begun
        turnEnded()
    }

    /// He has taken back what he wanted: what is still being made of it is nobody's wish.
    package mutating func withdrawn() {
        waiting = nil
        for index in responses.indices { responses[index].ground = .nobody }
        for index in calls.indices { calls[index].ground = .nobody }
    }

    // MARK: Responses

    package mutating func requested(_ purpose: Purpose) { requested = purpose }

    /// - Parameters:
    ///   - isOurs: whether it is the one that was asked for.
    ///   - telling: calls whose outputs it has seen for the first time.
    package mutating func began(_ id: String, isOurs: Bool, telling: Set<String>) {
        let purpose = isOurs ? requested : nil
        if isOurs { requested = nil }
        let told = calls.filter { telling.contains($0.id) }
        var response = Response(id: id, ground: .nobody)
        switch purpose {
        case .remark, .prompt: break
        case .outputs: follow(told, &response)
        case .turn, nil:
            if let waiting { response.ground = .words(waiting) } else { follow(told, &response) }
        }
        if response.depth > Self.deepest { response.ground = .nobody }
        Self.keep(response, in: &responses)
        for index in prompts.indices where telling.contains(prompts[index].callID) {
            Self.keep(id, in: &prompts[index].responses)
        }
        if case .prompt(let number) = purpose { retold(number, by: id) }
    }

    private mutating func retold(_ number: Int, by responseID: String) {
        if let index = prompts.lastIndex(where: { $0.number == number }) {
            Self.keep(responseID, in: &prompts[index].responses)
        } else {
            Self.keep(Prompt(number: number, callID: "", responses: [responseID]), in: &prompts)
        }
    }

    private func follow(_ told: [Call], _ response: inout Response) {
        let best = told.max { $0.ground.rank < $1.ground.rank }
        let isOwn = told.allSatisfy { $0.origin == .own }
        response.ground = best.map { isOwn ? $0.ground : $0.ground.tainted } ?? .nobody
        response.depth = (told.map(\.depth).max() ?? 0) + 1
    }

    /// It has come in as a whole.
    package mutating func completed(_ id: String) {
        for index in responses.indices where responses[index].id == id { responses[index].isWhole = true }
        if let waiting, responses.contains(where: { $0.id == id && $0.ground == .words(waiting) }) {
            self.waiting = nil
        }
    }

    /// Nothing more comes of it: a call that names it later is nobody's wish.
    ///
    /// - Parameter isTriedAgain: whether the user's turn may still get another one.
    package mutating func ended(_ id: String, isTriedAgain: Bool) {
        for index in responses.indices where responses[index].id == id {
            if case .words(let turn) = responses[index].ground, waiting == turn, !isTriedAgain { waiting = nil }
            responses[index].ground = .nobody
        }
    }

    /// Its first sample is at the loudspeaker.
    package mutating func audible(_ id: String, at now: Duration) {
        guard let index = responses.lastIndex(where: { $0.id == id }), responses[index].sounds == nil else { return }
        drained(at: now)
        responses[index].sounds = now
        responses[index].hasSounded = true
    }

    /// More of it has come in; where it had fallen silent, it sounds again.
    package mutating func received(_ id: String, at now: Duration) {
        if responses.contains(where: { $0.id == id && $0.hasSounded }) { audible(id, at: now) }
    }

    /// The loudspeaker has played all that came in.
    package mutating func drained(at now: Duration) {
        for index in responses.indices { silence(index, at: now) }
    }

    private mutating func silence(_ index: Int, at now: Duration) {
        guard let since = responses[index].sounds else { return }
        responses[index].played += now - since
        responses[index].sounds = nil
    }

    /// What came in of it was played to its last sample.
    package mutating func played(_ id: String) {
        if responses.contains(where: { $0.id == id && $0.isWhole && $0.played >= Self.leastHeard }) { heard(id) }
    }

    /// It was cut short.
    package mutating func interrupted(_ id: String, at now: Duration) {
        guard let index = responses.lastIndex(where: { $0.id == id }) else { return }
        silence(index, at: now)
        if responses[index].played >= Self.leastHeard { heard(id) }
    }

    private mutating func heard(_ id: String) {
        for index in prompts.indices where prompts[index].responses.contains(id) {
            prompts[index].heardAfter = prompts[index].heardAfter ?? begun
        }
    }

    /// The session is over: nothing more comes of its responses.
    package mutating func sessionEnded() {
        waiting = nil
        requested = nil
        // Servers may count anew.
        item = ""
        committed = []
    }

    /// The user's last words were put to the next session.
    package mutating func askedAgain() { waiting = begun > 0 ? begun : nil }

    // MARK: Calls

    /// What a call of this response may do. One that carries an answer uses the turn up.
    package mutating func authority(of call: FunctionCall, in responseID: String) -> CallAuthority {
        let response = responses.last { $0.id == responseID }
        let ground = response?.ground ?? .nobody
        Self.keep(Call(id: call.callID, ground: ground, depth: response?.depth ?? 0), in: &calls)
        switch ground {
        case .nobody: return .nobody
        case .turn: return CallAuthority(.turn)
        case .words(let turn):
            guard ToolAuthority.needed(by: call.name) == .answer else { return CallAuthority(.words) }
            let prompt = prompts.last { $0.heardAfter.map { $0 < turn } ?? false }
            guard let prompt, turn > used, turn == committedTurn else { return CallAuthority(.words) }
            used = turn
            return CallAuthority(.words, prompt: prompt.number)
        }
    }

    /// - Parameter origin: of the call's output.
    package mutating func answered(_ callID: String, _ origin: OutputOrigin) {
        guard let index = calls.lastIndex(where: { $0.id == callID }) else { return }
        calls[index].origin = origin
        if case .prompt(let number) = origin { Self.keep(Prompt(number: number, callID: callID), in: &prompts) }
    }

    /// A later session was told of an output under another id.
    package mutating func retold(_ callID: String, as newID: String) {
        for index in calls.indices where calls[index].id == callID { calls[index].id = newID }
        for index in prompts.indices where prompts[index].callID == callID { prompts[index].callID = newID }
    }

    /// The oldest is forgotten, and can do nothing any more.
    private static func keep<Kept>(_ one: Kept, in all: inout [Kept]) {
        all.append(one)
        if all.count > kept { all.removeFirst(all.count - kept) }
    }
}
