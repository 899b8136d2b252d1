import Testing
import VoiceSimulator

@testable import TestSupport

struct EnergyVoiceDetectorTests {
    typealias Change = EnergyVoiceDetector.Change

    private func changes(_ samples: [Int16], chunk: Int = 480) -> [Change] {
        var detector = EnergyVoiceDetector()
        var found: [Change] = []
        for start in stride(from: 0, to: samples.count, by: chunk) {
            found += detector.process(Array(samples[start..<min(samples.count, start + chunk)]))
        }
        return found
    }

    @Test func findsOneUtterance() {
        let audio =
            Microphone.silence(milliseconds: 400) + Microphone.speech(milliseconds: 1000)
            + Microphone.silence(milliseconds: 800)
        #expect(changes(audio) == [.started(atMilliseconds: 400), .stopped(atMilliseconds: 1400)])
    }

    @Test(arguments: [1, 7, 240, 241, 4800]) func chunkSizeDoesNotMatter(_ chunk: Int) {
        let audio =
            Microphone.silence(milliseconds: 100) + Microphone.speech(milliseconds: 300)
            + Microphone.silence(milliseconds: 600)
        #expect(changes(audio, chunk: chunk) == [.started(atMilliseconds: 100), .stopped(atMilliseconds: 400)])
    }

    @Test func aClickIsNotSpeech() {
        let click = Microphone.speech(milliseconds: 40) + Microphone.silence(milliseconds: 300)
        #expect(changes(click + click + click).isEmpty)
    }

    @Test func aPauseShorterThanTheReleaseDoesNotEndTheTurn() {
        let audio =
            Microphone.speech(milliseconds: 300) + Microphone.silence(milliseconds: 450)
            + Microphone.speech(milliseconds: 300) + Microphone.silence(milliseconds: 600)
        #expect(changes(audio) == [.started(atMilliseconds: 0), .stopped(atMilliseconds: 1050)])
    }

    @Test func faintSoundIsNotSpeech() {
        #expect(changes(Microphone.speech(milliseconds: 2000, amplitude: 150)).isEmpty)
    }

    @Test func steadyNoiseNeverStarts() {
        #expect(changes(Microphone.noise(milliseconds: 5000, peak: 200)).isEmpty)
    }

    @Test func withoutSamplesTheTurnStaysOpen() {
        #expect(changes(Microphone.speech(milliseconds: 500)) == [.started(atMilliseconds: 0)])
    }
}
