import ArgumentParser
import Dispatch
import FoundationEssentials
import Glibc
import Logging
import VoiceAudio
import VoiceBase
import VoiceConfiguration
import VoiceCore

/// `jarvis-voiced echo-test`: measures how well this box can be interrupted. Needs no key.
struct EchoTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Play a test signal for ten seconds and report how well its echo is cancelled.",
        discussion: """
            A device that cancels its own echo is tested as it is. If it leaves too much echo, it is tested again \
            with the daemon's canceller after it, and on a raw channel if it has one. The best result is saved, and \
            echo.mode = "auto" uses it. With --talk, count aloud afterwards while the box plays noise, and see how \
            much of you it heard.

            Exit status: 0 good or no echo, 69 half duplex only or hardly heard, 74 the sound breaks up or the card \
            is lost.
            """
    )

    @Flag(help: "Then talk while the box plays noise, and see how much of you is heard.")
    var talk = false

    @OptionGroup var options: ConfigurationOptions

    @Flag(name: .long, help: "Measure every way to cancel the echo on this device, whatever is found.")
    var all = false

    func run() async throws {
        let loaded = try options.loadForSound()
        var configuration = AudioConfiguration(loaded.audio, echo: loaded.echo)
        for problem in configuration.learn(loaded.audio, environment: ProcessEnvironment.values) {
            print("warning: \(problem)")
        }
        let logger = makeLogger(level: options.verbose > 0 ? loaded.log.level : .error)
        var series = EchoTestSeries()
        var spoken: TalkVerdict?
        repeat {
            let test = VoiceCore.EchoTest(
                configuration: configuration,
                worker: series.next(isWhole: all),
                logger: logger
            )
            let seconds = Int(EchoTestSignal.seconds.rounded(.up))
            print("Playing a sweep and noise for \(seconds) seconds. Please be quiet.")
            // Once is enough: the first test uses the current settings, unless the daemon would not leave them as they are.
            let result = try await measure(test, talks: talk && spoken == nil)
            series.add(result)
            let verdict = EchoTestVerdict(result)
            for line in EchoTestReport.lines(result, verdict: verdict) { print(line) }
            print("")
            if let talk = result.talk {
                let said = TalkVerdict(talk, duplex: result.status.state)
                for line in said.lines(talk) { print(line) }
                print("")
                spoken = said
            }
        } while series.next(isWhole: all) != nil
        try conclude(series, spoken, loaded)
    }

    /// Saves the result and ends with the exit status of the best test.
    private func conclude(_ series: EchoTestSeries, _ spoken: TalkVerdict?, _ loaded: Configuration) throws {
        guard let best = series.best else { return }
        // For `doctor` and "auto". A failure to save it does not change the exit status.
        let saved = SavedEchoTest(
            best.verdict,
            audio: loaded.audio,
            worker: series.worker,
            device: series.device,
            channels: series.channels
        )
        let fault = saved.save(environment: ProcessEnvironment.values)
        for line in series.conclusion(mode: loaded.echo.mode, isWhole: all, fault: fault) { print(line) }
        if let spoken, best.verdict.exitCode == .success, spoken.exitCode != .success {
            throw ArgumentParser.ExitCode(spoken.exitCode.rawValue)
        }
        if best.verdict.exitCode != .success { throw ArgumentParser.ExitCode(best.verdict.exitCode.rawValue) }
    }

    private func measure(_ test: VoiceCore.EchoTest, talks: Bool) async throws -> EchoTestResult {
        fflush(nil)
        let whenToTalk: @Sendable () -> Void = {
            print(
                "Now count aloud from one to ten from where you will talk, while the noise plays "
                    + "(\(Int(EchoTestSignal.talk)) seconds)."
            )
            fflush(nil)
        }
        let task = Task { try await test.run(whenToTalk: talks ? whenToTalk : nil) }
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
