import ArgumentParser
import VoiceBase
import VoiceCore

@main
struct JarvisVoiced: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jarvis-voiced",
        abstract: "A voice daemon for Jarvis: it listens and speaks through a microphone and a loudspeaker.",
        discussion: """
            Configuration: defaults < file < environment (JARVIS_...) < --set key=value. The API key and the token \
            for Jarvis come from files, systemd credentials or the environment, never from the command line.

            A command of `ctl` needs no `ctl`: jarvis-voiced status, jarvis-voiced mute.
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
            var command = try parseAsRoot(arguments())
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

    /// The words of the command line: `jarvis-voiced mute` is short for `jarvis-voiced ctl mute`.
    private static func arguments() throws -> [String] {
        let programs = configuration.subcommands.map { $0._commandName }
        do throws(ControlProblem) {
            return try ControlRegistry.standard.completed(Array(CommandLine.arguments.dropFirst()), programs: programs)
        } catch {
            StandardError.write("jarvis-voiced: \(error.message.escapingHidden())\n")
            throw ArgumentParser.ExitCode(error.exitCode.rawValue)
        }
    }
}
