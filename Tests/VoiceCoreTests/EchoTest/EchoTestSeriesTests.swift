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
