import Testing

@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

struct StatusFeedTests {
    private func tell(
        _ feed: inout StatusFeed,
        _ values: [String: JSONValue],
        isWhole: Bool = true,
        hasRoom: Bool = true,
        at now: Duration = .zero
    ) -> JSONValue? {
        feed.message(StatusSample(values, isWhole: isWhole, at: now), hasRoom: hasRoom, at: now)
    }

    @Test func subscriberGetsASnapshotThenChanges() {
        var feed = StatusFeed()
        #expect(tell(&feed, ["levels": 1], isWhole: false) == nil)
        #expect(
            tell(&feed, ["state": "idle", "timers": 1])
                == ["event": "snapshot", "number": 1, "missed": 0, "values": ["state": "idle", "timers": 1]]
        )
        #expect(tell(&feed, ["state": "idle", "timers": 1]) == nil)
        #expect(
            tell(&feed, ["state": "listening"])
                == ["event": "changed", "number": 2, "age_ms": 0, "values": ["state": "listening", "timers": .null]]
        )
        #expect(tell(&feed, ["levels": 2], isWhole: false)?["values"] == ["levels": 2])
        #expect(tell(&feed, ["state": "listening", "levels": 2]) == nil)
    }

    @Test func slowSubscriberGetsOneSnapshot() {
        var feed = StatusFeed()
        _ = tell(&feed, ["turn": 0])
        for turn in 1...3 { #expect(tell(&feed, ["turn": .integer(turn)], hasRoom: false) == nil) }
        #expect(tell(&feed, ["levels": 4], isWhole: false) == nil)
        let message = tell(&feed, ["turn": 3])
        #expect(message == ["event": "snapshot", "number": 2, "missed": 4, "values": ["turn": 3]])
    }

    @Test func unchangedStatusSendsASignOfLife() {
        var feed = StatusFeed()
        _ = tell(&feed, ["state": "idle"])
        #expect(tell(&feed, ["state": "idle"], at: .milliseconds(4900)) == nil)
        #expect(tell(&feed, ["state": "idle"], at: .seconds(5))?["values"] == [:])
        #expect(tell(&feed, ["state": "idle"], at: .seconds(6)) == nil)
    }

    @Test func historyKeepsFiftyTurnsAndCountsAll() {
        var history = DaemonHistory()
        let now = ClockInstant(wall: 1_795_750_139, uptime: .zero)
        for turn in 1...60 {
            var values: [String: JSONValue] = ["turn": .integer(turn)]
            if turn > 58 { values["interrupted"] = true }
            history.note(DaemonEvent(.turn, values), at: now)
        }
        history.note(DaemonEvent(.connectionLost, ["reason": "closed"]), at: now)
        history.note(DaemonEvent(.sessionRotated), at: now)
        guard case .array(let turns)? = history.values["turn_list"] else { return #expect(Bool(false)) }
        #expect(turns.count == 50)
        #expect(turns.first == ["turn": 11, "at": "2026-11-27T03:28:59Z"])
        #expect(history.values["turns_total"] == 60 && history.values["turns_interrupted"] == 2)
        #expect(history.values["reconnects"] == ["lost": 1, "refused": 0, "replaced": 0, "rotated": 1])
    }

    @Test func disabledTranscriptIsForgotten() {
        var history = DaemonHistory()
        let now = ClockInstant(wall: 0, uptime: .zero)
        history.said(TranscriptLine(number: 1, speaker: .user, text: "hello", isLate: false), at: now)
        #expect(history.values["transcript"] == [["who": "user", "text": "hello", "at": "1970-01-01T00:00:00Z"]])
        history.logged("said text=hello", level: "info", at: now)
        history.forgetTranscript()
        #expect(history.values["transcript"] == nil && history.values["log"] == nil)
    }
}
