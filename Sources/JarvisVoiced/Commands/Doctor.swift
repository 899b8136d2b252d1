import ArgumentParser
import FoundationEssentials
import Glibc
import VoiceBase
import VoiceCore

/// `jarvis-voiced doctor`: finds what prevents a conversation.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check everything that a conversation needs, and name a fix for each problem.",
        discussion: """
            Checks the configuration, key and token, the way to the service and a short session there (no audio is \
            sent and no response requested), the agent, the sound devices and which programs use them, permissions, \
            real-time limits, the clock, disk and state. With sudo it sees the secrets and limits as systemd gives \
            them to the service.

            Exit status: 0 all is well, 1 something could be better, 2 something does not work, 64 wrong command \
            line.
            """,
        subcommands: [Bundle.self]
    )

    @OptionGroup var options: DoctorOptions

    @Flag(name: .long, help: "Print JSON for programs.")
    var json = false

    func run() async throws {
        let (_, report) = try await options.examine()
        print(json ? report.json(version: ProgramVersion.current) : report.text, terminator: "")
        if report.exitStatus != 0 { throw ArgumentParser.ExitCode(report.exitStatus) }
    }

    struct Bundle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a support archive: findings, versions, sound cards, journal.",
            discussion: """
                Keys, tokens, anything that looks like one, and what was said are removed. Read the archive before \
                you send it: the journal names hosts, devices and times.
                """
        )

        @OptionGroup var options: DoctorOptions

        @Option(name: .shortAndLong, help: "Path of the archive (jarvis-voiced-support.tar.gz).")
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

    @Flag(name: .long, help: "Do not contact the service or the agent.")
    var offline = false

    @Option(name: .long, help: "Check as this user, after reading the secrets; needs root.")
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
