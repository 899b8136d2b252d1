import ArgumentParser
import VoiceBase

/// `jarvis-simulator`: what stands in for the services, to try the daemon without them. A tool beside the daemon, so that
/// the daemon itself has no server in it.
@main
struct JarvisSimulator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jarvis-simulator",
        abstract: "Simulated services for jarvis-voiced: try it without a key, a sound card or a network.",
        version: ProgramVersion.current,
        subcommands: [Demo.self, Serve.self, Manual.self],
        defaultSubcommand: Demo.self
    )
}
