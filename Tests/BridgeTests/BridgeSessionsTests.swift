import Glibc
import Testing
import VoiceBase

@testable import BridgeCore

struct BridgeSessionsTests {
    private var random = SystemRandomNumberGenerator()

    private mutating func opened(_ sessions: inout BridgeSessions, host: String = "box:8787", at now: Int = 0) -> String
    {
        let value = BridgeSecrets.make(&random)
        sessions.open(value, host: host, at: now)
        return value.revealed
    }

    @Test mutating func givesEachBrowserItsOwnSession() {
        var sessions = BridgeSessions()
        let (first, second) = (opened(&sessions), opened(&sessions))
        #expect(first != second)
        sessions.close(first)
        let isFirst = sessions.accepts(first, host: "box:8787", at: 1)
        #expect(!isFirst)
        let isSecond = sessions.accepts(second, host: "box:8787", at: 1)
        #expect(isSecond)
    }

    @Test(arguments: ["box:8788", "box", "box:443", "127.0.0.1:8787", ""])
    mutating func refusesASessionAtAnotherHostOrPort(host: String) {
        var sessions = BridgeSessions()
        let value = opened(&sessions)
        let isAccepted = sessions.accepts(value, host: host, at: 1)
        #expect(!isAccepted)
    }

    @Test mutating func endsASessionAfterAYear() {
        var sessions = BridgeSessions()
        let value = opened(&sessions, at: 1000)
        let isAcceptedBefore = sessions.accepts(value, host: "box:8787", at: 1000 + BridgeSessions.lifetime - 1)
        #expect(isAcceptedBefore)
        let isAcceptedAfter = sessions.accepts(value, host: "box:8787", at: 1000 + BridgeSessions.lifetime)
        #expect(!isAcceptedAfter)
    }

    @Test mutating func dropsTheLongestUnusedSessionWhenFull() {
        var sessions = BridgeSessions()
        let values = (0..<BridgeSessions.most).map { _ in opened(&sessions) }
        let isFirst = sessions.accepts(values[0], host: "box:8787", at: 1)
        #expect(isFirst)
        _ = opened(&sessions)
        let isUsedOne = sessions.accepts(values[0], host: "box:8787", at: 1)
        #expect(isUsedOne)
        let isUnusedOne = sessions.accepts(values[1], host: "box:8787", at: 1)
        #expect(!isUnusedOne)
    }

    @Test mutating func survivesARestartAndSkipsBadLines() {
        var sessions = BridgeSessions()
        let value = opened(&sessions, at: 7)
        var again = BridgeSessions(parsing: "nonsense\nshort box 1\n" + sessions.text)
        #expect(again == sessions)
        let isAccepted = again.accepts(value, host: "box:8787", at: 8)
        #expect(isAccepted)
    }
}

struct ConnectionBookTests {
    private final class Connection {}

    private var connections: [Connection] = []

    private mutating func connect(
        _ book: inout ConnectionBook,
        from address: String
    ) -> (ObjectIdentifier, ends: ObjectIdentifier?) {
        let connection = Connection()
        connections.append(connection)
        let id = ObjectIdentifier(connection)
        let loser = book.opened(id, from: IPAddress(address)?.network ?? [])
        if let loser { book.closed(loser) }
        return (id, loser)
    }

    @Test(arguments: [
        (["192.0.2.1"], "192.0.2.1"), (["2001:db8::1", "2001:db8::ffff:2", "2001:db8:0:0:abcd::"], "2001:db8::9"),
    ])
    mutating func addressLosesItsOldestUnknownConnection(crowd: [String], next: String) {
        var book = ConnectionBook()
        let first = connect(&book, from: crowd[0]).0
        for number in 1..<ConnectionBook.mostStrangers { _ = connect(&book, from: crowd[number % crowd.count]) }
        #expect(connect(&book, from: next).ends == first)
        #expect(connect(&book, from: "198.51.100.1").ends == nil)
    }

    @Test mutating func largestCrowdMakesRoomWhenTheServerIsFull() {
        var book = ConnectionBook()
        let owner = connect(&book, from: "198.51.100.1").0
        book.isKnown(owner)
        var crowd: [ObjectIdentifier] = []
        for number in 0..<ConnectionBook.most - 1 {
            // Five addresses, the last with fewer.
            crowd.append(connect(&book, from: "192.0.2.\(min(number / 31, 5))").0)
        }
        #expect(book.count == ConnectionBook.most)
        let (newcomer, loser) = connect(&book, from: "203.0.113.1")
        #expect(loser.map(crowd.contains) == true && loser != newcomer)
    }

    @Test mutating func connectionWithASessionIsNotEnded() {
        var book = ConnectionBook()
        for _ in 0..<100 {
            let (id, loser) = connect(&book, from: "192.0.2.1")
            #expect(loser == nil)
            book.isKnown(id)
        }
    }
}

struct LinkTokenTests {
    /// A folder of another user, as the bridge's is for root.
    private func folder() throws -> String {
        var path = Array("/tmp/jarvis-link-XXXXXX\0".utf8.map(CChar.init(bitPattern:)))
        return String(cString: try #require(mkdtemp(&path)))
    }

    private func write(_ text: String, to path: String) throws { try StateFile.write(Array(text.utf8), to: path) }

    private static let token = String(repeating: "aB3", count: 10) + "xy"

    @Test func readsTheTokenThroughLinksOfRoot() throws {
        let folder = try folder()
        try write(Self.token, to: folder + "/real/token")
        symlink("real", folder + "/state")
        #expect(try BridgeSecrets.token(in: folder + "/state")?.revealed == Self.token)
        #expect(try BridgeSecrets.token(in: folder + "/none") == nil)
    }

    @Test(.enabled(if: geteuid() == 0)) func followsNoLinkOfAnotherUser() throws {
        let folder = try folder()
        try write(Self.token, to: folder + "/secret")
        try write(Self.token, to: folder + "/other/token")
        symlink("../secret", folder + "/token")
        #expect(lchown(folder + "/token", 65534, 65534) == 0)
        #expect(throws: BridgeConfiguration.Problem.self) { try BridgeSecrets.token(in: folder) }
        // The folder itself is one.
        symlink("other", folder + "/state")
        #expect(lchown(folder + "/state", 65534, 65534) == 0)
        #expect(throws: BridgeConfiguration.Problem.self) { try BridgeSecrets.token(in: folder + "/state") }
    }

    @Test func readsNoFileWithASecondName() throws {
        let folder = try folder()
        try write(Self.token, to: folder + "/secret")
        link(folder + "/secret", folder + "/token")
        #expect(throws: BridgeConfiguration.Problem.self) { try BridgeSecrets.token(in: folder) }
    }

    @Test(arguments: ["root:x:0:0:root:/root:/bin/bash", "short", ""]) func doesNotPrintAMalformedToken(
        text: String
    ) throws {
        let folder = try folder()
        try write(text, to: folder + "/token")
        let problem = #expect(throws: BridgeConfiguration.Problem.self) { try BridgeSecrets.token(in: folder) }
        #expect(text.isEmpty || problem?.description.contains(text) == false)
    }
}
