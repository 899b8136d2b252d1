internal import VoiceBase

/// Carries the conversations of the daemon to Home Assistant's pipeline, one run after another, and its news back. A value.
///
///     none --start--> asked --its beginning--> running --its end--> ended --played--> none
///
/// Home Assistant names no runs: its messages before the requested run begins belong to an earlier one. It regards a satellite as
/// busy until the run, and the answer if there is one, are reported as ended: every way out of a run sends the missing messages.
struct NativePipeline {
    typealias Owner = ObjectIdentifier

    /// A request of the daemon.
    enum Order: Equatable {
        case start(run: Int, word: String)
        case sound(run: Int, [UInt8])
        case soundEnds(run: Int)
        case stop(run: Int)
        case played(run: Int)
    }

    enum Event {
        /// Whether the daemon has Home Assistant as a voice service.
        case wanted(Bool)
        /// A connection of Home Assistant takes runs, or no longer takes them.
        case subscribed(Owner, Bool)
        case left(Owner)
        case order(Order)
        /// The daemon can no longer be followed.
        case unfollowed
        /// The daemon may be followed again.
        case retry
        case message(Owner, NativeMessage.Kind, ProtoFields)
        /// A question was played, or was not: Home Assistant waits for a run.
        case question(Owner, isDone: Bool)
        /// The daemon has opened a conversation for the question, or refused.
        case asked(problem: String?)
    }

    enum Effect: Equatable {
        case send(Owner, NativeMessage)
        /// To the daemon: news of a run, by name.
        case tell(run: Int, String, text: String)
        case follow
        case unfollow
        /// `Event.retry` follows, in `pause`.
        case wait
        /// Let the daemon open a conversation; `Event.asked` follows.
        case ask
        case log(String)
    }

    /// Pause before the daemon is followed again.
    static let pause = Duration.seconds(2)
    /// Pieces of sound that wait until Home Assistant takes them, three seconds; beyond it the oldest are dropped.
    static let mostHeld = 75

    private enum Phase { case asked, running, ended }

    private struct Run {
        /// nil for a run that only lets a question of Home Assistant fail.
        var number: Int?
        let owner: Owner
        var phase = Phase.asked
        /// Home Assistant takes the sound of the run.
        var isTaken = false
        var held: [NativeMessage] = []
        /// The run has an answer, whose end must be reported.
        var isAnswered = false
    }

    private var owners: [Owner] = []
    private var isWanted = false
    private var isFollowing = false
    private var isWaiting = false
    private var run: Run?
    /// Ends of earlier runs that have not been received yet.
    private var endsDue = 0
    private var asking: Owner?
    /// The address at which the answer of the present run will be.
    private var address = ""

    mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .wanted(let isWanted):
            guard isWanted != self.isWanted else { return [] }
            self.isWanted = isWanted
            return isWanted ? follow() : unfollow()
        case .subscribed(let owner, true):
            owners.removeAll { $0 == owner }
            owners.append(owner)
            return follow()
        case .subscribed(let owner, false), .left(let owner): return left(owner)
        case .order(let order): return obey(order)
        case .unfollowed:
            guard isFollowing else { return [] }
            isFollowing = false
            isWaiting = true
            return end(isPlayed: false) + [.wait]
        case .retry:
            isWaiting = false
            return follow()
        case .message(let owner, .assistantResponse, let fields):
            return run?.owner == owner ? taken(isRefused: fields.flag(2)) : []
        case .message(let owner, .assistantEvent, let fields):
            guard let run else {
                if fields.number(1) == Kind.end.rawValue { endsDue = max(0, endsDue - 1) }
                return []
            }
            return run.owner == owner ? learn(fields) : []
        case .message: return []
        case .question(let owner, let isDone):
            guard isDone, isFollowing else { return failQuestion(of: owner) }
            asking = owner
            return [.ask]
        case .asked(let problem):
            defer { asking = nil }
            guard let problem, let asking else { return [] }
            return [.log("a question of Home Assistant is not answered: \(problem)")] + failQuestion(of: asking)
        }
    }

    // MARK: - Connections

    private mutating func follow() -> [Effect] {
        guard isWanted, !isFollowing, !isWaiting, !owners.isEmpty else { return [] }
        isFollowing = true
        return [.follow]
    }

    private mutating func unfollow() -> [Effect] {
        guard isFollowing else { return [] }
        isFollowing = false
        return end(isPlayed: false) + [.unfollow]
    }

    private mutating func left(_ owner: Owner) -> [Effect] {
        owners.removeAll { $0 == owner }
        if asking == owner { asking = nil }
        var effects: [Effect] = []
        if let run, run.owner == owner {
            self.run = nil
            endsDue = 0
            if let number = run.number, run.phase != .ended {
                effects.append(.tell(run: number, "failed", text: "the connection of Home Assistant is lost"))
            }
        }
        return owners.isEmpty ? effects + unfollow() : effects
    }

    // MARK: - What the daemon wants

    private mutating func obey(_ order: Order) -> [Effect] {
        switch order {
        case .start(let number, let word): return start(number, word)
        case .sound(let number, let bytes): return give(number, [ProtoField(1, .bytes(bytes))])
        case .soundEnds(let number): return give(number, [ProtoField(2, .flag(true))])
        case .stop(let number): return run?.number == number ? end(isPlayed: false) : []
        case .played(let number): return run?.number == number ? end(isPlayed: true) : []
        }
    }

    private mutating func start(_ number: Int, _ word: String) -> [Effect] {
        guard let owner = owners.last else {
            return [.tell(run: number, "failed", text: "no Home Assistant is connected")]
        }
        // A new run ends the present one, but not its answer.
        var effects = run.map { Self.endOfAnswer($0) } ?? []
        if let run, run.phase != .ended { endsDue += 1 }
        run = Run(number: number, owner: owner)
        let request = [ProtoField(1, .flag(true)), ProtoField(5, .text(NativeWords.shown(word)))]
        effects.append(.send(owner, NativeMessage(.assistantRequest, request)))
        return effects
    }

    /// Holds sound back until Home Assistant has taken the run, because it ignores earlier sound.
    private mutating func give(_ number: Int, _ fields: [ProtoField]) -> [Effect] {
        guard let run, run.number == number, run.phase != .ended else { return [] }
        let message = NativeMessage(.assistantAudio, fields)
        if run.isTaken { return [.send(run.owner, message)] }
        self.run?.held.append(message)
        if run.held.count >= Self.mostHeld { self.run?.held.removeFirst() }
        return []
    }

    /// Ends the run in Home Assistant, and its answer.
    private mutating func end(isPlayed: Bool) -> [Effect] {
        guard let run else { return [] }
        self.run = nil
        var effects: [Effect] = []
        if run.phase != .ended {
            endsDue += 1
            if !isPlayed { effects.append(.send(run.owner, Self.stop)) }
        }
        return effects + Self.endOfAnswer(run, isPlayed: isPlayed)
    }

    private static func endOfAnswer(_ run: Run, isPlayed: Bool = true) -> [Effect] {
        run.isAnswered ? [.send(run.owner, NativeMessage(.announceFinished, [ProtoField(1, .flag(isPlayed))]))] : []
    }

    private static let stop = NativeMessage(.assistantRequest)

    /// Opens a run and ends it again: otherwise Home Assistant waits for an answer for ever. An open run will end anyway.
    private mutating func failQuestion(of owner: Owner) -> [Effect] {
        if let run, run.phase != .ended { return [] }
        let effects = run.map { Self.endOfAnswer($0) } ?? []
        run = Run(number: nil, owner: owner)
        return effects + [.send(owner, NativeMessage(.assistantRequest, [ProtoField(1, .flag(true))]))]
    }

    // MARK: - What Home Assistant says

    private mutating func taken(isRefused: Bool) -> [Effect] {
        guard let run, run.phase == .asked, !run.isTaken else { return [] }
        if isRefused {
            self.run = nil
            return run.number.map { [.tell(run: $0, "failed", text: "Home Assistant takes no sound now")] } ?? []
        }
        guard run.number != nil else { return end(isPlayed: false) }
        self.run?.isTaken = true
        self.run?.held = []
        return run.held.map { .send(run.owner, $0) }
    }

    private enum Kind: UInt32 {
        case error = 0
        case begin, end
        case heard = 4
        case works, worked, says, sound
        case speechEnded = 12
        case progress = 100
    }

    private mutating func learn(_ fields: ProtoFields) -> [Effect] {
        guard let kind = Kind(rawValue: fields.number(1)), let run else { return [] }
        let data = Dictionary(fields.messages(2).map { ($0.text(1), $0.text(2)) }) { _, last in last }
        if run.phase == .ended { return [] }
        if run.phase == .asked, kind != .begin { return earlier(kind, data) }
        guard let number = run.number else {
            // The run began only to end.
            return kind == .begin ? end(isPlayed: false) : []
        }
        func tell(_ name: String, _ text: String? = "") -> [Effect] {
            [.tell(run: number, name, text: Self.plain(text ?? ""))]
        }
        switch kind {
        case .begin:
            guard run.phase == .asked else { return [] }
            self.run?.phase = .running
            endsDue = 0
            address = data["url"] ?? ""
            return tell("began", address.isEmpty ? "" : "speaks")
        case .speechEnded: return tell("speech_ended")
        case .heard: return tell("heard", data["text"])
        case .works, .worked: return tell("works")
        case .progress:
            // The sound can be fetched while the answer is still written.
            guard data["tts_start_streaming"] == "1", !address.isEmpty else { return tell("works") }
            return tell("sound", address)
        case .says:
            self.run?.isAnswered = true
            return tell("says", data["text"])
        case .sound:
            self.run?.isAnswered = true
            return tell("sound", data["url"])
        case .error: return tell("failed", Self.reason(data))
        case .end:
            self.run?.phase = .ended
            if !run.isAnswered { self.run = nil }
            return tell("ended")
        }
    }

    /// Handles an event before the beginning of the requested run: it belongs to an earlier run, unless none is left.
    private mutating func earlier(_ kind: Kind, _ data: [String: String]) -> [Effect] {
        switch kind {
        case .end where endsDue > 0: endsDue -= 1
        case .error where endsDue == 0:
            return run?.number.map { [.tell(run: $0, "failed", text: Self.plain(Self.reason(data)))] } ?? []
        case .end:
            defer { run = nil }
            return run?.number.map { [.tell(run: $0, "ended", text: "")] } ?? []
        default: break
        }
        return []
    }

    /// Bounds the text, so that it fits into a request of the control socket however much of it is escaped there.
    private static func plain(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)).bounded(toBytes: 4000)
    }

    private static func reason(_ data: [String: String]) -> String {
        [data["code"], data["message"]].compactMap(\.self).joined(separator: ": ")
    }
}
