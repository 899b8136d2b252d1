import ArgumentParser
import Dispatch
import FoundationEssentials
import Glibc
import Logging
import VoiceAudio
import VoiceBase
import VoiceCore

/// `jarvis-voiced echo-test`: measures how well this box can be interrupted. Needs no key.
struct EchoTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play a test signal for ten seconds and report how well its echo is cancelled.",
        discussion: """
            The devices are tested as the daemon would use them. The verdict is saved for "jarvis-voiced doctor".

            Exit status: 0 good or no echo, 69 half duplex only, 74 the sound breaks up or the card is lost.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let loaded = try options.loadForSound()
        var configuration = AudioConfiguration(loaded.audio, echo: loaded.echo)
        for problem in configuration.learn(environment: ProcessEnvironment.values) { print("warning: \(problem)") }
        let logger = makeLogger(level: options.verbose > 0 ? loaded.log.level : .error)
        let seconds = Int(EchoTestSignal.seconds.rounded(.up))
        print("Playing a sweep and noise for \(seconds) seconds. Please be quiet.")
        let result = try await measure(VoiceCore.EchoTest(configuration: configuration, logger: logger))
        let verdict = EchoTestVerdict(result)
        for line in EchoTestReport.lines(result, verdict: verdict) { print(line) }
        // A failure to save it does not change the exit status.
        let saved = SavedEchoTest(verdict, audio: loaded.audio, device: result.choice?.identity?.text ?? "")
        if let fault = saved.save(environment: ProcessEnvironment.values) {
            print("The result was not saved, so doctor does not show it: \(fault)")
        }
        if verdict.exitCode != .success { throw ArgumentParser.ExitCode(verdict.exitCode.rawValue) }
    }

    private func measure(_ test: VoiceCore.EchoTest) async throws -> EchoTestResult {
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
        return result
    }
}
