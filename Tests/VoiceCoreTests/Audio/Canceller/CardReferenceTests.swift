import Testing

@testable import VoiceAudio
@testable import VoiceBase

struct CardReferenceTests {
    private static let count = AudioFormat.periodFrames

    private struct Period {
        var isUsed: Bool
        var microphone: Float
        var reference: Float
    }

    /// Steps through constant periods and returns the result of the last one.
    private func step(
        _ line: inout CardReference,
        card: Float,
        microphone: Float,
        reference: Float = 0,
        times: Int = 1
    ) -> Period {
        let a = SampleBuffer(count: Self.count)
        let b = SampleBuffer(count: Self.count)
        let c = SampleBuffer(count: Self.count)
        var isUsed = false
        for _ in 0..<times {
            a.base.update(repeating: card, count: Self.count)
            b.base.update(repeating: microphone, count: Self.count)
            c.base.update(repeating: reference, count: Self.count)
            isUsed = line.step(card: a.base, microphone: b.base, reference: c.base)
        }
        return Period(isUsed: isUsed, microphone: b.base[7], reference: c.base[7])
    }

    /// A silent reference would let the echo of a loudspeaker on another card go upstream.
    @Test func silentReferenceChannelIsNotUsed() {
        var line = CardReference()
        let first = step(&line, card: 0, microphone: 0.1, reference: 0.5)
        #expect(!first.isUsed)
        #expect(first.reference == 0.5)
        #expect(first.microphone == 0.1)
        let later = step(&line, card: 0.25, microphone: 0.2, reference: 0.5)
        #expect(later.isUsed)
        #expect(later.reference == 0.25)
        // The previous period, not silence.
        #expect(later.microphone == 0.1)
        let next = step(&line, card: 0, microphone: 0.3)
        #expect(next.microphone == 0.2)
    }

    @Test func referenceChannelThatFallsSilentIsDropped() {
        var line = CardReference()
        _ = step(&line, card: 0.25, microphone: 0.1, reference: 0.5, times: 40)
        let isSure = line.isSure
        #expect(isSure)
        let patient = step(&line, card: 0, microphone: 0.2, reference: 0.5, times: 29)
        #expect(patient.isUsed)
        let given = step(&line, card: 0, microphone: 0.3, reference: 0.5, times: 100)
        #expect(!given.isUsed)
        #expect(given.microphone == 0.3)
        let again = step(&line, card: 0.25, microphone: 0.4, reference: 0.5)
        #expect(again.isUsed)
        #expect(again.microphone == 0.3)
        let isStillSure = line.isSure
        #expect(!isStillSure)
    }
}
