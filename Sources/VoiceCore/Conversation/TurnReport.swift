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

    package var interrupted: Bool { cut != nil }
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

    mutating func answered(at now: Duration) {
        report.answered = now - ended
    }

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
