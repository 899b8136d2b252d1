import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceConversation

/// The lines of the journal, depending on the order of events.
struct TranscriptAssemblerTests {
    private typealias Step = (ConversationEvent, [ConversationEffect])

    /// Plays events to an assembler, 10 ms apart; returns "number speaker: text" with marks.
    private func read(
        _ events: [ConversationEvent],
        expectsUser: Bool = true,
        effects: [Int: [ConversationEffect]] = [:],
        pauses: [Int: Duration] = [:],
        finish: Bool = false
    ) -> [String] {
        var book = TranscriptAssembler(expectsUser: expectsUser)
        var now = Duration.zero
        var lines: [TranscriptLine] = []
        for (index, event) in events.enumerated() {
            now += pauses[index] ?? .milliseconds(10)
            lines += book.handle(event, effects: effects[index] ?? [], at: now)
        }
        if finish { lines += book.finish() }
        return lines.map(Self.shown)
    }

    static func shown(_ line: TranscriptLine) -> String {
        "\(line.number) \(line.speaker.rawValue): \(line.text)" + (line.heard.map { " [cut at \($0)]" } ?? "")
            + (line.isLate ? " [late]" : "")
    }

    private func committed(_ item: String, after previous: String? = nil) -> ConversationEvent {
        .server(.committed(itemID: item, previous: previous))
    }
    private func added(_ item: String, after previous: String?) -> ConversationEvent {
        .server(.itemAdded(itemID: item, kind: "message", callID: nil, previous: previous))
    }
    private func heard(_ item: String, _ text: String) -> ConversationEvent {
        .server(.heardTranscript(itemID: item, contentIndex: 0, text: text))
    }
    /// A whole answer, played to its end.
    private func answer(
        _ response: String,
        _ item: String,
        _ text: String,
        after previous: String
    ) -> [ConversationEvent] {
        [
            .server(.responseCreated(id: response, clientEventID: nil)),
            .server(.outputItemAdded(responseID: response, itemID: item, kind: "message")),
            added(item, after: previous),
            .voiceReceived(responseID: response, itemID: item),
            .server(.audioDone(responseID: response, itemID: item, contentIndex: 0)),
            .server(.spokenTranscript(responseID: response, itemID: item, text: text)),
            .server(.responseDone(ResponseOutcome(id: response, status: .completed))),
            .voiceDrained,
        ]
    }

    @Test(arguments: [ResponseOutcome.Status.completed, .failed, .incomplete])
    func wordsWithoutSoundAreLeftOut(status: ResponseOutcome.Status) {
        var events = answer("r1", "a1", "Two meetings.", after: "u1")
        events.removeAll { $0 == .voiceReceived(responseID: "r1", itemID: "a1") || $0 == .voiceDrained }
        events[events.count - 1] = .server(.responseDone(ResponseOutcome(id: "r1", status: status)))
        #expect(read(events, finish: true).isEmpty)
        // The local voice says them.
        let said = read(events, effects: [events.count - 1: [.answer("Two meetings.")]], finish: true)
        #expect(said == ["1 voice: Two meetings."])
    }

    @Test func questionPrecedesItsAnswerDespiteLateText() {
        let events =
            [committed("u1"), added("u1", after: nil)] + answer("r1", "a1", "Ten past nine.", after: "u1")
            + [heard("u1", " What time is it?\n")]
        #expect(read(events) == ["1 user: What time is it?", "2 voice: Ten past nine."])
    }

    @Test func repeatedAndPiecemealTextsAreOneLine() {
        let events =
            [
                committed("u1"), .server(.heardDelta(itemID: "u1", contentIndex: 0, text: "What ")),
                .server(.heardDelta(itemID: "u1", contentIndex: 0, text: "tim")),
                heard("u1", "What time is it?"), heard("u1", "What time is it?"),
            ] + answer("r1", "a1", "Ten past nine.", after: "u1")
            + [
                heard("u1", "What time is it?"),
                .server(.spokenDelta(responseID: "r1", itemID: "a1", contentIndex: 0, text: "Ten")),
                .server(.spokenTranscript(responseID: "r1", itemID: "a1", text: "Ten past nine.")),
            ]
        #expect(read(events, finish: true) == ["1 user: What time is it?", "2 voice: Ten past nine."])
    }

    @Test func lateItemIsPlacedBeforeItsFollower() {
        var events: [ConversationEvent] = answer("r1", "a1", "Ten past nine.", after: "u1")
        events.removeLast()
        events += [committed("u1"), .voiceDrained, heard("u1", "What time is it?")]
        #expect(read(events) == ["1 user: What time is it?", "2 voice: Ten past nine."])
    }

    @Test func anAnswerDoesNotWaitForeverForTheQuestion() {
        let events =
            [committed("u1")] + answer("r1", "a1", "Ten past nine.", after: "u1")
            + [.timer(.idle), heard("u1", "What time is it?")]
        let lines = read(events, pauses: [9: TranscriptAssembler.patience])
        #expect(lines == ["2 voice: Ten past nine.", "1 user: What time is it? [late]"])
    }

    @Test func failedTranscriptionDoesNotDelayTheAnswer() {
        let events =
            [committed("u1")] + answer("r1", "a1", "Pardon?", after: "u1")
            + [.server(.heardTranscriptFailed(itemID: "u1", reason: "noise"))]
        #expect(read(events) == ["1 voice: Pardon?"])
    }

    @Test func answersStandAloneWithoutTranscription() {
        let events = [committed("u1")] + answer("r1", "a1", "Ten past nine.", after: "u1")
        #expect(read(events, expectsUser: false) == ["1 voice: Ten past nine."])
    }

    @Test func speechIsALineOnceItIsOver() {
        var events = [committed("u1"), heard("u1", "Hello.")] + answer("r1", "a1", "Hello.", after: "u1")
        events.removeLast()
        #expect(read(events) == ["1 user: Hello."])
    }

    /// An interrupted answer: pieces of text with audio, the cut, and the service's messages afterwards.
    private func interrupted(heard: Int, received: Int) -> [ConversationEvent] {
        let pieces = ["Once", " upon", " a", " time", " there", " was", " a", " king."]
        return [
            .server(.responseCreated(id: "r1", clientEventID: nil)),
            .server(.outputItemAdded(responseID: "r1", itemID: "a1", kind: "message")),
            .voiceReceived(responseID: "r1", itemID: "a1"),
        ] + pieces.map { .server(.spokenDelta(responseID: "r1", itemID: "a1", contentIndex: 0, text: $0)) } + [
            .server(.speechStarted(itemID: "u2", audioStart: 0)),
            .voiceStopped([
                HeardPart(
                    part: SpokenPart(responseID: "r1", itemID: "a1", contentIndex: 0), heard: heard, received: received
                )
            ]),
            .server(
                .spokenTranscript(
                    responseID: "r1", itemID: "a1", text: "Once upon a time there was a king. He had three daughters."
                )
            ),
            .server(.outputItemAdded(responseID: "r1", itemID: "a2", kind: "message")),
            .server(.spokenTranscript(responseID: "r1", itemID: "a2", text: "Never heard.")),
            .server(.responseDone(ResponseOutcome(id: "r1", status: .cancelled))),
        ]
    }

    @Test(arguments: [
        (0, []), (1000, ["1 voice: Once upon a time there [cut at 1000]"]),
        (1600, ["1 voice: Once upon a time there was a king. [cut at 1600]"]),
    ])
    func interruptedTextEndsWhereItWasCut(heard: Int, lines: [String]) {
        let silenced = [11: [ConversationEffect.stopVoice(responseIDs: ["r1"])]]
        #expect(read(interrupted(heard: heard, received: 1600), effects: silenced) == lines)
    }

    @Test func partPlayedBeforeTheCutIsWhole() {
        var events: [ConversationEvent] = answer("r1", "a1", "First part.", after: "u0")
        events.removeLast(2)
        events += [
            .server(.outputItemAdded(responseID: "r1", itemID: "a2", kind: "message")),
            .server(.spokenDelta(responseID: "r1", itemID: "a2", contentIndex: 0, text: "Second part.")),
            .server(.speechStarted(itemID: "u2", audioStart: 0)),
            .voiceStopped([
                HeardPart(
                    part: SpokenPart(responseID: "r1", itemID: "a2", contentIndex: 0), heard: 500, received: 1000
                )
            ]),
            .server(.responseDone(ResponseOutcome(id: "r1", status: .cancelled))),
        ]
        let lines = read(events, effects: [8: [.stopVoice(responseIDs: ["r1"])]])
        #expect(lines == ["1 voice: First part.", "2 voice: Second [cut at 500]"])
    }

    @Test func unplayedTextHasNoLine() {
        // The end of the audio is reported for interrupted items too.
        let events: [ConversationEvent] = [
            .server(.responseCreated(id: "r1", clientEventID: nil)),
            .server(.spokenTranscript(responseID: "r1", itemID: "a1", text: "Never heard.")),
            .server(.speechStarted(itemID: "u2", audioStart: 0)),
            .server(.audioDone(responseID: "r1", itemID: "a1", contentIndex: 0)),
            .voiceStopped([]),
            .server(.responseDone(ResponseOutcome(id: "r1", status: .cancelled))),
        ]
        #expect(read(events, effects: [2: [.stopVoice(responseIDs: ["r1"])]], finish: true).isEmpty)
    }

    @Test func lostSessionSettlesItsOpenLines() {
        let events =
            [committed("u1"), .server(.heardDelta(itemID: "u1", contentIndex: 0, text: "What ti"))]
            + answer("r1", "a1", "Ten past nine.", after: "u1") + [.disconnected(LinkFailure(.transient, "gone"))]
        #expect(read(events) == ["1 user: What ti", "2 voice: Ten past nine."])
    }

    @Test func nextSessionContinuesTheTranscript() {
        let events =
            [committed("u1"), heard("u1", "One.")] + answer("r1", "a1", "Two.", after: "u1")
            + [committed("u2", after: "a1"), .timer(.quiet), committed("v1"), heard("v1", "Three.")]
            + answer("r2", "b1", "Four.", after: "v1")
        let lines = read(events, effects: [11: [.promote]])
        #expect(lines == ["1 user: One.", "2 voice: Two.", "3 user: Three.", "4 voice: Four."])
    }

    @Test func longConversationIsBounded() {
        var book = TranscriptAssembler(expectsUser: true)
        var lines = 0
        for turn in 0..<1000 {
            // Every third text of the user never arrives.
            var events = [committed("u\(turn)")] + answer("r\(turn)", "a\(turn)", "Yes.", after: "u\(turn)")
            if turn % 3 != 0 { events.append(heard("u\(turn)", "Really?")) }
            for event in events { lines += book.handle(event, effects: [], at: .seconds(turn)).count }
        }
        lines += book.finish().count
        #expect(lines == 1000 + 666)
        #expect(book.count <= TranscriptAssembler.limit)
    }

    @Test func anyOrderOfEventsKeepsEveryLine() {
        var generator = SeededGenerator(seed: 41)
        for _ in 0..<300 {
            let whole =
                [committed("u1"), added("u1", after: nil), heard("u1", "One.")]
                + answer("r1", "a1", "Two.", after: "u1")
                + [committed("u2", after: "a1"), added("u2", after: "a1"), heard("u2", "Three.")]
                + answer("r2", "a2", "Four.", after: "u2")
            var events = whole
            events.shuffle(using: &generator)
            events += whole
            let texts = read(events, finish: true).map { $0.split(separator: " ")[2] }
            #expect(texts.count == 4 && Set(texts) == ["One.", "Two.", "Three.", "Four."])
        }
    }

    /// A recorded session: all audio is played on arrival.
    @Test(
        .enabled(if: SharedFiles.areAtHand),
        arguments: [
            (
                "a_plain_turn",
                [
                    "1 user: What time is it?", "2 voice: It is ten past nine in the morning.", "3 user: Thanks.",
                    "4 voice: You are welcome.",
                ]
            ),
            ("b3_parallel_calls", []),
            ("c_barge_in", ["1 voice: Once upon a time there was a", "2 voice: Sure, stopping."]),
        ]
    )
    func recordedSessionsAreAssembled(name: String, lines: [String]) throws {
        let decoder = ServerEventDecoder()
        var events: [ConversationEvent] = []
        var sounding: String?
        for line in TranscriptTests.lines(name) {
            let event = try decoder.decode(line)
            if case .spokenDelta(let response, let item, _, _) = event, sounding != response {
                sounding = response
                events.append(.voiceReceived(responseID: response, itemID: item))
            }
            events += ConversationEvent.all(event)
            if case .responseDone = event { events.append(.voiceDrained) }
        }
        let read = read(events, expectsUser: name.hasPrefix("a"), finish: true)
        if !lines.isEmpty { #expect(read == lines) }
        #expect(!read.isEmpty)
    }
}
