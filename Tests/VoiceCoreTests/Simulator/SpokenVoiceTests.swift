import Testing
import VoiceSimulator

struct SpokenVoiceTests {
    @Test func tonesAreTheSameEveryTimeAndTellWordsApart() {
        #expect(SpokenVoice.tones.samples("two meetings") == SpokenVoice.tones.samples("two meetings"))
        #expect(SpokenVoice.markerFrequency("Two,") == SpokenVoice.markerFrequency("two"))
        #expect(SpokenVoice.markerFrequency("two") != SpokenVoice.markerFrequency("meetings"))
        #expect(SpokenVoice.tones.samples(" ").isEmpty)
    }

    @Test func naturalSpeechHasAPlausibleLength() {
        let samples = SpokenVoice.natural.samples("What is on my calendar today?")
        #expect((24000 / 2...24000 * 6).contains(samples.count))
        #expect(samples.contains { abs(Int($0)) > 1000 })
    }

    @Test func aSpokenQuestionIsHeardAsOneTurn() {
        let question = SpokenQuestion.samples48k("What is on my calendar today?")
        var detector = EnergyVoiceDetector()
        let changes = detector.process(SpokenVoice.resample(question, from: 48000, to: 24000))
        #expect(changes.count == 2)
    }

    @Test func aQuestionIsA48kWaveFileWithSilenceAround() throws {
        let bytes = SpokenQuestion.wav48k("Hello there", voice: .tones)
        let wave = try #require(MonoWave.parse(bytes))
        #expect(wave.rate == 48000)
        #expect(wave.samples.prefix(24000).allSatisfy { $0 == 0 })
        #expect(wave.samples.suffix(72000).allSatisfy { $0 == 0 })
        #expect(wave.samples.count == 96000 + 2 * SpokenVoice.tones.samples("Hello there").count)
    }

    @Test func aWaveFileWithAWrongLengthIsReadToItsEnd() {
        var bytes = MonoWave.bytes(samples: [1, -2, 3], rate: 22050)
        for index in 40..<44 { bytes[index] = 0x7f }
        #expect(MonoWave.parse(bytes)?.samples == [1, -2, 3])
        #expect(MonoWave.parse(Array("RIFF".utf8)) == nil)
    }
}
