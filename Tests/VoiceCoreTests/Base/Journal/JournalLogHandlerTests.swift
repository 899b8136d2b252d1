import Logging
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceBase
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

    /// Neither a backslash before a quote nor a combining mark after it ends the value.
    @Test(arguments: [
        (#"a\" b=1"#, #"<6>odd k="a\\\" b=1""#), ("a\"\u{301} b=1", "<6>odd k=\"a\\\"\u{301} b=1\""),
        (#"a\n b"#, #"<6>odd k="a\\n b""#), (#"C:\x"#, #"<6>odd k=C:\x"#),
    ])
    func aValueEndsWhereItsQuotesEnd(value: String, line: String) {
        #expect(written { $0.info("odd", metadata: ["k": "\(value)"]) } == [line + "\n"])
    }

    @Test func eventStaysOnOneLine() {
        let lines = written { $0.notice("a\nb", metadata: ["k": "c\n<3>d\u{1B}[31m"]) }
        #expect(lines == ["<5>a\\nb k=\"c\\n<3>d\\u{1b}[31m\"\n"])
    }

    @Test func longOutsideTextIsCut() throws {
        let long = String(repeating: "m", count: 100_000)
        let line = try #require(written { $0.warning("refused: \(long)", metadata: ["param": "\(long)"]) }.first)
        #expect(line.utf8.count < 3100 && line.hasSuffix("...\n"))
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

    @Test func theJournalGetsTheValuesAsFields() throws {
        let written = Mutex<[LogLine]>([])
        let logger = Logger(label: "test") { _ in
            JournalLogHandler(style: .journal, threshold: LogThreshold(), hasJournal: true) { line in
                written.withLock { $0.append(line) }
            }
        }
        logger.info("call", metadata: .event(.toolCall, ["call": "call_1", "turn": "3", "tool": "ask_jarvis"]))
        logger.info("turn", metadata: .event(.turn, ["first_sample_ms": "1294"]))
        logger.info("ready", metadata: .event(.ready))
        let lines = written.withLock { $0 }
        let entry = try #require(lines.first?.entry)
        #expect(entry["MESSAGE"] == "call call=call_1 tool=ask_jarvis turn=3")
        #expect(entry["JARVIS_EVENT"] == "tool_call")
        #expect(entry["JARVIS_CALL_ID"] == "call_1")
        #expect(entry["JARVIS_TURN"] == "3")
        #expect(entry["PRIORITY"] == "6")
        #expect(lines[1].entry?["JARVIS_FIRST_SAMPLE_MS"] == "1294")
        #expect(lines.last?.entry?["MESSAGE_ID"] == JournalEvent.ready.messageID)
        // The text written if the journal does not accept the entry.
        #expect(lines.last?.text == "<6>ready\n")
    }

    @Test func theSameTroubleIsWrittenOncePerChange() {
        let lines = Lines()
        let handler = JournalLogHandler(style: .journal, threshold: LogThreshold(), write: { lines.add($0.text) })
        let logger = Logger(label: "test") { _ in handler }
        for pause in 1...12 {
            logger.warning("lost: no route", metadata: .event(.connectionLost, ["retry_in_ms": "\(pause)"]))
        }
        logger.warning("lost: no address", metadata: .event(.connectionLost))
        logger.info("opened", metadata: .event(.sessionOpened))
        logger.info("opened", metadata: .event(.sessionOpened))
        #expect(
            lines.all == [
                "<4>lost: no route retry_in_ms=1\n", "<4>lost: no route retry_in_ms=10 times=10\n",
                "<4>lost: no address\n", "<6>opened failures=13\n", "<6>opened\n",
            ]
        )
    }

    @Test func theLevelMayChangeWhileLoggersLive() {
        let lines = Lines()
        let threshold = LogThreshold(.warning)
        var logger = Logger(label: "test") { _ in
            JournalLogHandler(style: .journal, threshold: threshold, write: { lines.add($0.text) })
        }
        logger.info("a")
        threshold.level = .debug
        logger.debug("b")
        logger.logLevel = .error
        logger.warning("c")
        #expect(lines.all == ["<7>b\n"])
    }

    private func written(style: JournalLogHandler.Style = .journal, _ body: (Logger) -> Void) -> [String] {
        let lines = Lines()
        body(
            Logger(label: "test") { _ in
                JournalLogHandler(style: style, threshold: LogThreshold(.debug)) { lines.add($0.text) }
            }
        )
        return lines.all
    }

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    /// A server may quote the key that it was sent, in any form.
    @Test func linesContainNoSecrets() throws {
        let lines = Collected<String>()
        var redactor = Redactor()
        let environment = ["OPENAI_API_KEY": "eyJhbGciOi.payload.signature", "JARVIS_TOKEN": "word"]
        redactor.add(try Secrets(configuration: Configuration(), environment: environment))
        let clean = redactor
        let logger = Logger(label: "test") { _ in
            JournalLogHandler(
                style: .journal,
                threshold: LogThreshold(),
                clean: { clean.clean($0) },
                write: { lines.add([$0.text]) }
            )
        }
        logger.error("refused: eyJhbGciOi.payload.signature", metadata: ["reason": "bad eyJhbGciOi.payload.signature"])
        logger.error("in a word")
        #expect(lines.all.count == 2 && !lines.all[0].contains("payload") && lines.all[1].contains("in a word"))
    }

}
