import Testing
import VoiceBase

@testable import BridgeCore

struct NativePipelineTests {
    private typealias Effect = NativePipeline.Effect

    private final class Home {}

    /// A pipeline with a Home Assistant, whose daemon is followed.
    private struct Way {
        var pipeline = NativePipeline()
        let home = Home()

        init() {
            #expect(pipeline.handle(.wanted(true)).isEmpty, "no Home Assistant yet")
            #expect(pipeline.handle(.subscribed(owner, true)) == [.follow])
        }

        var owner: ObjectIdentifier { ObjectIdentifier(home) }

        mutating func event(_ number: UInt32, _ data: [String: String] = [:]) -> [Effect] {
            let fields =
                [ProtoField(1, .number(number))]
                + data.map { ProtoField(2, .message([ProtoField(1, .text($0.key)), ProtoField(2, .text($0.value))])) }
            return pipeline.handle(.message(owner, .assistantEvent, ProtoFields(fields.bytes)!))
        }

        mutating func response(isRefused: Bool = false) -> [Effect] {
            let fields = ProtoFields([ProtoField(2, .flag(isRefused))].bytes)!
            return pipeline.handle(.message(owner, .assistantResponse, fields))
        }

        /// A run that Home Assistant has begun.
        mutating func begin(_ run: Int = 5) {
            _ = pipeline.handle(.order(.start(run: run, word: "hey jarvis")))
            _ = response()
            _ = event(1, ["url": "http://home/a.wav"])
        }

        /// A run with an answer that is to be played.
        mutating func answer(_ run: Int = 5) -> [Effect] {
            begin(run)
            return event(4, ["text": "what time is it"]) + event(7, ["text": "Noon."])
                + event(8, ["url": "http://home/a.wav"]) + event(2)
        }

        func sent(_ effects: [Effect]) -> [NativeMessage] {
            effects.compactMap { if case .send(owner, let message) = $0 { message } else { nil } }
        }
    }

    private static let stop = NativeMessage(.assistantRequest)
    private static func finished(_ isPlayed: Bool) -> NativeMessage {
        NativeMessage(.announceFinished, [ProtoField(1, .flag(isPlayed))])
    }

    @Test func runGoesToHomeAssistantAndItsNewsComeBack() {
        var way = Way()
        let request = way.sent(way.pipeline.handle(.order(.start(run: 5, word: "hey jarvis"))))
        #expect(request.first?.fields?.flag(1) == true && request.first?.fields?.text(5) == "Hey Jarvis")
        _ = way.response()
        #expect(way.event(1, ["url": "http://home/a.wav"]) == [.tell(run: 5, "began", text: "speaks")])
        let sound = way.sent(way.pipeline.handle(.order(.sound(run: 5, [1, 2]))))
        #expect(sound.map(\.kind) == [.assistantAudio] && sound.first?.body == [0x0A, 2, 1, 2])
        #expect(way.event(12) == [.tell(run: 5, "speech_ended", text: "")])
        #expect(way.event(4, ["text": "what time is it"]) == [.tell(run: 5, "heard", text: "what time is it")])
        #expect(way.event(7, ["text": "Noon."]) == [.tell(run: 5, "says", text: "Noon.")])
        #expect(way.event(8, ["url": "http://home/a.wav"]) == [.tell(run: 5, "sound", text: "http://home/a.wav")])
        #expect(way.event(2) == [.tell(run: 5, "ended", text: "")])
        #expect(way.sent(way.pipeline.handle(.order(.played(run: 5)))) == [Self.finished(true)])
    }

    @Test func soundWaitsUntilTheRunIsTakenAndIsBounded() {
        var way = Way()
        _ = way.pipeline.handle(.order(.start(run: 5, word: "")))
        for number in 0..<100 {
            #expect(way.pipeline.handle(.order(.sound(run: 5, [UInt8(number)]))).isEmpty)
        }
        let sent = way.sent(way.response())
        #expect(sent.count == NativePipeline.mostHeld && sent.last?.body == [0x0A, 1, 99], "the oldest go")
    }

    @Test func answerThatStreamsIsFetchedFromTheAddressOfTheBeginning() {
        var way = Way()
        way.begin()
        #expect(way.event(100, ["tts_start_streaming": "1"]) == [.tell(run: 5, "sound", text: "http://home/a.wav")])
    }

    @Test func stopEndsTheRunAndTheAnswer() {
        var way = Way()
        way.begin()
        #expect(way.sent(way.pipeline.handle(.order(.stop(run: 5)))) == [Self.stop])
        #expect(way.event(2).isEmpty, "its end")
        var speaking = Way()
        _ = speaking.answer()
        #expect(speaking.sent(speaking.pipeline.handle(.order(.stop(run: 5)))) == [Self.finished(false)])
        var early = Way()
        early.begin()
        _ = early.event(7, ["text": "Noon."])
        #expect(early.sent(early.pipeline.handle(.order(.stop(run: 5)))) == [Self.stop, Self.finished(false)])
    }

    @Test func newRunEndsTheAnswerOfTheLastFirst() {
        var way = Way()
        _ = way.answer()
        let sent = way.sent(way.pipeline.handle(.order(.start(run: 6, word: ""))))
        #expect(sent.map(\.kind) == [.announceFinished, .assistantRequest])
        #expect(way.pipeline.handle(.order(.played(run: 5))).isEmpty, "it is over already")
    }

    @Test func endOfAnEarlierRunIsNotThatOfTheNext() {
        var way = Way()
        way.begin(5)
        _ = way.pipeline.handle(.order(.start(run: 6, word: "")))
        #expect(way.event(0, ["code": "x"]).isEmpty && way.event(2).isEmpty)
        #expect(way.event(1) == [.tell(run: 6, "began", text: "")])
        #expect(way.event(2) == [.tell(run: 6, "ended", text: "")])
    }

    @Test func errorsReachTheDaemon() {
        var way = Way()
        way.begin()
        let failed = way.event(0, ["code": "intent-failed", "message": "Unexpected"])
        #expect(failed == [.tell(run: 5, "failed", text: "intent-failed: Unexpected")])
        var refused = Way()
        _ = refused.pipeline.handle(.order(.start(run: 5, word: "")))
        guard case .tell(5, "failed", _)? = refused.response(isRefused: true).first else {
            return #expect(Bool(false))
        }
        var early = Way()
        _ = early.pipeline.handle(.order(.start(run: 5, word: "")))
        #expect(early.event(0, ["code": "pipeline-not-found"]) == [.tell(run: 5, "failed", text: "pipeline-not-found")])
        #expect(early.event(2) == [.tell(run: 5, "ended", text: "")])
    }

    @Test func textOfAnyKindHasRoomInARequest() {
        var way = Way()
        way.begin()
        for text in ["\u{1}\n\u{7F}", "\"\\", "\u{200B}", "\u{85}"] {
            guard case .tell(_, "says", let told)? = way.event(7, ["text": String(repeating: text, count: 9000)]).first
            else { return #expect(Bool(false)) }
            let line: JSONValue = [
                "command": "assist", "arguments": ["action": "says", "run": 5, "text": .string(told)],
            ]
            #expect(line.line.utf8.count < 16_000)
        }
    }

    @Test func lostDaemonLeavesNoSatelliteThatHangs() {
        var way = Way()
        _ = way.answer()
        let effects = way.pipeline.handle(.unfollowed)
        #expect(way.sent(effects) == [Self.finished(false)] && effects.last == .wait)
        #expect(way.pipeline.handle(.retry) == [.follow])
        var hearing = Way()
        hearing.begin()
        #expect(hearing.sent(hearing.pipeline.handle(.unfollowed)) == [Self.stop])
        #expect(hearing.pipeline.handle(.wanted(false)).isEmpty && hearing.pipeline.handle(.retry).isEmpty)
    }

    @Test func lostHomeAssistantEndsTheRunAndIsFollowedNoLonger() {
        var way = Way()
        way.begin()
        let effects = way.pipeline.handle(.left(way.owner))
        guard case .tell(5, "failed", _)? = effects.first else { return #expect(Bool(false)) }
        #expect(effects.last == .unfollow && way.sent(effects).isEmpty)
        #expect(way.pipeline.handle(.subscribed(way.owner, true)) == [.follow])
    }

    @Test func questionOpensAConversationInTheDaemon() {
        var way = Way()
        #expect(way.pipeline.handle(.question(way.owner, isDone: true)) == [.ask])
        #expect(way.pipeline.handle(.asked(problem: nil)).isEmpty)
    }

    /// Home Assistant waits for a run for ever.
    @Test(arguments: [true, false]) func questionThatTheDaemonRefusesFailsInsteadOfHanging(hasResponse: Bool) {
        var way = Way()
        _ = way.pipeline.handle(.question(way.owner, isDone: true))
        let sent = way.sent(way.pipeline.handle(.asked(problem: "the microphone is off")))
        #expect(sent.map(\.kind) == [.assistantRequest] && sent.first?.fields?.flag(1) == true)
        let end = hasResponse ? way.response() : way.event(1)
        #expect(way.sent(end) == [Self.stop], "it ends before anything is heard")
        #expect(way.event(2).isEmpty)
    }

    @Test func questionThatWasNotPlayedFailsToo() {
        var way = Way()
        #expect(way.sent(way.pipeline.handle(.question(way.owner, isDone: false))).map(\.kind) == [.assistantRequest])
    }
}
