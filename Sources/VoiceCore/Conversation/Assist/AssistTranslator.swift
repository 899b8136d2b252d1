internal import VoiceBase

/// Reports of Home Assistant about a run of its pipeline.
package enum AssistNews: Equatable, Sendable {
    /// - speaks: whether the run is to end with a spoken answer.
    case began(speaks: Bool)
    /// Home Assistant has found the end of the user's turn.
    case speechEnded
    /// The recognised words.
    case heard(String)
    /// Home Assistant's agent makes progress.
    case works
    /// The words of the answer.
    case says(String)
    /// The answer's sound can be fetched here.
    case sound(String)
    case failed(String)
    case ended
    /// Home Assistant, or jarvis-bridge, is no longer there.
    case lost
}

package enum AssistEvent: Equatable, Sendable {
    case asked(ServiceRequest)
    /// The user begins to speak. Times are in ms of the session's audio.
    case turnBegan(at: Int)
    case turnEnded(at: Int)
    /// The turn held no speech.
    case turnDropped(at: Int)
    /// Home Assistant has asked a question, and waits for a run with the reply.
    case houseAsks
    case news(run: Int, AssistNews, at: Int)
    /// Sound of the answer has come.
    case soundCame(run: Int)
    /// All sound of the answer has come (nil), or why the rest is missing.
    case soundEnded(run: Int, String?)
    /// The loudspeaker has nothing more to play.
    case silent
    /// - now: monotonic.
    case tick(now: Duration)
}

package enum AssistEffect: Equatable, Sendable {
    case report(ServiceReport)
    /// Begin a run with the sound of the present turn; any other run ends.
    case start(run: Int)
    /// The turn is over, its sound is complete.
    case soundEnds(run: Int)
    /// Withdraw the run from Home Assistant.
    case stop(run: Int)
    /// The answer has been played.
    case played(run: Int)
    /// Fetch this sound and play it.
    case play(run: Int, SpokenPart, from: String)
    case finish(SpokenPart)
    /// Stop fetching the sound.
    case stopSpeaking
    /// Discard the user's turn.
    case forgetTurn
}

/// Translates between the conversation and Home Assistant's pipeline, which takes one turn in each run:
///
///     idle --the user speaks--> hearing --silence--> working --words--> speaking --sound complete--> playing --silence--> idle
///
/// Without I/O, clock or task. The translator makes the names of items and responses.
package struct AssistTranslator: Sendable {
    package struct Options: Sendable {
        /// Prefix of every name, so that the names of two sessions differ.
        package var session = "assist"
        /// Runs are counted from here.
        package var firstRun = 0
        /// How long an answer may be without progress.
        package var answerLimit = Duration.seconds(Configuration.Assist().answerS)

        package init() {}
    }

    private enum Phase { case hearing, working, speaking, playing }

    private struct Run {
        let number: Int
        var phase = Phase.hearing
        /// The user's turn; nil while Home Assistant waits for the answer to a question of its own.
        var turn: String?
        /// Whether the run began with such a question: a cough does not end it.
        var isAsked = false
        var response: String?
        var item = ""
        var words: String?
        var hasSound = false

        var part: SpokenPart { SpokenPart(responseID: response ?? "", itemID: item, contentIndex: 0) }
    }

    private let options: Options
    private var run: Run?
    private var runs = 0
    private var names = 0
    private var now = Duration.zero
    /// When the run is given up unless it makes progress.
    private var due: Duration?
    private var effects: [AssistEffect] = []

    package init(_ options: Options = Options()) { self.options = options }

    /// The run that takes the microphone's sound.
    package var hearing: Int? { run.flatMap { $0.phase == .hearing ? $0.number : nil } }

    /// The run whose sound is fetched.
    package var speaking: Int? { run.flatMap { $0.phase == .speaking ? $0.number : nil } }

    /// Whether the answer is on its way to the loudspeaker, all of it.
    package var isPlaying: Bool { run?.phase == .playing }

    package mutating func handle(_ event: AssistEvent) -> [AssistEffect] {
        switch event {
        case .asked(let request): handle(request)
        case .turnBegan(let at): turnBegan(at)
        case .turnEnded(let at):
            guard let run, run.phase == .hearing, run.turn != nil else { break }
            effects.append(.soundEnds(run: run.number))
            turnEnded(at)
        case .turnDropped(let at): turnDropped(at)
        case .houseAsks:
            withdraw(.cancelled)
            start(isAsked: true)
        case .news(let number, let news, let at):
            // Ignores late news of a withdrawn run.
            if run?.number == number { learn(news, at) }
        case .soundCame(let number):
            guard run?.number == number, run?.phase == .speaking else { break }
            run?.hasSound = true
            makesProgress()
        case .soundEnded(let number, let problem):
            if run?.number == number, run?.phase == .speaking { soundEnded(problem) }
        case .silent:
            guard let run, run.phase == .playing else { break }
            effects.append(.played(run: run.number))
            self.run = nil
        case .tick(let now):
            self.now = now
            guard let due, now >= due else { break }
            let limit = "for \(options.answerLimit.components.seconds) s (assist.answer_s)"
            fail(run?.phase == .hearing ? "no one has answered \(limit)" : "Home Assistant has not answered \(limit)")
        }
        defer { effects = [] }
        return effects
    }

    // MARK: Requests

    private mutating func handle(_ request: ServiceRequest) {
        switch request {
        case .open: report(.ready(ServiceReadiness()))
        case .close:
            withdraw(.cancelled)
            report(.closing(.asked, "the session was closed"))
        case .cancel(let response):
            guard let run, run.response != nil, response == nil || run.response == response else { break }
            withdraw(.cancelled)
        case .clearInput: if run?.phase == .hearing { withdraw(.cancelled) }
        // Home Assistant takes no text, so a response cannot say anything.
        case .respond(let id, _): beSilent(request: id)
        case .answer(let call, _): report(.answerPlaced(call: call))
        case .inform(let id, _): report(.answerPlaced(call: id))
        case .recall, .ask, .tell, .truncate, .forget, .dropSpeech: break
        }
    }

    // MARK: The user's turns

    private mutating func start(isAsked: Bool) {
        runs += 1
        var next = Run(number: options.firstRun + runs)
        next.isAsked = isAsked
        run = next
        // After a question of Home Assistant, the microphone is open before anyone speaks.
        due = isAsked ? now + options.answerLimit : nil
        effects.append(.start(run: next.number))
    }

    private mutating func turnBegan(_ milliseconds: Int) {
        if run?.phase != .hearing || run?.turn != nil {
            // The next run ends the last one.
            if run?.phase != .playing { withdraw(.cancelled) }
            start(isAsked: false)
        }
        let turn = name("turn")
        run?.turn = turn
        due = nil
        report(.userStarted(item: turn, at: milliseconds))
    }

    private mutating func turnEnded(_ milliseconds: Int) {
        guard run?.phase == .hearing else { return }
        if run?.turn == nil {
            let turn = name("turn")
            run?.turn = turn
            report(.userStarted(item: turn, at: milliseconds))
        }
        let (turn, response) = (run?.turn ?? "", name("response"))
        let item = name("item")
        run?.phase = .working
        run?.response = response
        run?.item = item
        makesProgress()
        report(.userStopped(at: milliseconds))
        report(.userTurn(item: turn, after: nil))
        // From here on "stop" withdraws it.
        report(.responseBegan(response: response, request: nil))
    }

    private mutating func turnDropped(_ milliseconds: Int) {
        guard let run, run.phase == .hearing, run.turn != nil else { return }
        report(.userStopped(at: milliseconds))
        beSilent(request: nil)
        if run.isAsked {
            self.run?.turn = nil
        } else {
            effects.append(.stop(run: run.number))
            self.run = nil
        }
    }

    // MARK: What Home Assistant tells

    private mutating func learn(_ news: AssistNews, _ milliseconds: Int) {
        switch news {
        case .began, .works: makesProgress()
        case .speechEnded:
            effects.append(.forgetTurn)
            turnEnded(milliseconds)
        case .heard(let text):
            if run?.phase == .hearing {
                effects.append(.forgetTurn)
                turnEnded(milliseconds)
            }
            makesProgress()
            guard let turn = run?.turn else { break }
            report(
                text.isEmpty
                    ? .notHeard(item: turn, reason: "no words")
                    : .heard(item: turn, part: 0, text: text, isWhole: true)
            )
        case .says(let words):
            guard let run, run.phase == .working || run.phase == .speaking, run.words == nil else { break }
            self.run?.words = words
            makesProgress()
            if run.phase == .speaking { tellWords() }
        case .sound(let address):
            guard let run, run.phase == .working, let response = run.response else { break }
            self.run?.phase = .speaking
            makesProgress()
            report(.speaks(response: response, item: run.item))
            tellWords()
            effects.append(.play(run: run.number, run.part, from: address))
        case .failed(let reason): failed(reason, milliseconds)
        case .ended: ended(milliseconds)
        case .lost: withdraw(.cancelled)
        }
    }

    private mutating func tellWords() {
        guard let run, let response = run.response, let words = run.words else { return }
        report(.said(response: response, item: run.item, part: 0, text: words, isWhole: true))
    }

    /// Home Assistant's error code for a turn without words.
    private static let noWords = "stt-no-text-recognized"

    private mutating func failed(_ reason: String, _ milliseconds: Int) {
        guard let run else { return }
        guard reason.hasPrefix(Self.noWords) else { return fail(reason) }
        if run.phase == .hearing, run.turn == nil {
            // The user has not replied to Home Assistant's question.
            effects.append(.stop(run: run.number))
            self.run = nil
            return
        }
        if run.phase == .hearing {
            effects.append(.forgetTurn)
            turnEnded(milliseconds)
        }
        report(.notHeard(item: self.run?.turn ?? "", reason: "no words"))
        end(.completed)
    }

    /// The run is over. If it named an address, the sound there is still fetched.
    private mutating func ended(_ milliseconds: Int) {
        guard let run else { return }
        switch run.phase {
        case .speaking, .playing: break
        case .working:
            guard run.words == nil else { return fail("Home Assistant has no sound of its answer") }
            end(.completed)
        case .hearing:
            effects.append(.forgetTurn)
            if run.turn != nil {
                report(.userStopped(at: milliseconds))
                beSilent(request: nil)
            }
            self.run = nil
        }
    }

    private mutating func soundEnded(_ problem: String?) {
        guard let run else { return }
        guard run.hasSound else { return fail(problem ?? "the sound of Home Assistant's answer is empty") }
        effects.append(.finish(run.part))
        report(.audioEnded(response: run.response ?? "", item: run.item))
        if let problem { return fail(problem) }
        due = nil
        self.run?.phase = .playing
        report(.responseEnded(ResponseEnd(response: run.response ?? "", status: .completed)))
    }

    // MARK: The end of a run

    /// The answer is missing, in whole or in part.
    private mutating func fail(_ reason: String) {
        report(.trouble(ServiceError(.other, name: Configuration.Service.Name.homeAssistant.rawValue, text: reason)))
        if run?.phase == .hearing, run?.turn != nil {
            effects.append(.forgetTurn)
            turnEnded(0)
        }
        if run?.phase == .working, let response = run?.response, let words = run?.words {
            report(.said(response: response, item: run?.item ?? "", part: 0, text: words, isWhole: true))
        }
        withdraw(.incomplete, reason)
    }

    private mutating func withdraw(_ status: ResponseEnd.Status, _ reason: String? = nil) {
        guard let run else { return }
        effects.append(.stop(run: run.number))
        switch run.phase {
        case .hearing:
            effects.append(.forgetTurn)
            if run.turn != nil {
                report(.userStopped(at: 0))
                beSilent(request: nil)
            }
        case .speaking: effects.append(.stopSpeaking)
        case .working, .playing: break
        }
        end(status, reason)
    }

    /// Ends the response of the run, unless that has ended.
    private mutating func end(_ status: ResponseEnd.Status, _ reason: String? = nil) {
        if let run, let response = run.response, run.phase == .working || run.phase == .speaking {
            let words = run.words ?? ""
            report(
                .responseEnded(ResponseEnd(response: response, status: status, reason: reason, words: words))
            )
        }
        run = nil
        due = nil
    }

    // MARK: Small parts

    private mutating func makesProgress() {
        if run?.phase == .working || run?.phase == .speaking { due = now + options.answerLimit }
    }

    private mutating func report(_ report: ServiceReport) { effects.append(.report(report)) }

    private mutating func name(_ kind: String) -> String {
        names += 1
        return "\(options.session)-\(kind)\(names)"
    }

    /// Reports a response without speech.
    private mutating func beSilent(request: String?) {
        let response = name("response")
        report(.responseBegan(response: response, request: request))
        report(.responseEnded(ResponseEnd(response: response, status: .completed, request: request)))
    }
}
