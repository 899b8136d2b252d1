import Testing
import VoiceBase

struct StatusMirrorTests {
    private var mirror = StatusMirror()

    init() {
        let snapshot: JSONValue = [
            "event": "snapshot", "number": 7, "missed": 0,
            "values": ["state": "idle", "volumes": ["master": 40, "voice": 100], "uptime_s": 60],
        ]
        _ = mirror.apply(snapshot, at: .seconds(100))
    }

    @Test mutating func changesReplaceMembersWhole() {
        let change: JSONValue = [
            "event": "changed", "number": 8, "values": ["state": "listening", "volumes": ["master": 30]],
        ]
        #expect(mirror.apply(change, at: .seconds(101)) == .changed)
        #expect(mirror.values == ["state": "listening", "volumes": ["master": 30], "uptime_s": 60])
        #expect(mirror.lastHeard == .seconds(101))
    }

    @Test mutating func lateReaderGetsTheWholeStatus() {
        _ = mirror.apply(["event": "changed", "number": 8, "values": ["state": "error", "volumes": nil]], at: .zero)
        let snapshot: JSONValue = [
            "event": "snapshot", "number": 8, "missed": 3, "values": ["state": "error", "uptime_s": 60],
        ]
        #expect(mirror.snapshot(missed: 3) == snapshot)
    }

    @Test mutating func snapshotReplacesAllAndAddsTheMissed() {
        for missed in [7, 7, 1e300] as [JSONValue] {
            #expect(
                mirror.apply(["event": "snapshot", "number": 2, "missed": missed, "values": [:]], at: .zero)
                    == .snapshot
            )
        }
        #expect(mirror.values.isEmpty)
        #expect(mirror.missed == 1_000_000_000_014)
    }

    @Test mutating func otherMessagesAreIgnored() {
        let before = mirror
        let strange: [JSONValue] = [
            nil, 7, ["event": "turn", "values": ["state": "error"]], ["ok": true, "result": [:]],
            ["values": ["state": "error"]],
        ]
        for line in strange { #expect(mirror.apply(line, at: .seconds(200)) == .other) }
        #expect(mirror == before)
    }

    @Test(
        arguments: [
            ["event": "changed", "number": 9, "values": ["state": "error"]], ["event": "changed", "number": 8],
            ["event": "changed", "number": 8, "values": [1, 2]], ["event": "changed", "values": [:]],
        ] as [JSONValue]
    )
    mutating func noticesAMissingChange(line: JSONValue) {
        #expect(mirror.apply(line, at: .seconds(101)) == .broken)
        #expect(mirror["state"] == "idle")
    }

    @Test func wantsASnapshotFirst() {
        var mirror = StatusMirror()
        #expect(mirror.apply(["event": "changed", "number": 1, "values": [:]], at: .zero) == .broken)
        #expect(mirror.snapshot() == nil)
    }

    @Test mutating func boundsTheMembers() {
        let many = (0..<300).map { ("m\($0)", JSONValue.integer($0)) }
        let change: JSONValue = ["event": "changed", "number": 8, "values": .object(.init(uniqueKeysWithValues: many))]
        #expect(mirror.apply(change, at: .zero) == .broken)
    }

    @Test mutating func isStaleOnceTheDaemonIsSilentForLongerThanItsPause() {
        #expect(StatusMirror().staleness(at: .seconds(500)) == nil)
        #expect(mirror.staleness(at: .milliseconds(106_900)) == nil)
        #expect(mirror.staleness(at: .seconds(112)) == 12)
        _ = mirror.apply(["event": "changed", "number": 8, "values": [:]], at: .seconds(112))
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
