internal import Glibc
internal import VoiceBase

/// Rings for timers and alarms: one pattern a second, softly at first and at full volume after half a minute.
///
/// The sound is part of the reference, so the canceller removes it and "stop" is heard over it. The master volume applies;
/// the voice, media and earcon volumes do not.
struct AlarmPlayer: ~Copyable {
    /// Time from the first pattern to full volume, in frames: 30 s.
    static let rise = 30 * AudioFormat.deviceRate
    /// Gain at the start, and upper limit during speech, relative to full volume.
    static let softest: Float = 0.08
    private static let cycle = AudioFormat.deviceRate

    private let requests: EarconRequests
    // Copied in `init`: the lazy initialisation of a global has no place on the audio thread.
    private let rise = AlarmPlayer.rise
    private let softest = AlarmPlayer.softest
    private let cycle = AlarmPlayer.cycle
    private let table: UnsafeMutablePointer<Float>
    private var position = 0
    private var rung = 0
    /// Gain applied to the last frame; changes are ramped.
    private var gain: Float = 0

    init(requests: EarconRequests) {
        self.requests = requests
        table = .allocate(capacity: Self.cycle)
        table.initialize(repeating: 0, count: Self.cycle)
        // Three short rises of two notes, then a pause.
        for beat in 0..<3 {
            add(hertz: 784, at: beat * 9_600)
            add(hertz: 1047, at: beat * 9_600 + 3_840)
        }
    }

    deinit { table.deallocate() }

    var isSounding: Bool { gain > 0 }
    var hasSound: Bool { gain > 0 || requests.rings }

    /// Adds the sound that is due to `frames`.
    mutating func mix(into frames: UnsafeMutablePointer<StereoFrame>, count: Int, isSilenced: Bool = false) {
        let rings = requests.rings && !isSilenced
        guard rings || gain > 0 else { return }
        if gain == 0 { (position, rung) = (0, 0) }
        let risen = softest + (1 - softest) * Float(min(rung, rise)) / Float(rise)
        let wanted = !rings ? 0 : requests.isRingLow ? min(risen, softest) : risen
        let step = (wanted - gain) / Float(count)
        for index in 0..<count {
            gain += step
            frames[index] += table[position] * gain
            position += 1
            if position == cycle { position = 0 }
        }
        // Set exactly, so that silence is exactly zero.
        gain = wanted
        rung = min(rung + count, rise)
    }

    /// 100 ms of a tone with a soft octave, peak -9 dBFS.
    private func add(hertz: Float, at start: Int) {
        let frames = 4_800
        for frame in 0..<frames {
            let envelope = 0.5 - 0.5 * cosf(2 * .pi * Float(frame) / Float(frames))
            let phase = 2 * .pi * hertz * Float(frame) / Float(AudioFormat.deviceRate)
            table[start + frame] += envelope * (0.27 * sinf(phase) + 0.08 * sinf(2 * phase))
        }
    }
}
