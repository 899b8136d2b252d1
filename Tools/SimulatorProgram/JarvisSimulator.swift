import ArgumentParser
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
        version: ProgramVersion.current, subcommands: [Demo.self, Local.self, Serve.self], defaultSubcommand: Demo.self
    )
}

extension Logger {
    /// With `--verbose`, the daemon's lines go to standard error as the daemon writes them; clients of `events` see them anyway.
    static func ofConversation(isVerbose: Bool, events: DaemonEvents? = nil) -> Logger {
        Logger(label: "simulator") { _ in
            JournalLogHandler(
                style: .terminal,
                threshold: LogThreshold(isVerbose ? .debug : .info),
                write: { if isVerbose { StandardError.write($0.text) } },
                seen: { level, text in events?.note { $0.logged(text, level: level.rawValue, at: $1) } }
            )
        }
    }
}
