internal import FoundationEssentials
internal import VoiceBase

/// Generates jarvis-voiced(1), jarvis-bridge(1) and jarvis-simulator(1) from the same description of their command lines as `--help`.
package enum CommandManual {
    /// The description has an unexpected format.
    package struct Unreadable: Error, CustomStringConvertible {
        package var description: String { "the description of the command line cannot be read" }
    }

    /// Generates the page of the daemon.
    ///
    /// - Parameter description: the JSON printed by `--experimental-dump-help`.
    package static func page(description: String, version: String) throws(Unreadable) -> String {
        var page = try commandLine(description, version)
        addDaemon(to: &page)
        return page.text
    }

    /// Generates the page of another program.
    package static func toolPage(description: String, version: String) throws(Unreadable) -> String {
        var page = try commandLine(description, version)
        page.heading("SEE ALSO")
        page.raw([".BR jarvis\\-voiced (1)"])
        return page.text
    }

    private static func commandLine(_ description: String, _ version: String) throws(Unreadable) -> Roff {
        struct Dump: Decodable { let command: CommandDescription }
        guard let dump = try? JSONDecoder().decode(Dump.self, from: Data(description.utf8)) else { throw Unreadable() }
        let command = dump.command
        var page = Roff(title: command.commandName, section: 1, version: version)
        let name = Roff.escaped(command.commandName)
        page.heading("NAME")
        page.raw(["\(name) \\- \(Roff.escaped(firstWordSmall(command.abstract ?? "")))"])
        page.heading("SYNOPSIS")
        page.raw([".B \(name)", "[\\fIcommand\\fR] [\\fIoptions\\fR]"])
        page.heading("DESCRIPTION")
        if let text = command.discussion { page.paragraph(text) }
        page.heading("COMMANDS")
        for child in command.shownCommands { add(child, prefix: command.commandName, to: &page) }
        return page
    }

    private static func addDaemon(to page: inout Roff) {
        page.heading("EXIT STATUS")
        for code in ExitCode.allCases { page.item("\(code.rawValue)", code.meaning) }
        page.paragraph("doctor has its own, see above. Restarting does not help with 64, 77 and 78.")
        page.heading("SIGNALS")
        page.item("SIGTERM, SIGINT", "Shut down in order, within two seconds.")
        page.item("SIGHUP", "Read the configuration again.")
        page.item("SIGUSR1", "Write one line of status to the log.")
        page.item("SIGUSR2", "Open a conversation.")
        page.heading("FILES")
        page.item(ConfigurationLoader.systemPath, "The configuration, see jarvis-voiced.toml(5).")
        for key in ServiceRegistry.keys {
            page.item("\(ServiceEnvironment.folder)/\(key.credential)", "The API key of the service, for the unit.")
        }
        page.item("\(ServiceEnvironment.folder)/jarvis-token", "The token of the agent, for the unit.")
        page.item(ServiceEnvironment.defaults, "Environment of the service, one NAME=value per line.")
        page.item(StateDirectory.service, "What the service remembers: volumes, spending and more.")
        page.heading("ENVIRONMENT")
        page.item(
            ServiceRegistry.keys.map(\.variable).joined(separator: ", "),
            "The API key, if neither a file nor a credential has it."
        )
        page.item("JARVIS_TOKEN", "The token, in the same way.")
        page.item("JARVIS_SECTION_KEY", "Any key of the configuration, such as JARVIS_AUDIO_INPUT.")
        page.heading("SEE ALSO")
        page.raw([".BR jarvis\\-voiced.toml (5),", ".BR journalctl (1),", ".BR systemctl (1)"])
    }

    private static func add(_ command: CommandDescription, prefix: String, to page: inout Roff) {
        let name = "\(prefix) \(command.commandName)"
        page.subheading(name)
        page.paragraph(command.abstract ?? "")
        if let text = command.discussion { page.paragraph(text) }
        for argument in command.shownArguments {
            var text = argument.abstract ?? ""
            if let values = argument.allValues, !values.isEmpty { text += " One of \(values.joined(separator: ", "))." }
            if let value = argument.defaultValue, argument.kind != "flag" { text += " Default: \(value)." }
            page.item(argument.term, text)
        }
        for child in command.shownCommands { add(child, prefix: name, to: &page) }
    }

    /// Turns "The mouth ..." into "the mouth ...", as apropos expects, and removes a final full stop.
    private static func firstWordSmall(_ text: String) -> String {
        var text = text.prefix(1).lowercased() + text.dropFirst()
        if text.last == "." { text.removeLast() }
        return text
    }
}

/// A command in the description.
private struct CommandDescription: Decodable {
    let commandName: String
    let abstract: String?
    let discussion: String?
    let shouldDisplay: Bool?
    let subcommands: [CommandDescription]?
    let arguments: [ArgumentDescription]?

    var shownCommands: [CommandDescription] {
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    var shownArguments: [ArgumentDescription] {
        (arguments ?? []).filter { argument in
            argument.shouldDisplay != false && !argument.isGeneral
        }
    }
}

private struct ArgumentDescription: Decodable {
    struct Name: Decodable {
        let kind: String
        let name: String

        var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
    }

    let kind: String
    let shouldDisplay: Bool?
    let names: [Name]?
    let valueName: String?
    let abstract: String?
    let defaultValue: String?
    let allValues: [String]?

    /// Options every command has.
    var isGeneral: Bool { (names ?? []).contains { $0.name == "help" || $0.name == "version" } }

    /// "-c, --config FILE"
    var term: String {
        let value = (valueName ?? "value").uppercased()
        guard let names, !names.isEmpty else { return value }
        let all = names.sorted { $0.name.count < $1.name.count }.map(\.text).joined(separator: ", ")
        return kind == "option" ? "\(all) \(value)" : all
    }
}

extension ExitCode {
    fileprivate var meaning: String {
        switch self {
        case .success: "All is well."
        case .usage: "Wrong command line."
        case .unavailable: "Something required is missing."
        case .system: "The operating system refused."
        case .inputOutput: "Input or output failed: no sound came, or it was lost."
        case .noPermission: "No permission: a device, a file or the control socket may not be opened."
        case .configuration: "The configuration is wrong."
        }
    }
}
