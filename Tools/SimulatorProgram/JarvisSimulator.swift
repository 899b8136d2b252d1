import ArgumentParser
import Glibc
import Logging
import VoiceBase
import VoiceCore

/// `jarvis-simulator`: simulated services, to try the daemon without the real ones. A separate tool, so that the daemon
/// itself contains no server.
@main
struct JarvisSimulator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jarvis-simulator",
        abstract: "Simulated services for jarvis-voiced: try it without a key, a sound card or a network.",
        version: ProgramVersion.current,
        subcommands: [Demo.self, Local.self, Serve.self, Drill.self, Manual.self],
        defaultSubcommand: Demo.self
    )
}

/// `jarvis-simulator manual`: its manual page, generated from the program itself; for packages.
struct Manual: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the manual page.",
        shouldDisplay: false
    )

    func run() throws {
        let page = try CommandManual.toolPage(
            description: JarvisSimulator._dumpHelp(),
            version: ProgramVersion.current
        )
        print(page, terminator: "")
    }
}

extension Logger {
    /// With `--verbose`, the daemon's lines go to standard error as the daemon writes them; otherwise nowhere.
    static func ofConversation(isVerbose: Bool) -> Logger {
        Logger(label: "simulator") { _ in
            guard isVerbose else { return SwiftLogNoOpLogHandler() }
            return JournalLogHandler(style: .terminal, threshold: LogThreshold(.debug)) { line in
                _ = line.text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            }
        }
    }
}
