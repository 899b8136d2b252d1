import Logging
import Synchronization
import Testing

@testable import VoiceCore

struct JournalLogHandlerTests {
    @Test func aLineCarriesItsPriorityAndItsValues() {
        let lines = written { logger in
            logger.info("turn ended", metadata: ["turn": "3", "text": "two words", "empty": ""])
            logger.warning("odd", metadata: ["quote": "a\"b c"])
            logger.debug("seen")
            logger.error("bad")
        }
        #expect(
            lines == [
                "<6>turn ended empty=\"\" text=\"two words\" turn=3\n", "<4>odd quote=\"a\\\"b c\"\n", "<7>seen\n",
                "<3>bad\n",
            ]
        )
    }

    @Test func oneEventStaysOneLine() {
        let lines = written { $0.notice("a\nb", metadata: ["k": "c\n<3>d\u{1B}[31m"]) }
        #expect(lines == ["<5>a\\nb k=\"c\\n<3>d\\u{1b}[31m\"\n"])
    }

    @Test func outsideTheJournalALineBeginsWithTheTime() throws {
        let line = try #require(written(style: .terminal) { $0.info("hello", metadata: ["a": "b"]) }.first)
        #expect(line.hasSuffix(" info hello a=b\n"))
        #expect(line.prefix(8).split(separator: ":").count == 3)
    }

    @Test func theJournalIsKnownByItsStream() {
        #expect(JournalLogHandler.style(journalStream: "8:42", device: 8, inode: 42) == .journal)
        #expect(JournalLogHandler.style(journalStream: "8:42", device: 8, inode: 43) == .terminal)
        #expect(JournalLogHandler.detectedStyle(journalStream: nil) == .terminal)
    }

    private func written(style: JournalLogHandler.Style = .journal, _ body: (Logger) -> Void) -> [String] {
        let lines = Lines()
        body(Logger(label: "test") { _ in JournalLogHandler(style: style, level: .debug) { lines.add($0) } })
        return lines.all
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }
}
