import BridgeCore
import Testing
import VoiceBase

struct StatusMirrorTests {
    private func followed() -> StatusMirror {
        var mirror = StatusMirror()
        _ = mirror.apply(["event": "snapshot", "number": 7, "values": ["state": "listening", "quiet": true]])
        return mirror
    }

    @Test func givesALateReaderEverythingThatCounts() {
        var mirror = followed()
        let change: JSONValue = [
            "event": "changed", "number": 8, "values": ["state": "error", "quiet": nil, "timers": 1],
        ]
        #expect(mirror.apply(change) == .changed)
        #expect(
            mirror.snapshot(missed: 3) == [
                "event": "snapshot", "number": 8, "missed": 3, "values": ["state": "error", "timers": 1],
            ]
        )
    }

    @Test func noticesAMissingChange() {
        var mirror = followed()
        #expect(mirror.apply(["event": "changed", "number": 9, "values": [:]]) == .broken)
    }

    @Test func wantsASnapshotFirst() {
        var mirror = StatusMirror()
        #expect(mirror.apply(["event": "changed", "number": 1, "values": [:]]) == .broken)
        #expect(mirror.snapshot() == nil)
    }

    @Test func skipsWhatItDoesNotKnow() {
        var mirror = followed()
        #expect(mirror.apply(["event": "weather"]) == .other)
        #expect(mirror.apply(["id": 1, "ok": true]) == .other)
        #expect(
            mirror.apply(["event": "snapshot", "number": 8, "missed": 4, "values": ["state": "idle"]]) == .snapshot
        )
        #expect(mirror.values == ["state": "idle"])
    }
}
