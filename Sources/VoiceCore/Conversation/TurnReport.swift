internal import VoiceBase

/// The stages of one turn, each as the time since the end of the user's speech.
package struct TurnReport: Equatable, Sendable {
    package var number: Int
    package var calls = 0
    /// First byte of the first call's request.
    package var dispatched: Duration?
    /// The answer to the last call arrived.
    package var answered: Duration?
    /// First sample of the acknowledgement at the loudspeaker; nil if there was none.
    package var acknowledged: Duration?
    /// First audio of the answer arrived.
    package var firstDelta: Duration?
    /// First sample of the answer at the loudspeaker: what the user waits for.
    package var firstSample: Duration?
    /// The user interrupted the answer.
    package var cut: Duration?
    /// The agent or the service, if it gave no answer; the user then heard at most a sentence that says so.
    package var failure: Failure?

    package enum Failure: String, Equatable, Sendable {
        case agent, service
    }

    package var interrupted: Bool { cut != nil }
}

extension TurnReport {
    /// A part of the user's wait, in ms.
    package struct Segment: Equatable, Sendable {
        package enum Kind: String, Sendable, CaseIterable {
            /// Until the request goes to the agent.
            case request
            /// Until the agent has answered.
            case agent
            /// Until the service begins to speak.
            case voice
            /// Until it is heard.
            case sound
        }

        package var kind: Kind
        package var milliseconds: Int
    }

    /// The user's wait in consecutive parts; they add up to the time of the first sample. Empty if no answer was heard.
    package var segments: [Segment] {
        guard let heard = firstSample else { return [] }
        let end = Self.rounded(heard)
        var (last, segments): (Int, [Segment]) = (0, [])
        for (kind, time) in [
            (Segment.Kind.request, dispatched), (.agent, answered), (.voice, firstDelta), (.sound, heard),
        ] {
            guard let time else { continue }
            // An answer may be spoken while it is written: the user does not wait for what follows its first sample.
            let until = min(max(Self.rounded(time), last), end)
            segments.append(Segment(kind: kind, milliseconds: until - last))
            last = until
        }
        return segments
    }

    /// The wait in one line, as in "1294 ms: 274 request, 903 agent, 90 voice, 27 sound"; nil if no answer was heard.
    package var waited: String? {
        guard let heard = firstSample else { return nil }
        let parts = segments.map { "\($0.milliseconds) \($0.kind.rawValue)" }
        return "\(Self.rounded(heard)) ms: " + parts.joined(separator: ", ")
    }

    private static func rounded(_ time: Duration) -> Int { Int(time.fractionalMilliseconds.rounded()) }
}

/// Collects the stages of the current turn.
struct TurnClock: Equatable, Sendable {
    private(set) var report: TurnReport
    /// When the user stopped speaking.
    let ended: Duration
    /// Something has been said in this turn.
    private(set) var hadVoice = false
    /// The thinking tone has sounded in this turn.
    var hadTone = false

    /// - Parameter ended: when the user stopped speaking.
    init(number: Int, ended: Duration) {
        report = TurnReport(number: number)
        self.ended = ended
    }

    mutating func called() {
        report.calls += 1
    }

    mutating func dispatched(at now: Duration) {
        if report.dispatched == nil { report.dispatched = now - ended }
    }

    /// - Parameter isFailure: whether the agent has no answer; the next call may have one.
    mutating func answered(isFailure: Bool = false, at now: Duration) {
        report.answered = now - ended
        report.failure = isFailure ? .agent : nil
    }

    /// The service has not answered the user, and is not asked again.
    mutating func serviceFailed() { report.failure = .service }

    /// - Parameter isAnswer: whether the response is the answer the user waits for, not an acknowledgement.
    mutating func received(isAnswer: Bool, at now: Duration) {
        hadVoice = true
        if isAnswer, report.firstDelta == nil { report.firstDelta = now - ended }
    }

    mutating func audible(isAnswer: Bool, at now: Duration) {
        if isAnswer {
            if report.firstSample == nil { report.firstSample = now - ended }
        } else if report.acknowledged == nil {
            report.acknowledged = now - ended
        }
    }

    /// Reclassifies speech counted as the answer: it was the acknowledgement before a call.
    mutating func becameFiller() {
        report.acknowledged = report.acknowledged ?? report.firstSample
        report.firstSample = nil
        report.firstDelta = nil
    }

    mutating func interrupted(at now: Duration) {
        report.cut = now - ended
    }
}
