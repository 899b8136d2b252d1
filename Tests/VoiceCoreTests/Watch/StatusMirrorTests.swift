import Testing
import VoiceBase

@testable import VoiceCore

struct StatusMirrorTests {
    private var mirror = StatusMirror()

    init() {
        let snapshot: JSONValue = [
            "event": "snapshot", "number": 1, "missed": 0,
            "values": ["state": "idle", "volumes": ["master": 40, "voice": 100], "uptime_s": 60],
        ]
        mirror.take(snapshot, at: .seconds(100))
    }

    @Test mutating func changesReplaceMembersWhole() {
        mirror.take(
            ["event": "changed", "number": 2, "values": ["state": "listening", "volumes": ["master": 30]]],
            at: .seconds(101)
        )
        #expect(mirror.values == ["state": "listening", "volumes": ["master": 30], "uptime_s": 60])
        #expect(mirror.lastHeard == .seconds(101))
    }

    @Test mutating func aMemberThatIsNullIsGone() {
        mirror.take(["event": "changed", "number": 2, "values": ["state": nil]], at: .seconds(101))
        #expect(mirror.values.keys.sorted() == ["uptime_s", "volumes"])
    }

    @Test mutating func aSnapshotReplacesAllAndCountsWhatWasMissed() {
        for _ in 0..<2 {
            mirror.take(
                ["event": "snapshot", "number": 9, "missed": 7, "values": ["state": "idle"]],
                at: .seconds(101)
            )
        }
        mirror.take(["event": "snapshot", "missed": 1e300, "values": [:]], at: .seconds(101))
        #expect(mirror.values.isEmpty)
        #expect(mirror.missed == 1_000_000_000_014)
    }

    @Test mutating func ignoresWhatIsNoPartOfTheStatus() {
        let before = mirror
        let strange: [JSONValue] = [
            nil, 7, ["event": "changed"], ["event": "turn", "values": ["state": "error"]], ["ok": true, "result": [:]],
            ["event": "changed", "values": [1, 2]], ["values": ["state": "error"]],
        ]
        for line in strange { mirror.take(line, at: .seconds(200)) }
        #expect(mirror == before)
    }

    @Test func ignoresChangesBeforeTheFirstSnapshot() {
        var mirror = StatusMirror()
        mirror.take(["event": "changed", "number": 5, "values": ["state": "error"]], at: .seconds(1))
        #expect(mirror == StatusMirror())
    }

    @Test mutating func isStaleOnceTheDaemonIsSilentForLongerThanItsPause() {
        #expect(StatusMirror().staleness(at: .seconds(500)) == nil)
        #expect(mirror.staleness(at: .milliseconds(106_900)) == nil)
        #expect(mirror.staleness(at: .seconds(112)) == 12)
        mirror.take(["event": "changed", "number": 2, "values": [:]], at: .seconds(112))
        #expect(mirror.staleness(at: .seconds(113)) == nil)
    }

    @Test func countersRunOnFromTheMomentTheyWereSent() {
        let up = mirror["uptime_s"]
        #expect(mirror.seconds(up, of: "uptime_s", runs: 1, at: .milliseconds(104_900)) == 64)
        #expect(mirror.seconds(up, of: "uptime_s", runs: -1, at: .seconds(300)) == 0)
        #expect(mirror.seconds(nil, of: "uptime_s", runs: 1, at: .seconds(300)) == nil)
    }

    @Test(arguments: [(JSONValue.number(1e300), 1_000_000_000_000), (2.6, 3), (-7, -7), ("7", nil), (nil, nil)])
    func numbersFromOutsideAreLimited(value: JSONValue, expected: Int?) {
        #expect(value.bounded == expected)
    }
}
