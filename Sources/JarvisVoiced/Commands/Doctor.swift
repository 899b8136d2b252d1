import ArgumentParser
import FoundationEssentials
import Glibc
import VoiceBase
import VoiceConfiguration
import VoiceCore

/// `jarvis-voiced doctor`: finds what prevents a conversation.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look at everything a conversation needs, and say what helps.",
        discussion: """
            Checks the configuration, key and token, the way to the service and a short session there (no sound is sent, \
            no response asked for), the agent, the sound devices and who holds them, permissions, real-time limits, the \
            clock, disk and state. With sudo it sees the secrets and limits as systemd gives them to the service.

            Exit status: 0 all is well, 1 something could be better, 2 something does not work, 64 wrong command line.
            """,
        subcommands: [Bundle.self]
    )

    @OptionGroup var options: DoctorOptions

    @Flag(name: .long, help: "Print JSON, for programs.")
    var json = false

    func run() async throws {
        let (_, report) = try await options.examine()
        print(json ? report.json(version: ProgramVersion.current) : report.text, terminator: "")
        if report.exitStatus != 0 { throw ArgumentParser.ExitCode(report.exitStatus) }
    }

    struct Bundle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write an archive to send along with a question: findings, versions, cards, journal.",
            discussion: """
                Key, token and whatever looks like one are taken out, and so is what was said. Have a look at it before \
                you send it: the journal names hosts, devices and times.
                """
        )

        @OptionGroup var options: DoctorOptions

        @Option(name: .shortAndLong, help: "Where to write it (jarvis-voiced-support.tar.gz).")
        var output = "jarvis-voiced-support.tar.gz"

        func run() async throws {
            let (context, report) = try await options.examine()
            let bundle = SupportBundle(context: context, report: report, version: ProgramVersion.current)
            print(try await exitingAsync { try await bundle.write(to: output) })
        }
    }
}

/// Options of `doctor` and `doctor bundle`.
struct DoctorOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions

    @Flag(name: .long, help: "Ask neither the service nor the agent.")
    var offline = false

    @Option(name: .long, help: "Look as this user, after the secrets were read; needs root.")
    var user: String?

    func examine() async throws -> (DoctorContext, DoctorReport) {
        var context = DoctorContext(
            path: options.config,
            overrides: options.overrides,
            environment: ProcessEnvironment.values
        )
        if let user {
            do { try context.become(user) } catch { throw ValidationError("\(error)") }
        }
        return (context, await VoiceCore.Doctor(context, isOffline: offline).examine())
    }
}
