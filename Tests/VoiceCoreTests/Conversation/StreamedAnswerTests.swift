import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceReply

/// An answer that is spoken while the agent writes it, whatever happens meanwhile.
struct StreamedAnswerTests {
    /// What else happens while answers are written and spoken.
    struct Events: CustomTestStringConvertible, Sendable {
        var losses = false
        var users = false
        var orders = false

        static let all = [false, true].flatMap { losses in
            [false, true].flatMap { users in
                [false, true].map { Events(losses: losses, users: users, orders: $0) }
            }
        }

        var testDescription: String { "losses \(losses), coughs and questions \(users), orders \(orders)" }
    }

    /// A world after so many questions and whatever else happens, which has come to rest.
    private static func played(_ seed: UInt64, questions: Int, _ adjust: (inout AnswerWorld) -> Void) -> AnswerWorld {
        var world = AnswerWorld(seed: seed)
        adjust(&world)
        world.open()
        for _ in 0..<questions {
            world.ask()
            for _ in 0..<Int(seed * 7919 % 90) { world.step() }
        }
        let isAtRest = world.comeToRest()
        #expect(isAtRest, "\(seed): \(world.machine.state), \(world.machine.calls)")
        return world
    }

    /// Any order of parts, speech, coughs, orders, questions, lost sessions and ends: no sentence is said twice, none is missing
    /// unless the user has interrupted the answer, and the conversation comes to rest.
    @Test(arguments: Events.all)
    func everySentenceIsSpokenOnce(events: Events) {
        let losses = events.losses
        var outcomes: (lost: Int, cut: Int, said: Int) = (0, 0, 0)
        for seed in UInt64(1)...400 {
            let world = Self.played(seed, questions: 3) {
                $0.hasLosses = losses
                $0.hasUser = events.users
                $0.hasOrders = events.orders
            }
            for sentence in world.written {
                let said = world.said[sentence.text] ?? 0
                #expect(said <= 1, "\(seed): \"\(sentence.text)\" is said \(said) times")
                let isExcused = world.interrupted.contains(sentence.call)
                #expect(said >= 1 || isExcused, "\(seed): \"\(sentence.text)\" is lost")
                outcomes.said += said
            }
            outcomes.lost += world.losses
            outcomes.cut += world.interrupted.count
            #expect(!world.machine.calls.isWaiting, "\(seed): \(world.machine.calls)")
        }
        #expect(outcomes.said > 2000 && (outcomes.lost > 200) == losses, "\(outcomes)")
    }

    /// All events together: answers that come whole and late, sessions that are lost again and again, conversations that end, and
    /// stops. No sentence is said twice, none after a stop, and none is lost unless the user ended its answer, or a line and a
    /// tone tell of the loss.
    @Test(arguments: 0..<4)
    func noSentenceIsRepeatedLostOrSaidAfterStop(part: Int) {
        var outcomes = Outcomes()
        for seed in UInt64(1 + 300 * part)...UInt64(300 + 300 * part) {
            let world = Self.played(seed, questions: 4) {
                ($0.hasUser, $0.hasOrders) = (seed % 2 == 0, seed % 3 == 0)
                ($0.hasLosses, $0.mostLosses, $0.hasLateAnswers) = (true, 4, true)
                ($0.hasStops, $0.hasRestarts) = (seed % 4 != 0, seed % 5 == 0)
            }
            #expect(world.saidAfterStop.isEmpty, "\(seed): \(world.saidAfterStop)")
            for sentence in world.written {
                let said = world.said[sentence.text] ?? 0
                #expect(said <= 1, "\(seed): \"\(sentence.text)\" is said \(said) times")
                let isExcused = world.interrupted.contains(sentence.call)
                #expect(said >= 1 || isExcused, "\(seed): \"\(sentence.text)\" is lost")
                outcomes.said += said
            }
            outcomes.count(world)
        }
        #expect(outcomes.losses > 200 && outcomes.stops > 50 && outcomes.said > 1000, "\(outcomes)")
        #expect(outcomes.restarts > 10 && outcomes.late > 50, "\(outcomes)")
    }

    private struct Outcomes {
        var said = 0
        var losses = 0
        var stops = 0
        var restarts = 0
        var late = 0
        var dropped = 0

        mutating func count(_ world: AnswerWorld) {
            losses += world.losses
            stops += world.stops
            restarts += world.restarts
            late += world.lateAnswers
            dropped += world.dropped
        }
    }

    /// The user has asked, and nothing was answered yet.
    private static func asked() -> AnswerWorld {
        var world = AnswerWorld(seed: 1)
        world.open()
        world.ask()
        world.settle()
        return world
    }

    /// The first sentence of an answer is spoken, and more is to come.
    private static func begun() -> AnswerWorld {
        var world = Self.asked()
        world.says("One is here.", isLast: false)
        world.settle()
        world.speaks()
        return world
    }

    /// The session ends while the first of two sentences is spoken.
    private static func lost(_ finish: (inout AnswerWorld) -> Void) -> AnswerWorld {
        var world = Self.begun()
        world.says("Two is there.", isLast: false)
        world.settle()
        world.lose()
        finish(&world)
        return world
    }

    @Test func unspokenRestContinuesInTheNextSession() {
        var world = Self.lost { $0.says("Three is gone.", isLast: true) }
        let isAtRest = world.comeToRest()
        #expect(isAtRest && world.heard == ["One is here.", "Two is there.", "Three is gone."])
    }

    /// The last words come between two sessions.
    @Test func answerEndingWithoutASessionDoesNotHang() {
        var world = Self.lost { $0.says("", isLast: true) }
        let isAtRest = world.comeToRest()
        #expect(isAtRest && world.heard == ["One is here.", "Two is there."])
        #expect(!world.machine.calls.isWaiting)
    }

    @Test func finishedAnswerIsNotRepeated() {
        var world = Self.begun()
        world.lose()
        world.says("", isLast: true)
        let isAtRest = world.comeToRest()
        #expect(isAtRest && world.heard == ["One is here."])
    }

    /// The answer was complete before any of it was delivered.
    @Test func wholeAnswerContinuesInTheNextSession() {
        var world = Self.asked()
        world.says("One is here. Two is there. Three is gone.", isLast: true)
        world.settle()
        world.speaks()
        // All of the first sentence was received, and not all of the second.
        world.speaks()
        world.speaks()
        world.lose()
        let isAtRest = world.comeToRest()
        #expect(isAtRest && world.heard == ["One is here.", "Two is there.", "Three is gone."], "\(world.heard)")
    }

    /// "Louder" is not answered in words here: nothing else would make the box speak.
    @Test(arguments: [true, false])
    func anAnswerWaitsForAnOrder(isWhole: Bool) {
        var world = Self.asked()
        world.user(.began(at: 2000))
        world.settle()
        world.says("One is here.", isLast: isWhole)
        if !isWhole { world.says("Two is there.", isLast: true) }
        world.settle()
        let order = LocalUtterance(text: "Pause.", steps: 0..<100, isSure: true, isBargeIn: false)
        world.user(.given(order, at: 3000))
        let isAtRest = world.comeToRest()
        #expect(isAtRest && world.heard == ["One is here."] + (isWhole ? [] : ["Two is there."]), "\(world.heard)")
    }

    /// The user had interrupted it, and does not ask for the rest in another session.
    @Test func restOfAnInterruptedAnswerEndsWithItsSession() {
        var world = Self.asked()
        world.says("One is here.", isLast: false)
        world.says("Two is there.", isLast: false)
        world.settle()
        world.speaks()
        world.user(.began(at: 0))
        world.settle()
        world.lose()
        world.says("Three is gone.", isLast: true)
        let isAtRest = world.comeToRest()
        #expect(isAtRest && world.heard == [], "\(world.heard)")
    }

    /// The first of three sentences is spoken, and the answer is complete.
    private static func begunWhole() -> AnswerWorld {
        var world = Self.asked()
        world.says("One is here. Two is there. Three is gone.", isLast: true)
        world.settle()
        world.speaks()
        return world
    }

    @Test func resumedAnswerContinuesInNextSession() {
        var world = Self.begunWhole()
        world.coughs()
        world.speaks()
        world.lose()
        let isAtRest = world.comeToRest()
        #expect(isAtRest && world.heard == ["One is here.", "Two is there.", "Three is gone."], "\(world.heard)")
    }

    /// All sound of the first sentence was received, but the user spoke over its end.
    @Test func repeatedSentenceIsSaidAgainAfterLoss() {
        var world = Self.begunWhole()
        world.speaks()
        world.coughs()
        world.speaks()
        world.lose()
        let isAtRest = world.comeToRest()
        #expect(isAtRest && world.heard == ["One is here.", "Two is there.", "Three is gone."], "\(world.heard)")
    }

    /// One response tells them both.
    @Test func secondResumedAnswerContinuesInNextSession() {
        var world = Self.asked()
        world.ask()
        world.settle()
        world.lose()
        world.says("One is here.", isLast: true)
        world.says("Two is there.", isLast: true)
        world.wait(.seconds(30))
        world.speaks()
        world.coughs()
        world.speaks()
        world.lose()
        let isAtRest = world.comeToRest()
        #expect(isAtRest && world.heard == ["One is here.", "Two is there."], "\(world.heard)")
    }

    /// "Go on" continues it although the volume was changed in between.
    @Test func answerAfterGoOnContinuesInNextSession() {
        var world = Self.begunWhole()
        world.orders("Louder.")
        for _ in 0..<3 {
            world.speaks()
            world.settle()
        }
        world.orders("Go on.")
        world.speaks()
        world.lose()
        let isAtRest = world.comeToRest()
        let answer = world.heard.filter { !$0.contains("volume") }
        #expect(isAtRest && answer == ["One is here.", "Two is there.", "Three is gone."], "\(world.heard)")
    }

    /// How much was heard of it is reported only after the user has said "stop", or has asked something else.
    @Test(arguments: [true, false])
    func coughResumesNoEndedAnswer(isStopped: Bool) {
        var world = Self.begunWhole()
        if isStopped {
            world.user(.began(at: 2000))
            world.hear(.stop(isSpoken: false))
        } else {
            world.ask()
            world.user(.began(at: 3000))
        }
        world.settle()
        world.user(.dropped(at: 4000, resumes: true))
        world.says("Four is new.", isLast: true)
        let isAtRest = world.comeToRest()
        #expect(isAtRest && world.heard == (isStopped ? [] : ["Four is new."]), "\(world.heard)")
    }

    /// "Stop" withdraws what the service has and has not begun to speak.
    @Test func stopEndsAStreamedAnswer() {
        var world = Self.begun()
        world.starves()
        world.settle()
        world.says("Two is there.", isLast: true)
        world.hear(.stop(isSpoken: false))
        let isAtRest = world.comeToRest()
        #expect(isAtRest && world.heard == ["One is here."])
        world.wait(.seconds(30))
        world.ask()
        world.settle()
        world.says("Nothing.", isLast: true)
        let isAnswered = world.comeToRest()
        #expect(isAnswered && world.heard == ["One is here.", "Nothing."])
    }
}

/// The machine, the translator of the local voice, an agent that writes and a speaker that speaks sentence by sentence.
/// Messages in both directions are queues.
private struct AnswerWorld {
    struct Sentence {
        var text: String
        var call: String
    }

    private(set) var machine: ConversationMachine
    private var random: SeededGenerator
    private var now = Duration.zero
    private var timers: [ConversationTimer: Duration] = [:]
    private var translator: LocalTranslator?
    private var sessions = 0
    private var toMachine: [ConversationEvent] = []
    private var toTranslator: [ServiceRequest] = []
    /// The current speech, the number of its sentences that have begun, and the sentence that sounds.
    private var speech: LocalSpeech?
    private var begun = 0
    /// All audio of the latest sentence was received.
    private var isSentenceWhole = true
    private var sounding: (part: SpokenPart, text: String)?
    /// It no longer counts as said.
    private var isUnsaid = false
    /// The last sentence of an answer, if an order took its place before its end.
    private var hushed: String?
    /// Calls the agent works on; it answers one at a time.
    private var calls: [(id: String, left: Int, hasSpoken: Bool)] = []
    /// Responses whose sound is no longer played.
    private var refused: Set<String> = []
    private var isUserTalking = false
    /// What the user is saying is an order.
    private var isOrdering = false
    /// The answer that the current sound belongs to was cut, and was not continued.
    private var isCut = false
    private var questions = 0
    var hasLosses = false
    var hasUser = false
    var hasOrders = false
    var hasStops = false
    var hasRestarts = false
    var hasLateAnswers = false
    var mostLosses = 1
    private(set) var stops = 0
    private(set) var restarts = 0
    private(set) var lateAnswers = 0
    /// Answers that were given up with a line and a tone.
    private(set) var dropped = 0
    /// Sentences that were written before a stop.
    private var stopped: Set<String> = []
    private(set) var saidAfterStop: [String] = []
    private(set) var written: [Sentence] = []
    private(set) var said: [String: Int] = [:]
    private(set) var heard: [String] = []
    private(set) var interrupted: Set<String> = []
    private(set) var losses = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        var options = ConversationMachine.Options(.local)
        options.seed = seed
        machine = ConversationMachine(options: options)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    // MARK: Both ends

    mutating func hear(_ event: ConversationEvent) {
        now += .milliseconds(10)
        let effects = machine.handle(event, at: now)
        for effect in effects { perform(effect) }
        let drops = effects.contains { if case .note(.speechDropped) = $0 { true } else { false } }
        if drops, effects.contains(.play(.error)) {
            dropped += 1
            interrupted.formUnion(unfinished)
        }
    }

    private mutating func perform(_ effect: ConversationEffect) {
        switch effect {
        case .connect:
            sessions += 1
            var options = LocalTranslator.Options()
            options.session = "local\(sessions)"
            translator = LocalTranslator(options)
            toMachine.append(.service(.opened(id: options.session, ends: nil)))
        case .disconnect:
            forget()
            // Later reports of a closed session are not read.
            toMachine.removeAll { if case .service = $0 { true } else { false } }
        case .send(let request):
            if translator != nil { toTranslator.append(request) }
        case .startCall(let call, _):
            if call.name == "ask_jarvis" {
                calls.append((call.callID, Int.random(in: 1...6, using: &random), false))
            } else {
                let content: ToolResult.Content =
                    call.name == "change_volume" ? .done("The volume is 50 percent.") : .data("{}")
                let output = ToolResult(content, wantsReply: chance(70))
                toMachine.append(.callAnswered(callID: call.callID, output))
            }
        case .cancelCalls: calls = []
        // The box says it with its own voice.
        case .answer(let text), .announce(let text):
            for sentence in SpeechParts.split(text) {
                if stopped.contains(sentence) { saidAfterStop.append(sentence) }
                said[sentence, default: 0] += 1
            }
        case .startTimer(let timer, let pause): timers[timer] = now + pause
        case .cancelTimer(let timer): timers[timer] = nil
        case .stopVoice(let responses):
            refused.formUnion(responses)
            // Sound of a response that has not been reported yet is refused too.
            if let speech { refused.insert(speech.response) }
            guard let cut = sounding else { break }
            unsay()
            sounding = nil
            isCut = true
            toMachine.append(.voiceStopped([HeardPart(part: cut.part, heard: 400, received: 800)]))
        default: break
        }
    }

    mutating func user(_ event: LocalEvent) { translate(event) }

    private mutating func translate(_ event: LocalEvent) {
        guard let effects = translator?.handle(event) else { return }
        for effect in effects {
            switch effect {
            case .report(let event): toMachine.append(event)
            case .speak(let speech): (self.speech, begun, isSentenceWhole) = (speech, 0, true)
            case .speakOn(let sentences): speech?.sentences += sentences
            case .speechIsWhole: speech?.isOpen = false
            case .stopSpeaking:
                if !isSentenceWhole, let text = sounding?.text, written.contains(where: { $0.text == text }) {
                    hushed = text
                }
                speech = nil
            case .forgetTurn: (isUserTalking, isOrdering) = (false, false)
            case .acts, .answered: break
            case .close: forget()
            }
        }
    }

    private mutating func forget() {
        translator = nil
        toTranslator = []
        speech = nil
    }

    /// Delivers all messages, in order.
    mutating func settle() {
        while !toMachine.isEmpty || !toTranslator.isEmpty { deliver() }
    }

    private mutating func deliver() {
        if !toTranslator.isEmpty, toMachine.isEmpty || chance(50) {
            translate(.asked(toTranslator.removeFirst()))
        } else if !toMachine.isEmpty {
            hear(toMachine.removeFirst())
        }
    }

    mutating func open() {
        hear(.activate)
        settle()
    }

    // MARK: What happens

    mutating func ask() {
        settle()
        guard translator != nil, machine.state != .connecting, !isUserTalking else { return }
        interrupted.formUnion(unfinished)
        questions += 1
        translate(.began(at: 0))
        translate(
            .given(LocalUtterance(text: "What is new?", steps: 0..<100, isSure: true, isBargeIn: false), at: 1000)
        )
    }

    /// The user says "louder", perhaps over an answer, whose rest then waits for "go on".
    private mutating func order() {
        guard translator != nil, machine.state != .connecting else { return }
        if isOrdering {
            isOrdering = false
            isUserTalking = false
            let text = chance(50) ? "Louder." : "Pause."
            let heard = LocalUtterance(text: text, steps: 0..<100, isSure: true, isBargeIn: false)
            translate(.given(heard, at: 1000))
        } else if !isUserTalking {
            if sounding != nil || begun > 0 && speech != nil || isCut { interrupted.formUnion(unfinished) }
            isOrdering = true
            isUserTalking = true
            translate(.began(at: 0))
        }
    }

    /// Calls with sentences that were not said.
    private var unfinished: Set<String> {
        let isUnheard = { (text: String) in said[text, default: 0] == 0 || text == sounding?.text }
        return Set(written.filter { isUnheard($0.text) }.map(\.call)).union(calls.map(\.id))
    }

    /// The agent writes the next part of its answer.
    mutating func says(_ text: String, isLast: Bool) {
        guard let id = calls.first?.id else { return }
        for text in SpeechParts.split(text) { written.append(Sentence(text: text, call: id)) }
        calls[0].hasSpoken = true
        if isLast { calls.removeFirst() }
        hear(.callSays(callID: id, ToolResult(text), isLast: isLast))
    }

    private mutating func write() {
        guard let call = calls.first else { return }
        calls[0].left -= 1
        let texts = (0...(chance(30) ? 1 : 0)).map { "Word \(written.count + $0) is here." }
        let isLast = calls[0].left <= 0
        if hasLateAnswers, !call.hasSpoken, chance(20) { return answers(texts) }
        says(isLast && call.hasSpoken && chance(30) ? "" : texts.joined(separator: " "), isLast: isLast)
    }

    /// The agent's answer comes as a whole, perhaps so late that the conversation has moved on.
    private mutating func answers(_ sentences: [String]) {
        let call = calls.removeFirst().id
        for text in sentences { written.append(Sentence(text: text, call: call)) }
        let question = chance(50) ? "What is new?" : nil
        if question != nil { lateAnswers += 1 }
        hear(.callAnswered(callID: call, ToolResult(.answer(sentences.joined(separator: " ")), lateFor: question)))
    }

    private mutating func stop() {
        stops += 1
        interrupted.formUnion(unfinished)
        stopped.formUnion(written.map(\.text))
        hear(.stop(isSpoken: false))
        // The requests of one event reach the voice together.
        while !toTranslator.isEmpty { translate(.asked(toTranslator.removeFirst())) }
    }

    /// The conversation ends, and the user opens another one.
    private mutating func restart() {
        guard machine.state != .idle else { return }
        restarts += 1
        interrupted.formUnion(unfinished)
        isUserTalking = false
        isOrdering = false
        if !isSentenceWhole { unsay() }
        hear(.deactivate)
        sounds(nil)
        isSentenceWhole = true
        open()
    }

    /// The speaker speaks a sentence, or ends.
    mutating func speaks() {
        guard let speech else { return sounds(nil) }
        if begun > 0, !isSentenceWhole {
            isSentenceWhole = true
            translate(.sentenceEnded(begun - 1))
            return settle()
        }
        guard begun < speech.sentences.count else {
            sounds(nil)
            guard !speech.isOpen else { return }
            self.speech = nil
            return translate(.speechEnded)
        }
        let part = speech.part(begun)
        let text = speech.sentences[begun]
        translate(.sentenceBegan(begun))
        isSentenceWhole = false
        begun += 1
        guard !refused.contains(part.responseID) else { return }
        sounds((part, text))
        toMachine.append(.voiceReceived(responseID: part.responseID, itemID: part.itemID))
        toMachine.append(.voiceAudible(responseID: part.responseID))
        settle()
    }

    private mutating func sounds(_ next: (part: SpokenPart, text: String)?) {
        if sounding != nil, next == nil { toMachine.append(.voiceDrained) }
        sounding = next
        isUnsaid = false
        guard let next else { return }
        isCut = false
        if written.contains(where: { $0.text == next.text }) { hushed = nil }
        if stopped.contains(next.text) { saidAfterStop.append(next.text) }
        said[next.text, default: 0] += 1
        heard.append(next.text)
    }

    /// What sounds is not heard to its end, and may be said again.
    private mutating func unsay() {
        guard let text = sounding?.text, !isUnsaid else { return }
        isUnsaid = true
        said[text, default: 0] -= 1
        if let index = heard.lastIndex(of: text) { heard.remove(at: index) }
    }

    mutating func starves() {
        if speech != nil, !isSentenceWhole { speaks() }
        guard let speech, speech.isOpen, begun == speech.sentences.count else { return }
        sounds(nil)
        self.speech = nil
        translate(.speechStarved)
    }

    mutating func lose() {
        guard translator != nil else { return }
        losses += 1
        if isUserTalking || isCut { interrupted.formUnion(unfinished) }
        isUserTalking = false
        isOrdering = false
        // A sentence of which not all was received is not heard to its end.
        if !isSentenceWhole { unsay() }
        // Nor is one whose place an order took: the next session says it again.
        if let text = hushed, let index = heard.lastIndex(of: text) {
            said[text, default: 0] -= 1
            heard.remove(at: index)
        }
        hushed = nil
        isSentenceWhole = true
        // What was reported before the end comes before it.
        while !toMachine.isEmpty { hear(toMachine.removeFirst()) }
        forget()
        sounds(nil)
        settle()
        hear(.disconnected(LinkFailure(.transient, "lost")))
    }

    mutating func orders(_ text: String) {
        user(.began(at: 2000))
        settle()
        user(.given(LocalUtterance(text: text, steps: 0..<100, isSure: true, isBargeIn: false), at: 3000))
        settle()
    }

    /// A whole cough, over the voice of the box.
    mutating func coughs() {
        user(.began(at: 2000))
        settle()
        user(.dropped(at: 2900, resumes: true))
        settle()
    }

    private mutating func cough() {
        if isOrdering { return order() }
        if isUserTalking {
            // A cough lasts longer than messages take.
            settle()
            isUserTalking = false
            translate(.dropped(at: 900, resumes: true))
        } else if translator != nil, machine.state == .aiSpeaking {
            isUserTalking = true
            translate(.began(at: 0))
        }
    }

    private mutating func fireTimers() {
        while let (timer, due) = timers.min(by: { $0.value < $1.value }), due <= now {
            timers[timer] = nil
            hear(.timer(timer))
        }
    }

    mutating func wait(_ time: Duration) {
        now += time
        fireTimers()
        settle()
    }

    mutating func step() {
        now += .milliseconds(20)
        fireTimers()
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45: deliver()
        case 45..<60: write()
        case 60..<80: if !isUserTalking { speaks() }
        case 80..<85: starves()
        case 85..<90: if hasUser { cough() }
        case 90..<92: if hasUser, chance(30) { ask() }
        // A rest that is lost again is said again: it is an answer like any other.
        case 92..<95: if hasLosses, losses < mostLosses { lose() }
        case 95..<97: if hasOrders { order() }
        case 97: if hasStops, chance(50) { stop() } else if hasRestarts, chance(50) { restart() }
        default: now += .seconds(1)
        }
    }

    /// Everybody finishes; false if the conversation does not come to rest.
    mutating func comeToRest() -> Bool {
        for _ in 0..<400 {
            if isUserTalking { cough() }
            settle()
            write()
            settle()
            speaks()
            settle()
            now += .milliseconds(200)
            fireTimers()
            settle()
            if machine.state == .listening, calls.isEmpty, speech == nil, sounding == nil { return true }
        }
        return false
    }
}
