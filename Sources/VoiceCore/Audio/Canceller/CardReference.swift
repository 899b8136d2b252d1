internal import CDSP
internal import VoiceBase

/// The reference that the microphone delivers beside the voice, as long as it carries what is played.
///
/// It runs on the microphone's clock and through no buffer: there is no delay to find and no drift to follow. It leads its echo by
/// the way through the air alone, so the voice is held back by a period, which makes the lead that the canceller wants. A channel
/// that stays silent while the box plays (the loudspeaker is on another card) is not used until it carries sound.
///
/// Owned by the audio thread; allocates in `init` only.
struct CardReference: ~Copyable {
    /// By how much it is made to lead, in ms.
    static let lead = 1000 * AudioFormat.periodFrames / AudioFormat.deviceRate
    /// The reference counts as sound from here on, in dBFS; what is played, from 20 dB more.
    private static let audible: Float = -70
    /// Periods with sound on one of both until the channel is given up, or is sure to carry what is played.
    private static let patience = 30

    private let held = SampleBuffer(count: AudioFormat.periodFrames)
    private var silent = 0
    private var heard = 0
    /// Whether the last period was served.
    private(set) var isUsed = false

    /// Takes a period. Returns whether `reference` and `microphone` were replaced: by what the card says was played, and by the
    /// period of the voice before this one.
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
        // Until it has carried anything, what was written is the better reference than its silence.
        isUsed = heard > 0
        guard isUsed else {
            held.base.update(from: microphone, count: count)
            return false
        }
        reference.update(from: card, count: count)
        for index in 0..<count { swap(&held.base[index], &microphone[index]) }
        return true
    }

    /// Whether the channel is sure to carry what is played.
    var isSure: Bool { heard == Self.patience }

    mutating func reset() {
        held.base.update(repeating: 0, count: AudioFormat.periodFrames)
        silent = 0
        heard = 0
        isUsed = false
    }
}
