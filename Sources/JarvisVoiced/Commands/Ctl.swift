import ArgumentParser
import FoundationEssentials
import Glibc
import VoiceCore

/// `jarvis-voiced ctl`: orders to the daemon that runs.
struct Ctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give an order to the daemon that runs.",
        discussion: "Commands: " + ControlRegistry.standard.commands.map(\.usage).joined(separator: ", ")
            + ". See docs/control.md."
    )

    @Option(help: "Path of the control socket.")
    var socket: String?

    @Flag(help: "Print the result, or the error, as JSON.")
    var json = false

    @Argument(
        parsing: .captureForPassthrough,
        help: "A command and its arguments.",
        completion: .custom { line, index, _ in completions(of: line, at: index) }
    )
    var words: [String] = []

    func run() throws {
        // What stands behind the command is captured too.
        let printsJSON = json || words.last == "--json"
        let words = words.last == "--json" ? Array(words.dropLast()) : words
        if words == ["--help"] || words == ["-h"] { throw CleanExit.helpRequest(self) }
        do {
            try perform(words, printsJSON: printsJSON)
        } catch let problem as ControlProblem {
            if printsJSON {
                write(ControlMessage.line(ControlMessage.reply(id: .null, .failure(problem))))
            } else {
                StandardError.write("jarvis-voiced ctl: \(problem.message)\n")
            }
            throw ArgumentParser.ExitCode(problem.exitCode.rawValue)
        }
    }

    /// - Parameter line: the words of the command line, of which the one at `index` is to be completed.
    private static func completions(of line: [String], at index: Int) -> [String] {
        var words = line.prefix(max(0, index)).drop { $0 != "ctl" }.dropFirst()
        if let option = words.firstIndex(of: "--socket") {
            words.removeSubrange(option...min(option + 1, words.endIndex - 1))
        }
        return ControlRegistry.standard.completions(after: words.filter { !$0.hasPrefix("-") })
    }

    private func perform(_ words: [String], printsJSON: Bool) throws {
        let request = try ControlRegistry.standard.request(words: words)
        let environment = ProcessEnvironment.values
        let paths = socket.map { [$0] } ?? ControlPath.candidates(environment: environment)
        var client = try ControlClient(paths: paths)
        let result = try client.perform(request)
        if request.command == "events" {
            while let event = try client.nextEvent() { show(event, printsJSON: printsJSON) }
            throw ControlProblem(.notAvailable, "the daemon has gone")
        }
        show(result, printsJSON: printsJSON)
    }

    private func show(_ value: JSONValue, printsJSON: Bool) {
        write(printsJSON ? ControlMessage.line(value) : Array(ControlText.lines(value).utf8))
    }

    private func write(_ bytes: [UInt8]) {
        print(String(decoding: bytes, as: UTF8.self), terminator: "")
        // Events are to be seen as they happen, in a pipe too.
        fflush(nil)
    }
}
