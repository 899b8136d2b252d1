import Glibc
import Testing

@testable import TestSupport
@testable import VoiceBase

struct JournalEntryTests {
    @Test func singleLineValueFollowsItsName() {
        var entry = JournalEntry()
        entry.add("MESSAGE", "hello = world")
        entry.add("JARVIS_EVENT", "")
        #expect(String(decoding: entry.bytes, as: UTF8.self) == "MESSAGE=hello = world\nJARVIS_EVENT=\n")
    }

    @Test func aValueWithLineFeedsCarriesItsLength() {
        var entry = JournalEntry()
        entry.add("JARVIS_TEXT", "a\n=b\n")
        #expect(entry.bytes == Array("JARVIS_TEXT\n".utf8) + [5, 0, 0, 0, 0, 0, 0, 0] + Array("a\n=b\n\n".utf8))
        var long = JournalEntry()
        long.add("T", String(repeating: "\n", count: 0x0201))
        #expect(Array(long.bytes[2..<10]) == [1, 2, 0, 0, 0, 0, 0, 0])
    }

    @Test func valuesCannotForgeAField() {
        var entry = JournalEntry()
        entry.add("JARVIS_TEXT", "x\nPRIORITY=0")
        #expect(entry.bytes.count == "JARVIS_TEXT\n".utf8.count + 8 + "x\nPRIORITY=0\n".utf8.count)
        entry.add("_UID", "0")
        entry.add("lower", "1")
        entry.add("A B", "1")
        entry.add("1A", "1")
        entry.add("", "1")
        entry.add(String(repeating: "A", count: 65), "1")
        #expect(entry.fields.count == 1)
    }

    @Test func overlongValueIsCutBetweenCharacters() {
        var entry = JournalEntry()
        entry.add("A", "x" + String(repeating: "\u{20AC}", count: JournalEntry.longestValue / 3))
        let value = entry["A"] ?? ""
        #expect(value.utf8.count <= JournalEntry.longestValue)
        #expect(value.utf8.count > JournalEntry.longestValue - 4)
        #expect(value.last == "\u{20AC}")
    }

    @Test func namesOfTheLogBecomeNamesOfFields() {
        #expect(JournalEntry.name(for: "first_sample_ms") == "JARVIS_FIRST_SAMPLE_MS")
        #expect(JournalEntry.name(for: "call") == "JARVIS_CALL_ID")
        #expect(JournalEntry.name(for: "to") == "JARVIS_STATE")
        #expect(JournalEntry.name(for: "turn") == "JARVIS_TURN")
        #expect(JournalEntry.name(for: "odd-name \u{E9}") == "JARVIS_ODD_NAME___")
        #expect(JournalEntry.name(for: String(repeating: "a", count: 99)).utf8.count == 64)
    }

    @Test func entriesArriveWhole() throws {
        let path = "/tmp/journal-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let receiver = try DatagramReceiver(path: path)
        let socket = try #require(JournalSocket(path: path))
        var entry = JournalEntry()
        entry.add("MESSAGE", "small")
        #expect(socket.send(entry) == .taken)
        #expect(receiver.next() == entry.bytes)

        // Larger than any socket buffer: sent as a file in memory.
        var large = JournalEntry()
        for index in 0..<12 { large.add("A\(index)", String(repeating: "b", count: JournalEntry.longestValue)) }
        #expect(socket.send(large) == .taken)
        #expect(receiver.next() == large.bytes)
    }

    @Test func missingJournalGivesNoSocket() {
        #expect(JournalSocket(path: "/nonexistent/socket") == nil)
    }
}
