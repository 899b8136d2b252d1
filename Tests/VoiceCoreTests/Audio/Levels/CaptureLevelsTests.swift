import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAudio

struct CaptureLevelsTests {
    /// Clipped periods as ranges, and the verdict after the last period.
    @Test(
        arguments: [
            ("one knock", [10..<12], 20, false),
            ("five periods in a row", [10..<15], 20, true),
            ("still within the time it takes to be sure", [10..<15], 500, true),
            ("over after a while", [10..<15], 1000, false),
            ("one now and then", Array(stride(from: 0, to: 1000, by: 100)).map { $0..<$0 + 1 }, 1000, false),
            ("three a second", Array(stride(from: 0, to: 1000, by: 33)).map { $0..<$0 + 1 }, 1000, true),
        ] as [(String, [Range<Int>], Int, Bool)]
    )
    func clippingNeedsRepeatedFullScale(name: String, clipped: [Range<Int>], periods: Int, verdict: Bool) {
        var detector = ClippingDetector()
        for period in 0..<periods { detector.note(isFullScale: clipped.contains { $0.contains(period) }) }
        #expect(detector.isClipping == verdict, "\(name)")
    }

    @Test func theMeterAndTheDetectorSeeTheRawMicrophone() {
        var levels = CaptureLevels(gain: 2, isAutomatic: false, volumes: VolumeControls())
        var frames = [Float](repeating: 0.25, count: 480)
        levels.measure(&frames, count: 480, isPlaying: false)
        #expect(frames == [Float](repeating: 0.5, count: 480))
        var reading = levels.reading
        #expect(reading.peak == -120)
        #expect(reading.clippedPeriods == 0)
        for _ in 0..<10 {
            frames = [Float](repeating: 0.1, count: 480)
            frames[7] = -1
            levels.measure(&frames, count: 480, isPlaying: true)
            let isClipped = levels.isClipped
            #expect(isClipped && frames[7] == -1)
        }
        reading = levels.reading
        #expect(reading.clippedWhilePlaying == 10)
        #expect(reading.isClipping)
    }

    @Test func gainIntoFullScaleCountsAsClipping() {
        var levels = CaptureLevels(gain: 4, isAutomatic: false, volumes: VolumeControls())
        var frames = [Float](repeating: 0.3, count: 480)
        levels.measure(&frames, count: 480, isPlaying: false)
        let isClipped = levels.isClipped
        #expect(isClipped && frames.allSatisfy { $0 == 1 })
    }

    @Test func aChangedGainIsARamp() {
        let volumes = VolumeControls()
        var levels = CaptureLevels(gain: 1, isAutomatic: false, volumes: volumes)
        var heard: [Float] = []
        for period in 0..<8 {
            if period == 2 { volumes.setCaptureGain(decibels: 12) }
            var frames = [Float](repeating: 0.1, count: 480)
            levels.measure(&frames, count: 480, isPlaying: false)
            heard += frames
        }
        let steps = zip(heard, heard.dropFirst()).map { abs($0 - $1) }
        #expect((steps.max() ?? 1) < 0.001)
        #expect(heard.first == 0.1 && abs((heard.last ?? 0) - 0.398) < 0.001)
    }

    @Test func peakIsHeldAndFallsSlowly() {
        var hold = PeakHold()
        hold.note(-60)
        for _ in 0..<150 { hold.note(-960) }
        #expect(hold.value == -60)
        for _ in 0..<50 { hold.note(-960) }
        #expect(hold.value == -160)
        hold.note(-100)
        #expect(hold.value == -100)
    }

    @Test func adviceIsGivenOnceInTenMinutesAndNamesTheCause() {
        var advice = LevelAdvice()
        var reading = CaptureReading()
        reading.clippedPeriods = 3
        #expect(advice.line(reading, at: .seconds(1)) == nil)
        reading.isClipping = true
        (reading.clippedPeriods, reading.clippedWhilePlaying) = (10, 2)
        let first = advice.line(reading, at: .seconds(2))
        #expect(first?.contains("lower its capture level") == true)
        (reading.clippedPeriods, reading.clippedWhilePlaying) = (30, 20)
        #expect(advice.line(reading, at: .seconds(500)) == nil)
        let second = advice.line(reading, at: .seconds(700))
        #expect(second?.contains("turn the loudspeaker down") == true)
    }

    @Test func theMeterNamesAMuteKey() {
        let reading = CaptureReading()
        #expect(MeterLine(reading, isConstant: true).text.hasSuffix("silent: muted at the device?"))
        #expect(!MeterLine(reading, isConstant: false).text.contains("muted"))
        #expect(!MeterLine(reading, isConstant: true).isHeard)
    }

    /// Advice to raise the gain of a microphone that is not there would mislead.
    @Test func meterShowsAMissingMicrophone() {
        func line(_ state: DeviceState) -> String {
            MeterLine(CaptureReading(), isConstant: false, microphone: state).text
        }
        #expect(line(.lost(reason: "has gone")).hasSuffix("] no microphone: has gone"))
        #expect(line(.waiting(reason: "in use")).hasSuffix("] no microphone: in use"))
        #expect(line(.lost(reason: DeviceHealth.nothing)).hasSuffix("muted by a key of its own, or stuck"))
        #expect(line(.running).hasSuffix("very quiet"))
        // Reopened because it is muted, which is not a loss.
        #expect(line(.lost(reason: DeviceHealth.constant)).hasSuffix("silent: muted at the device?"))
        #expect(line(.silent).hasSuffix("silent: muted at the device?"))
        #expect(line(.running).prefix(42).count == line(.lost(reason: "has gone")).prefix(42).count)
    }

    @Test(arguments: [
        (-250, -120, false, "good"), (-250, -120, true, "clips"), (-100, -3, false, "clips"),
        (-100, -20, false, "loud"),
        (-150, -55, false, "loud"), (-500, -400, false, "quiet"), (-960, -960, false, "very quiet"),
    ])
    func meterStatesItsVerdict(level: Int, peak: Int, clips: Bool, verdict: String) {
        let line = MeterLine(level: level, peak: peak, isClipping: clips)
        #expect(line.isHeard == (verdict != "very quiet"))
        #expect(line.verdict == verdict)
        #expect(line.text.hasSuffix(verdict))
        #expect(line.text.prefix(42).count { "[]#-|".contains($0) } == 42)
    }
}
