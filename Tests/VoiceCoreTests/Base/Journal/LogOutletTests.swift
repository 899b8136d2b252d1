import CLinux
import Glibc
import Testing

@testable import TestSupport
@testable import VoiceBase

struct LogOutletTests {
    private static let text = String(repeating: "x", count: 200)

    @Test func endWaitsForAllLinesInOrder() throws {
        let pipe = try Pipe()
        let outlet = LogOutlet(style: .journal, descriptor: pipe.input)
        for number in 0..<100 { outlet.put(LogLine("<6>\(number)\n")) }
        outlet.finish(within: .seconds(30))
        #expect(pipe.lines() == (0..<100).map { "<6>\($0)" })
    }

    @Test func unreadPipeDoesNotBlockAndReportsItsLoss() async throws {
        let pipe = try Pipe()
        let outlet = LogOutlet(style: .journal, descriptor: pipe.input)
        // 4 MB, far more than the pipe and the queue hold. With a blocking write this would never end.
        for number in 0..<20_000 { outlet.put(LogLine("<6>\(number) \(Self.text)\n")) }
        outlet.finish(within: .milliseconds(20))
        // Each line either has its number, or replaces as many lines as it reports missing.
        var number = 0
        var written = 0
        let lines = await OwnThread.run("test") {
            var seen = 0
            return pipe.lines {
                seen += Self.missing($0) ?? 1
                return seen >= 20_000
            }
        }
        for line in lines {
            if let missing = Self.missing(line) {
                let subject = missing == 1 ? "a line is" : "\(missing) lines are"
                #expect(line == "<4>\(subject) missing here: the log was not read fast enough lines=\(missing)")
                number += missing
            } else {
                #expect(line == "<6>\(number) \(Self.text)")
                number += 1
                written += 1
            }
        }
        #expect(number == 20_000)
        #expect((1..<20_000).contains(written))
    }

    /// How many lines `line` reports as missing; nil if it is an ordinary line.
    private static func missing(_ line: String) -> Int? {
        line.firstRange(of: "lines=").flatMap { Int(line[$0.upperBound...]) }
    }

    @Test func lossIsReportedAtItsPlace() async throws {
        let pipe = try Pipe()
        pipe.fill()
        var bounds = LogOutlet.Bounds()
        bounds.lines = 3
        let outlet = LogOutlet(style: .journal, descriptor: pipe.input, bounds: bounds)
        for number in 0..<10 { outlet.put(LogLine("\(number)\n")) }
        pipe.empty()
        // Reads until there is room again.
        let first = await OwnThread.run("test") { pipe.lines(until: { $0 == "2" || $0.contains("missing") }) }
        outlet.put(LogLine("later\n"))
        let rest = await OwnThread.run("test") { pipe.lines(until: { $0 == "later" }) }
        #expect((first + rest).map { $0.contains("7 lines are missing") ? "7" : $0 } == ["0", "1", "2", "7", "later"])
        outlet.finish(within: .seconds(30))
    }

    @Test func hangingJournalDoesNotBlockAndReportsItsLoss() async throws {
        let path = "/tmp/journal-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let receiver = try DatagramReceiver(path: path)
        let pipe = try Pipe()
        let outlet = LogOutlet(style: .journal, journal: JournalSocket(path: path), descriptor: pipe.input)
        for number in 0..<5000 {
            var entry = JournalEntry()
            entry.add("MESSAGE", "\(number)")
            outlet.put(LogLine("<6>\(number)\n", entry: entry))
        }
        var (number, lost) = (0, 0)
        while number < 5000 {
            let text = String(decoding: receiver.next(), as: UTF8.self)
            if text.contains("JARVIS_EVENT=log_lost\n") {
                let count = try #require(
                    text.firstRange(of: "JARVIS_LINES=").flatMap { Int(text[$0.upperBound...].prefix { $0 != "\n" }) }
                )
                number += count
                lost += count
            } else {
                #expect(text.hasPrefix("MESSAGE=\(number)\n"))
                number += 1
            }
        }
        #expect(number == 5000)
        #expect((1..<5000).contains(lost))
        outlet.finish(within: .seconds(30))
        pipe.closeInput()
        #expect(pipe.lines() == [], "nothing went to standard error meanwhile")
    }

    @Test func lostJournalFallsBackToLines() throws {
        let path = "/tmp/journal-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        var receiver: DatagramReceiver? = try DatagramReceiver(path: path)
        let journal = try #require(JournalSocket(path: path))
        _ = receiver
        receiver = nil
        let pipe = try Pipe()
        let outlet = LogOutlet(style: .journal, journal: journal, descriptor: pipe.input)
        var entry = JournalEntry()
        entry.add("MESSAGE", "ready")
        outlet.put(LogLine("<6>ready\n", entry: entry))
        outlet.finish(within: .seconds(30))
        #expect(pipe.lines() == ["<6>ready"])
    }

    @Test func closedReaderDoesNotEndTheProgram() throws {
        let pipe = try Pipe()
        signal(SIGPIPE, SIG_IGN)
        pipe.closeOutput()
        let outlet = LogOutlet(style: .journal, descriptor: pipe.input)
        for number in 0..<100 { outlet.put(LogLine("\(number)\n")) }
        outlet.finish(within: .seconds(30))
    }
}

/// A pipe with both ends in one process. One thread reads it at a time.
private final class Pipe: @unchecked Sendable {
    // Invariant for @unchecked: the descriptors change only where the test's one task closes them.
    private(set) var input: Int32
    private var output: Int32
    private var unread: [UInt8] = []

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(clinux_pipe(&ends) == 0)
        (output, input) = (ends[0], ends[1])
    }

    deinit {
        closeInput()
        closeOutput()
    }

    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    func closeOutput() {
        if output >= 0 { close(output) }
        output = -1
    }

    /// Fills the pipe until nothing more fits.
    func fill() {
        let flags = fcntl(input, F_GETFL)
        _ = fcntl(input, F_SETFL, flags | O_NONBLOCK)
        for size in [4096, 1] {
            let zeros = [UInt8](repeating: 0, count: size)
            while write(input, zeros, size) > 0 {}
        }
        _ = fcntl(input, F_SETFL, flags)
    }

    /// Removes the zeros that fill it.
    func empty() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while unread.isEmpty, case let count = read(output, &bytes, bytes.count), count > 0 {
            unread += bytes[..<count].drop { $0 == 0 }
            guard clinux_wait_readable(output, 0) > 0 else { return }
        }
    }

    /// Returns what has been written and not read; with `isLast`, waits for a line that satisfies it.
    func lines(until isLast: ((String) -> Bool)? = nil) -> [String] {
        var lines: [String] = []
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            while let end = unread.firstIndex(of: 0x0A) {
                lines.append(String(decoding: unread[..<end], as: UTF8.self))
                unread.removeSubrange(...end)
                if let isLast, let line = lines.last, isLast(line) { return lines }
            }
            guard isLast != nil || input < 0 || clinux_wait_readable(output, 0) > 0 else { return lines }
            let count = read(output, &bytes, bytes.count)
            guard count > 0 else { return lines }
            unread += bytes[..<count]
        }
    }
}
