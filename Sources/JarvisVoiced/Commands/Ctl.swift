import ArgumentParser
import FoundationEssentials
import Glibc
import VoiceBase
import VoiceCore

/// `jarvis-voiced ctl`: sends a command to the running daemon.
struct Ctl: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Control the running daemon.",
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
        // Options after the command are captured too.
        let captured = ControlWords(words)
        let (words, printsJSON) = (captured.words, json || captured.printsJSON)
        if self.words == ["--help"] || self.words == ["-h"] { throw CleanExit.helpRequest(self) }
        do {
            guard Self.isUTF8 else {
                throw ControlProblem(
                    .badArgument, "the command line is not UTF-8: convert the text, for instance with iconv -t UTF-8"
                )
            }
            if let help = try ControlRegistry.standard.help(for: words) { return write(Array(help.utf8)) }
            let status = try perform(words, printsJSON: printsJSON)
            if status != 0 { throw ArgumentParser.ExitCode(status) }
        } catch let problem as ControlProblem {
            if printsJSON {
                write(ControlMessage.line(ControlMessage.reply(id: .null, .failure(problem))))
            } else {
                StandardError.write("jarvis-voiced ctl: \(problem.message.escapingHidden())\n")
            }
            throw ArgumentParser.ExitCode(problem.exitCode.rawValue)
        }
    }

    /// Checks the raw arguments, because in `words` invalid bytes have already been replaced.
    private static var isUTF8: Bool {
        (0..<Int(CommandLine.argc)).allSatisfy { index in
            CommandLine.unsafeArgv[index].map { String(validatingCString: $0) != nil } ?? true
        }
    }

    /// - Parameter line: the words of the command line; the one at `index` is to be completed.
    private static func completions(of line: [String], at index: Int) -> [String] {
        var words = line.prefix(max(0, index)).drop { $0 != "ctl" }.dropFirst()
        if let option = words.firstIndex(of: "--socket") {
            words.removeSubrange(option...min(option + 1, words.endIndex - 1))
        }
        return ControlRegistry.standard.completions(after: words.filter { !$0.hasPrefix("-") })
    }

    /// - Returns: the exit status.
    private func perform(_ words: [String], printsJSON: Bool) throws(ControlProblem) -> Int32 {
        let request = try ControlRegistry.standard.request(words: words)
        let environment = ProcessEnvironment.values
        let paths = socket.map { [$0] } ?? ControlPath.candidates(environment: environment)
        var client = try ControlClient(paths: paths)
        let result = try client.perform(request)
        if ["events", "subscribe"].contains(request.command) {
            while let event = try client.nextEvent() { show(event, printsJSON: printsJSON) }
            throw ControlProblem(.notAvailable, "the daemon has gone")
        }
        show(result, printsJSON: printsJSON)
        if request.arguments["reads"] == true {
            while let event = try client.nextEvent(), event["done"] != true {
                show(printsJSON ? event : ["text": event["text"] ?? ""], printsJSON: printsJSON)
            }
        }
        return ControlText.exitStatus(result)
    }

    private func show(_ value: JSONValue, printsJSON: Bool) {
        write(printsJSON ? ControlMessage.line(value) : Array(ControlText.lines(value).utf8))
    }

    private func write(_ bytes: [UInt8]) {
        print(String(decoding: bytes, as: UTF8.self), terminator: "")
        // Shows events as they happen, even in a pipe.
        fflush(nil)
    }
}
