import Testing
import VoiceBase

@testable import VoiceCore

struct WatchLinesTests {
    private var mirror = StatusMirror()
    private var number = 0
    private var lines = WatchLines()

    private mutating func after(
        _ values: JSONValue,
        _ event: JSONValue = "changed",
        silence: Duration = .zero,
        problem: String? = nil
    ) -> [String] {
        number += 1
        _ = mirror.apply(["event": event, "number": .integer(number), "values": values], at: .seconds(100))
        return lines.lines(mirror, at: .seconds(100) + silence, problem: problem)
    }

    @Test mutating func printsTheStateButNotTheHistoryOfTheSnapshot() {
        let status: JSONValue = [
            "state": "idle", "text": "Idle", "turn_list": [["turn": 7, "first_sample_ms": 900]],
            "last_trouble": ["event": "agent_failed"],
        ]
        #expect(after(status, "snapshot") == ["state idle: Idle"])
        #expect(after([:]) == [])
    }

    @Test mutating func printsChangesOfTheStateAndItsTextButNoLevels() {
        _ = after(["state": "idle", "text": "Idle"], "snapshot")
        #expect(after(["levels": ["in": -20, "out": -90]]) == [])
        #expect(after(["state": "listening", "text": "Listening"]) == ["state listening: Listening"])
        #expect(after(["text": "Muted"]) == ["state listening: Muted"])
        #expect(after(["volumes": ["master": 10]]) == [])
    }

    @Test mutating func printsEachTurnOnceOverARestart() {
        _ = after(["state": "idle", "turn_list": [["turn": 7]]], "snapshot")
        let eight: JSONValue = ["turn": 8, "answered_ms": 1177, "first_sample_ms": 1294, "interrupted": true]
        let line = "turn 8 heard after 1294 ms, answered after 1177 ms, cut off"
        #expect(after(["turn_list": [["turn": 7], eight]]) == [line])
        #expect(after(["turn_list": [eight]]) == [])
        #expect(after(["state": "idle"], "snapshot") == [])
        #expect(after(["turn_list": [["turn": 1, "first_sample_ms": 5]]]) == ["turn 1 heard after 5 ms"])
    }

    @Test mutating func printsTroubleAndItsEnd() {
        _ = after(["state": "idle"], "snapshot")
        #expect(after(["degraded": ["no wake word", "no agent"]]) == ["trouble: no wake word; no agent"])
        #expect(after(["last_trouble": ["event": "lost", "device": "in"]]) == ["trouble lost device=in"])
        #expect(after(["degraded": []]) == ["trouble: none"])
    }

    @Test mutating func printsThatTheDaemonIsMissingOrStale() {
        #expect(lines.lines(mirror, at: .seconds(1), problem: "no daemon answers") == ["trouble: no daemon answers"])
        #expect(lines.lines(mirror, at: .seconds(2), problem: "no daemon answers") == [])
        #expect(after(["state": "idle"], "snapshot") == ["trouble: none", "state idle"])
        #expect(after([:], silence: .seconds(8)) == ["trouble: stale: the daemon sends nothing"])
        #expect(after([:], silence: .seconds(9)) == [])
        #expect(after([:]) == ["trouble: none"])
    }

    @Test mutating func aTextCannotBeginALineOrSendAnEscape() {
        let new = after(["state": "idle", "text": "a\nturn 9\u{1B}[2J", "degraded": ["b\u{9B}c"]], "snapshot")
        #expect(new == [#"trouble: b\u{9b}c"#, #"state idle: a\nturn 9\u{1b}[2J"#])
    }
}
