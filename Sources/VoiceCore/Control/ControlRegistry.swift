internal import VoiceBase

/// All commands of the control socket, in the order of the documentation.
///
/// To add one, define a `ControlCommand` in a file of `Commands/` and list it here.
package struct ControlRegistry: Sendable {
    package let commands: [ControlCommand]

    package init(_ commands: [ControlCommand]) {
        self.commands = commands
    }

    package static let standard = ControlRegistry([
        .status, .listen, .interrupt, .stop, .mute, .unmute, .reset, .say, .ask, .volume, .mode, .quiet, .media,
        .timer, .announce, .words, .events, .subscribe, .assist,
    ])

    package func command(named name: String) throws(ControlProblem) -> ControlCommand {
        if let command = commands.first(where: { $0.name == name }) { return command }
        let near = EditDistance.nearest(to: name, in: commands.map(\.name), within: 2)
        let hint = near.map { "; did you mean \($0)?" } ?? ""
        throw ControlProblem(.unknownCommand, "there is no command \"\(name.prefix(64))\"\(hint)")
    }

    /// The output of `ctl help`, `ctl help COMMAND` and `ctl COMMAND --help`; nil if the words do not ask for help.
    package func help(for words: [String]) throws(ControlProblem) -> String? {
        switch (words.count, words.first, words.last) {
        case (1, "help", _): return commands.map { "\($0.usage)\n    \($0.documentation)\n" }.joined()
        case (2, "help", let name?), (2, let name?, "--help"), (2, let name?, "-h"):
            let command = try command(named: name)
            return "\(command.usage)\n    \(command.documentation)\n"
        default: return nil
        }
    }

    /// Shell completions after these words: commands, then the choices of the arguments. Empty if any word is allowed.
    package func completions(after words: [String]) -> [String] {
        guard let name = words.first else { return commands.map(\.name) }
        let arguments = commands.first { $0.name == name }?.arguments.filter { !$0.isOption } ?? []
        guard words.count <= arguments.count, case .choice(let choices) = arguments[words.count - 1].kind else {
            return []
        }
        return choices
    }

    /// The words of the program's command line; a command of this registry gets the `ctl` that was left out.
    ///
    /// - Parameter programs: the commands of the program itself.
    /// - Throws: `unknownCommand` if the first word is neither, with the nearest command.
    package func completed(_ words: [String], programs: [String]) throws(ControlProblem) -> [String] {
        guard let first = words.first, !first.hasPrefix("-"), first != "help", !programs.contains(first) else {
            return words
        }
        if commands.contains(where: { $0.name == first }) { return ["ctl"] + words }
        let near = EditDistance.nearest(to: first, in: programs + commands.map(\.name), within: 2)
        let hint = near.map { "did you mean \($0)?" } ?? "jarvis-voiced --help lists the commands"
        throw ControlProblem(.unknownCommand, "there is no command \"\(first.prefix(64))\"; \(hint)")
    }

    /// - Parameter isOfRoot: whether root asks.
    package func run(
        _ request: ControlRequest,
        isOfRoot: Bool = false,
        on daemon: VoiceDaemon
    ) async throws(ControlProblem) -> ControlOutcome {
        let command = try command(named: request.command)
        guard !command.isOfMachine || !request.isRemote else {
            throw ControlProblem(.denied, "\(command.name) is for programs of this machine")
        }
        var arguments = try ControlArguments(request.arguments, for: command.arguments)
        arguments.isOfRoot = isOfRoot
        return try await command.handler(arguments, daemon)
    }

    /// Parses the words of a command line.
    package func request(words: [String]) throws(ControlProblem) -> ControlRequest {
        guard let name = words.first else { throw ControlProblem(.badRequest, "no command given") }
        let command = try command(named: name)
        let arguments = try ControlArguments.assign(Array(words.dropFirst()), to: command.arguments)
        _ = try ControlArguments(arguments, for: command.arguments)
        return ControlRequest(id: 1, command: name, arguments: arguments)
    }
}
