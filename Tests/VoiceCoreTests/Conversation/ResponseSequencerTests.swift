import Testing

@testable import VoiceConversation

/// Every transition of the sequencer, and each race in which both sides act at the same time.
struct ResponseSequencerTests {
    @Test func outputSentAfterTheRequestGetsAnotherResponse() {
        var sequencer = ResponseSequencer()
        sequencer.outputSent(callID: "first")
        sequencer.requested(eventID: "respond")
        sequencer.outputSent(callID: "second")
        #expect(sequencer.created(responseID: "r", clientEventID: "respond").isOurs)
        #expect(sequencer.uncovered == ["second"])
    }

    enum Step: Sendable {
        case output(String)
        case confirmed(String)
        case want
        case requested(String)
        case created(String, for: String?)
        case done(String, for: String?, spoken: Bool)
        case cancel, refused, cancelRefused, abandon, lostTrack, forget
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var steps: [Step]
        var phase: ResponseSequencer.Phase
        var uncovered: Set<String> = []
        var unspoken: Set<String>?
        var isWanted = false

        init(
            _ what: String,
            _ steps: [Step],
            _ phase: ResponseSequencer.Phase,
            uncovered: Set<String> = [],
            unspoken: Set<String>? = nil,
            isWanted: Bool = false
        ) {
            testDescription = what
            self.steps = steps
            self.phase = phase
            self.uncovered = uncovered
            self.unspoken = unspoken
            self.isWanted = isWanted
        }
    }

    static let asked: [Step] = [.output("c"), .requested("e")]

    @Test(arguments: [
        Row("a response of the server's own", [.created("r", for: nil)], .active(responseID: "r")),
        Row("its end", [.created("r", for: nil), .done("r", for: nil, spoken: true)], .idle),
        Row("an output waits for its request", [.output("c")], .idle, uncovered: ["c"]),
        Row("a request", asked, .requested(eventID: "e"), uncovered: ["c"]),
        Row("ours begins", asked + [.created("r", for: "e")], .active(responseID: "r"), unspoken: ["c"]),
        Row("ours without metadata", asked + [.created("r", for: nil)], .active(responseID: "r"), unspoken: ["c"]),
        Row("ours is spoken", asked + [.created("r", for: "e"), .done("r", for: "e", spoken: true)], .idle),
        Row(
            "ours was cut before its first word",
            asked + [.created("r", for: "e"), .done("r", for: "e", spoken: false)], .idle, uncovered: ["c"]
        ),
        Row("an end without a beginning, known by metadata", asked + [.done("r", for: "e", spoken: true)], .idle),
        Row(
            "an end without a beginning, not ours", asked + [.done("r", for: nil, spoken: true)],
            .requested(eventID: "e"), uncovered: ["c"]
        ),
        Row(
            "the end of another than the one that runs",
            [.created("r1", for: nil), .created("r2", for: nil), .done("r1", for: nil, spoken: true)],
            .active(responseID: "r2")
        ),
        Row("an end out of nowhere", [.done("r", for: nil, spoken: true)], .idle),
        Row(
            "another begins before ours: the request is still out", asked + [.created("r", for: "x")],
            .active(responseID: "r"), uncovered: ["c"]
        ),
        Row(
            "another ends, ours was not refused: it is coming",
            asked + [.created("r", for: "x"), .done("r", for: "x", spoken: true)], .requested(eventID: "e"),
            uncovered: ["c"]
        ),
        Row(
            "another ends, ours was refused: it is to be asked for again",
            asked + [.created("r", for: "x"), .refused, .done("r", for: "x", spoken: true)], .idle, uncovered: ["c"]
        ),
        Row(
            "another has seen the confirmed output", asked + [.confirmed("c"), .created("r", for: "x"), .refused],
            .active(responseID: "r"), unspoken: ["c"]
        ),
        Row(
            "without metadata from a server that has echoed it: not ours",
            [.created("r0", for: "e0"), .done("r0", for: "e0", spoken: true)] + asked + [.created("r", for: nil)],
            .active(responseID: "r"), uncovered: ["c"]
        ),
        Row(
            "a guess that the refusal takes back", asked + [.created("r", for: nil), .refused],
            .active(responseID: "r"), uncovered: ["c"]
        ),
        Row("refused for one that has ended, or is still to be announced", asked + [.refused], .idle, uncovered: ["c"]),
        Row(
            "refused again: one that is not announced", asked + [.refused, .requested("f"), .refused],
            .active(responseID: nil), uncovered: ["c"]
        ),
        Row(
            "its end", asked + [.refused, .requested("f"), .refused, .done("any", for: nil, spoken: true)], .idle,
            uncovered: ["c"]
        ),
        Row(
            "another ends, and only then the refusal for it comes",
            asked + [.created("r", for: "x"), .done("r", for: "x", spoken: true), .refused], .idle, uncovered: ["c"]
        ),
        Row(
            "the same without metadata",
            asked + [.created("r", for: nil), .done("r", for: nil, spoken: true), .refused], .idle, uncovered: ["c"]
        ),
        Row("a request that is given up", asked + [.abandon], .idle, uncovered: ["c"]),
        Row("cancelling", [.created("r", for: nil), .cancel], .cancelling(responseID: "r")),
        Row("cancelling twice", [.created("r", for: nil), .cancel, .cancel], .cancelling(responseID: "r")),
        Row("nothing to cancel", [.cancel], .idle),
        Row(
            "cancelled, done", [.created("r", for: nil), .cancel, .done("r", for: nil, spoken: false)], .idle
        ),
        Row("the server has nothing to cancel", [.created("r", for: nil), .cancel, .cancelRefused], .idle),
        Row(
            "nothing to cancel, said of the one before",
            [
                .created("r1", for: nil), .cancel, .done("r1", for: nil, spoken: true), .created("r2", for: nil),
                .cancelRefused,
            ],
            .active(responseID: "r2")
        ),
        Row("a request that is silenced", asked + [.cancel], .requested(eventID: "e"), uncovered: ["c"]),
        Row("an end that never comes", [.created("r", for: nil), .lostTrack], .idle),
        Row("a cancellation that never ends", [.created("r", for: nil), .cancel, .lostTrack], .idle),
        Row(
            "an output is sent while a response runs",
            [.created("r", for: nil), .output("c"), .confirmed("c"), .done("r", for: nil, spoken: true)], .idle,
            uncovered: ["c"]
        ),
        Row("a wish", [.want], .idle, isWanted: true),
        Row("any response fulfils a wish", [.want, .created("r", for: nil)], .active(responseID: "r")),
        Row("all forgotten", asked + [.created("r", for: "e"), .output("d"), .forget], .active(responseID: "r")),
    ])
    func everyRaceEndsInItsState(row: Row) {
        var sequencer = ResponseSequencer()
        for step in row.steps { perform(step, on: &sequencer) }
        #expect(sequencer.phase == row.phase)
        #expect(sequencer.uncovered == row.uncovered)
        #expect(sequencer.unspoken == row.unspoken ?? row.uncovered)
        #expect(sequencer.isWanted == row.isWanted)
    }

    @Test func silencedRequestIsCancelledOnArrival() {
        var sequencer = ResponseSequencer()
        sequencer.requested(eventID: "e")
        #expect(sequencer.cancel() == .onArrival)
        #expect(!sequencer.isResponseComing)
        #expect(sequencer.created(responseID: "other", clientEventID: "x") == (isOurs: false, isSilenced: false))
        #expect(sequencer.isResponseComing, "another was not silenced")
        sequencer.done(responseID: "other")
        #expect(sequencer.created(responseID: "r", clientEventID: "e") == (isOurs: true, isSilenced: true))
        #expect(sequencer.cancel() == .now(responseID: "r"))
        #expect(sequencer.cancel() == .none)
    }

    @Test func refusalOfAnAbandonedRequestIsIgnored() {
        var sequencer = ResponseSequencer()
        sequencer.requested(eventID: "e1")
        sequencer.abandon()
        sequencer.requested(eventID: "e2")
        sequencer.refused(eventID: "e1")
        #expect(sequencer.phase == .requested(eventID: "e2"))
        sequencer.refused(eventID: "e2")
        #expect(sequencer.isIdle)
    }

    @Test func tellsOnceWhetherARequestIsLostWithItsRefusal() {
        var sequencer = ResponseSequencer()
        func refusedAndLost(_ eventID: String, _ before: (inout ResponseSequencer) -> Void = { _ in }) -> Bool {
            sequencer.requested(eventID: eventID)
            before(&sequencer)
            sequencer.refused()
            return sequencer.consumeLoss()
        }
        #expect(refusedAndLost("e1"), "nothing else asks for it")
        #expect(!refusedAndLost("e2") { _ = $0.cancel() }, "the user has silenced it")
        sequencer.outputSent(callID: "c")
        sequencer.lostTrack()
        #expect(!refusedAndLost("e3"), "the output asks for it")
    }

    private func perform(_ step: Step, on sequencer: inout ResponseSequencer) {
        switch step {
        case .output(let callID): sequencer.outputSent(callID: callID)
        case .confirmed(let callID): sequencer.outputConfirmed(callID: callID)
        case .want: sequencer.want()
        case .requested(let eventID): sequencer.requested(eventID: eventID)
        case .created(let responseID, let eventID):
            _ = sequencer.created(responseID: responseID, clientEventID: eventID)
        case .done(let responseID, let eventID, let isSpoken):
            sequencer.done(responseID: responseID, clientEventID: eventID, isSpoken: isSpoken)
        case .cancel: _ = sequencer.cancel()
        case .refused: sequencer.refused()
        case .cancelRefused: sequencer.cancelRefused()
        case .abandon: sequencer.abandon()
        case .lostTrack: sequencer.lostTrack()
        case .forget: sequencer.forget()
        }
    }
}
