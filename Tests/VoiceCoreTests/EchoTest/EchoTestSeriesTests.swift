import Testing

@testable import VoiceAudio
@testable import VoiceConfiguration
@testable import VoiceCore

struct EchoTestSeriesTests {
    private func result(
        _ worker: EchoWorker,
        map: String?,
        _ change: (inout EchoTestResult) -> Void = { _ in }
    ) throws -> EchoTestResult {
        var result = EchoTestResult()
        result.secondsHeard = EchoTestSignal.sweep + EchoTestSignal.speech
        result.noiseFloor = -66
        result.status.worker = worker
        result.status.blocks = 12
        result.status.state = .good
        result.status.linearERLE = 26
        result.status.wholeERLE = 44
        result.status.echoLevel = -32
        let map = try map.map { try ChannelMap(parsing: $0) }
        let identity = CardIdentity(vendor: 0x2886, product: 0x0018, name: "Array")
        result.choice = CaptureChoice(plan: CapturePlan(), reason: "", map: map, identity: identity)
        change(&result)
        return result
    }

    private func cancelled(_ result: inout EchoTestResult) {
        result.status.state = .clear
        result.status.linearERLE = nil
        result.status.echoLevel = -65
    }

    private func poor(_ result: inout EchoTestResult) {
        result.status.state = .poor
        result.status.linearERLE = 1
        result.status.wholeERLE = 2
    }

    @Test func aDeviceThatCancelsItsEchoNeedsOneTest() throws {
        var series = EchoTestSeries()
        #expect(series.next() == nil)
        series.add(try result(.hardware, map: "processed, raw", cancelled))
        #expect(series.best?.verdict.grade == .ownCanceller)
        #expect(series.best?.verdict.summary == "Good: the microphone cancels its own echo.")
        #expect(series.next() == nil)
        #expect(series.worker == .hardware)
        #expect(series.device == "2886:0018 Array")
        #expect(series.next(isWhole: true) == .both)
    }

    /// With "auto", the daemon's canceller steps in behind a device that leaves too much: nobody is asked to talk over what
    /// the daemon would not leave as it is.
    @Test(arguments: [true, false]) func nobodyTalksOverAnEchoThatTheDaemonWouldCancel(mayTakeOver: Bool) throws {
        var series = EchoTestSeries()
        let left = try result(.hardware, map: "processed, raw") {
            poor(&$0)
            $0.isComplete = true
            $0.mayTakeOver = mayTakeOver
        }
        #expect(left.canTalk == !mayTakeOver)
        #expect(EchoTestVerdict(left).advice.contains { $0.contains("steps in behind it") } == mayTakeOver)
        series.add(left)
        #expect(series.next() == .both)
        for change in [cancelled, { $0.status.worker = .both }] {
            var other = left
            change(&other)
            #expect(other.canTalk)
        }
    }

    @Test func oneThatDoesNotIsTriedInEveryWay() throws {
        var series = EchoTestSeries()
        series.add(try result(.hardware, map: "processed, raw", poor))
        #expect(series.best?.verdict.grade == .half)
        #expect(series.next() == .both)
        series.add(try result(.both, map: "processed, raw") { $0.status.wholeERLE = 30 })
        #expect(series.next() == .software)
        series.add(try result(.software, map: "processed, raw"))
        #expect(series.next() == nil)
        #expect(series.worker == .software)
    }

    @Test func aBareMicrophoneIsTestedAsEver() throws {
        var series = EchoTestSeries()
        series.add(try result(.software, map: nil))
        #expect(series.next(isWhole: true) == nil)
        #expect(series.worker == .software)
    }

    @Test func anUnknownMicrophoneThatHearsNothingHasItsOwnCanceller() throws {
        var series = EchoTestSeries()
        series.add(try result(.software, map: nil, cancelled))
        #expect(series.best?.verdict.grade == .noEcho)
        #expect(series.worker == .hardware)
        var noisy = EchoTestSeries()
        noisy.add(
            try result(.software, map: nil) {
                cancelled(&$0)
                $0.status.echoLevel = -50
            }
        )
        #expect(noisy.worker == nil)
    }

    /// A name that leads to any card keeps no mode: with the loudspeaker off, a mode that is set would stay wrong.
    @Test func withoutAnIdentityNothingThatWasNotHeardIsAdvised() throws {
        var series = EchoTestSeries()
        series.add(
            try result(.software, map: nil) {
                cancelled(&$0)
                $0.choice?.identity = nil
            }
        )
        #expect(series.worker == nil)
        let lines = series.conclusion(mode: .auto, isWhole: true, fault: nil)
        #expect(
            lines.first
                == "There is no other way to try: no channel of this device is known to be processed (audio.input_channels)."
        )
        #expect(lines.last?.hasPrefix("Only if you heard the sound in the room, set echo.mode = \"hardware\".") == true)
        #expect(!lines.contains { $0.hasPrefix("Best here") })
    }

    @Test func theConclusionSaysWhatHappensWithIt() throws {
        var series = EchoTestSeries()
        series.add(try result(.software, map: nil))
        func line(_ mode: Configuration.Echo.Mode, fault: String? = nil) -> String {
            series.conclusion(mode: mode, isWhole: false, fault: fault).joined(separator: "\n")
        }
        #expect(
            line(.auto).hasSuffix("\"auto\" uses this from now on, for this user, these devices and these channels")
        )
        #expect(line(.chosen(.hardware)).contains("the configuration says \"hardware\""))
        let unsaved = line(.auto, fault: "/state/echo-test.toml: Permission denied")
        #expect(!unsaved.contains("from now on"))
        #expect(unsaved.contains("set it to keep it: the result was not saved"))
        #expect(unsaved.hasSuffix("doctor does not show it: /state/echo-test.toml: Permission denied"))
    }

    @Test func aResultThatCannotBeSavedSaysWhy() throws {
        var series = EchoTestSeries()
        series.add(try result(.software, map: nil))
        let verdict = try #require(series.best?.verdict)
        let saved = SavedEchoTest(verdict, audio: Configuration.Audio())
        #expect(
            saved.save(environment: ["STATE_DIRECTORY": "/proc/none"])?.contains("/proc/none/echo-test.toml") == true
        )
        #expect(saved.save(environment: [:]) == "there is no state directory")
    }

    /// With `--talk` the person is judged over the first test, so it must be what the daemon does.
    @Test func theFirstTestUsesTheCurrentSettings() {
        var configuration = AudioConfiguration(source: .alsa(capture: "null", playback: "null"))
        configuration.capture.worker = .software
        let log = LineLog()
        #expect(EchoTest(configuration: configuration, logger: log.logger).configuration.capture.worker == .software)
        let next = EchoTest(configuration: configuration, worker: .both, logger: log.logger)
        #expect(next.configuration.capture.worker == .both)
        configuration.capture.worker = nil
        configuration.capture.measured = MeasuredWorker(worker: .both, device: "card")
        let first = EchoTest(configuration: configuration, logger: log.logger)
        #expect(first.configuration.capture.plan(channels: 1, device: "card").plan.worker == .both)
    }

    /// A mode that somebody set, or that an earlier test found, does not hide the daemon's own canceller.
    @Test func aDeviceOfUnknownChannelsIsAlsoTestedWithTheOwnCanceller() throws {
        var series = EchoTestSeries()
        series.add(try result(.hardware, map: nil, poor))
        #expect(series.next() == .software)
        series.add(try result(.software, map: nil))
        #expect(series.next(isWhole: true) == nil)
        #expect(series.worker == .software)
    }

    @Test func digitalSilenceSaysNothing() throws {
        var series = EchoTestSeries()
        series.add(
            try result(.hardware, map: "processed") {
                cancelled(&$0)
                $0.noiseFloor = -96
            }
        )
        #expect(series.best?.verdict.grade == .disturbed)
        #expect(series.worker == nil)
        var unheard = EchoTestSeries()
        unheard.add(
            try result(.hardware, map: "processed") {
                $0.status.blocks = 0
                $0.status.echoLevel = nil
                $0.status.state = .learning
                $0.status.linearERLE = nil
            }
        )
        #expect(unheard.worker == nil)
    }

    @Test func whatWasFoundIsKept() throws {
        var series = EchoTestSeries()
        series.add(try result(.hardware, map: "processed", cancelled))
        let verdict = try #require(series.best?.verdict)
        var audio = Configuration.Audio()
        audio.input = "hw:1"
        let saved = SavedEchoTest(
            verdict,
            audio: audio,
            worker: series.worker,
            device: series.device,
            channels: series.channels,
            time: 5
        )
        let read = try #require(SavedEchoTest(parsing: Array(saved.text.utf8)))
        #expect(read == saved)
        #expect(read.measured(on: audio) == MeasuredWorker(worker: .hardware, device: "2886:0018 Array"))
        audio.input = "hw:2"
        #expect(read.measured(on: audio) == nil)
    }
}
