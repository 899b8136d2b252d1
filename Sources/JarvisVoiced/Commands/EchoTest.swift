import ArgumentParser
import Dispatch
import FoundationEssentials
import Glibc
import VoiceCore

/// `jarvis-voiced echo-test`: how well this box can be interrupted. Needs no key.
struct EchoTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play a test signal for ten seconds and tell how well its echo is cancelled.",
        discussion: "Exit status: 0 good or no echo, 69 half duplex only, 74 the sound breaks up or the card is lost."
    )

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let loaded = try options.load().configuration.values
        let test = VoiceCore.EchoTest(
            configuration: AudioConfiguration(loaded.audio, echo: loaded.echo),
            logger: makeLogger(level: options.verbose > 0 ? loaded.log.level : .error)
        )
        print("Playing a sweep and noise for \(Int(EchoTestSignal.seconds.rounded(.up))) seconds. Please be quiet.")
        fflush(nil)
        let task = Task { try await test.run() }
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { task.cancel() }
            source.resume()
            return source
        }
        defer { for source in signals { source.cancel() } }
        guard let result = try await exitingAsync({ try await task.value }) else {
            print("Ended early: no verdict.")
            throw ArgumentParser.ExitCode(128 + SIGINT)
        }
        let verdict = EchoTestVerdict(result)
        for line in EchoTestReport.lines(result, verdict: verdict) { print(line) }
        // For `doctor`; that it cannot be kept is no reason to fail.
        if let folder = StateDirectory.path(environment: ProcessEnvironment.values) {
            try? SavedEchoTest(verdict, audio: loaded.audio).save(folder: folder)
        }
        if verdict.exitCode != .success { throw ArgumentParser.ExitCode(verdict.exitCode.rawValue) }
    }
}
