internal import CDSP
internal import VoiceBase

/// The reference that a microphone delivers next to the voice, as long as it carries what is played.
///
/// The reference channel runs on the microphone's clock and passes no buffer: there is no delay to find and no drift to follow.
/// It leads its echo only by the path through the air, so the voice is delayed by one period to give the canceller the lead it
/// needs. A channel that stays silent during playback (the loudspeaker is on another card) is not used until it carries sound.
///
/// Owned by the audio thread; allocates in `init` only.
struct CardReference: ~Copyable {
    /// Lead given to the reference, in ms.
    static let lead = 1000 * AudioFormat.periodFrames / AudioFormat.deviceRate
    /// Level in dBFS from which the card's reference counts as sound; what was written counts from 20 dB above.
    private static let audible: Float = -70
    /// Periods of sound on the channel that prove it; or periods of output without any on it after which it is given up.
    private static let patience = 30

    private let held = SampleBuffer(count: AudioFormat.periodFrames)
    private var silent = 0
    private var heard = 0
    /// Whether the last period came from the card.
    private(set) var isUsed = false

    /// Takes a period. Returns whether it replaced `reference` by the card's own and `microphone` by the previous period.
    mutating func step(
        card: UnsafePointer<Float>,
        microphone: UnsafeMutablePointer<Float>,
        reference: UnsafeMutablePointer<Float>
    ) -> Bool {
        let count = AudioFormat.periodFrames
        if LevelMeter.decibels(cdsp_rms(card, count)) > Self.audible {
            heard = min(Self.patience, heard + 1)
            silent = 0
        } else if LevelMeter.decibels(cdsp_rms(reference, count)) > Self.audible + 20 {
            silent = min(Self.patience, silent + 1)
            if silent == Self.patience { heard = 0 }
        }
        // Until the channel has carried sound, the written frames are a better reference than its silence.
        isUsed = heard > 0
        guard isUsed else {
            held.base.update(from: microphone, count: count)
            return false
        }
        reference.update(from: card, count: count)
        for index in 0..<count { swap(&held.base[index], &microphone[index]) }
        return true
    }

    /// Whether the channel certainly carries what is played.
    var isSure: Bool { heard == Self.patience }

    mutating func reset() {
        held.base.update(repeating: 0, count: AudioFormat.periodFrames)
        silent = 0
        heard = 0
        isUsed = false
    }
}
