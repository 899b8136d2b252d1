/// Keeps speech free of clicks if it begins or ends abruptly: 5 ms ramps at 24 kHz.
///
/// Voice that begins near zero and flows without a gap passes bit-exactly.
struct VoiceEdges {
    private static let ramp = 120
    /// A first sample beyond this (-40 dBFS) is faded in.
    private static let abrupt = 327

    private var wasVoice = false
    private var last: Int16 = 0
    private var tail = ramp

    /// Whether `fill` has nothing more to add: the voice and its tail have ended.
    var isQuiet: Bool { !wasVoice && (tail >= Self.ramp || last == 0) }

    /// Completes a period whose first `voice` samples are speech.
    /// - Returns: true if speech ended in this period.
    mutating func fill(_ samples: UnsafeMutablePointer<Int16>, voice: Int, count: Int) -> Bool {
        if voice > 0 {
            if !wasVoice && abs(Int(samples[0])) > Self.abrupt {
                for index in 0..<min(voice, Self.ramp) {
                    samples[index] = Int16(Float(samples[index]) * Self.gain(Self.ramp - index))
                }
            }
            last = samples[voice - 1]
            tail = 0
        }
        for index in voice..<max(voice, count) {
            samples[index] = tail < Self.ramp ? Int16(Float(last) * Self.gain(tail)) : 0
            tail += 1
        }
        let ended = voice < count && (wasVoice || voice > 0)
        wasVoice = voice == count
        return ended
    }

    /// Forgets the voice played so far, which the caller has ended.
    mutating func reset() {
        self = VoiceEdges()
    }

    /// Falls from 1 at step 0 to 0 at the end of the ramp.
    private static func gain(_ step: Int) -> Float {
        let x = 1 - Float(step) / Float(ramp)
        return x * x * (3 - 2 * x)
    }
}
