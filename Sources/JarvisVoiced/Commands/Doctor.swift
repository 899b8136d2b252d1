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

            With --live it holds one real turn: it says the price, asks the voice service a riddle that your agent has \
            to solve, and has the answer spoken, but not aloud. Nothing simulated passes.

            Exit status: 0 all is well, 1 something could be better, 2 something does not work, 64 wrong command \
            line.
            """,
        subcommands: [Bundle.self]
    )

    @OptionGroup var options: DoctorOptions

    @Flag(name: .long, help: "Print JSON for programs.")
    var json = false

    @Flag(name: .long, help: "Also hold one real turn with service and agent, which costs money; says the price first.")
    var live = false

    @Flag(name: .shortAndLong, help: "With --live: do not ask for confirmation.")
    var yes = false

    func validate() throws {
        guard !live || !options.offline else { throw ValidationError("--live needs the service: leave out --offline") }
    }

    func run() async throws {
        let (_, report) = try await options.examine(isLive: live) { price in
            StandardError.write(price + "\n")
            if yes { return true }
            guard isatty(STDIN_FILENO) == 1 else { throw ValidationError("Nothing can be asked here: add --yes.") }
            StandardError.write("Continue? [y/N] ")
            return readLine()?.lowercased().hasPrefix("y") == true
        }
        print(json ? report.json(version: ProgramVersion.current) : report.text, terminator: "")
        if report.exitStatus != 0 { throw ArgumentParser.ExitCode(report.exitStatus) }
    }

    struct Bundle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a support archive: findings, versions, sound cards, journal.",
            discussion: """
                Keys, tokens, anything that looks like one, and what was said are removed. Read the archive before \
                you send it: the journal names devices and times.
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

    /// - Parameter confirm: asks whether a price is all right; only for a live turn.
    func examine(
        isLive: Bool = false,
        confirm: (String) throws -> Bool = { _ in false }
    ) async throws -> (DoctorContext, DoctorReport) {
        var context = DoctorContext(
            path: options.config, overrides: options.overrides, environment: ProcessEnvironment.values
        )
        if let user {
            do { try context.become(user) } catch { throw ValidationError("\(error)") }
        }
        let holdsTurn = isLive ? try LiveCheck.price(context).map(confirm) ?? true : false
        let doctor = VoiceCore.Doctor(context, isOffline: offline, isLive: holdsTurn)
        return (context, await doctor.examine())
    }
}
