import ArgumentParser
import VoiceBase

@main
struct JarvisVoiced: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jarvis-voiced",
        abstract: "A voice daemon for Jarvis: it listens and speaks through a microphone and a loudspeaker.",
        discussion: """
            Configuration: defaults < file < environment (JARVIS_...) < --set key=value. The API key and the token \
            for Jarvis come from files, systemd credentials or the environment, never from the command line.
            """,
        version: ProgramVersion.current,
        subcommands: [
            Run.self, Setup.self, Ctl.self, Watch.self, Devices.self, Meter.self, EchoTest.self, Doctor.self, Wake.self,
            Config.self,
            Manual.self,
        ],
        defaultSubcommand: Run.self
    )

    static func main() async {
        HeldSignals.hold()
        do {
            var command = try parseAsRoot()
            if !(command is Run) { HeldSignals.release() }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(withError: error)
        }
    }
}
