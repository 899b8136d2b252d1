internal import Glibc
import VoiceSimulator

/// A room between loudspeaker and microphone: the direct path, and sparse reflections that decay by 60 dB in 0.4 s,
/// different for each seed.
struct RelapseRoom {
    private let taps: [(delay: Int, gain: Float)]

    /// - Parameters:
    ///   - delay: of the direct path, in frames.
    ///   - straight: its gain; the strongest reflections have 0.45.
    ///   - reflection: gain of one more, 8 ms later, as of a table or a wall.
    init(delay: Int, straight: Float = 1, reflection: Float = 0, seed: UInt64) {
        var random = SplitMix(seed: seed &+ 1000)
        var taps = [(delay: delay, gain: straight)]
        if reflection != 0 { taps.append((delay + 370, reflection)) }
        for _ in 0..<160 {
            // Denser later, as in a room, up to 0.25 s.
            let time = 0.002 + 0.248 * sqrtf(random.unit())
            let sign: Float = random.unit() < 0.5 ? -1 : 1
            let gain = sign * 0.35 * (0.3 + random.unit()) * powf(10, -3 * time / 0.4)
            taps.append((delay + Int(time * 48_000), gain))
        }
        self.taps = taps
    }

    /// The echo of `far`, with slight distortion by the loudspeaker.
    func echo(of far: [Float]) -> [Float] {
        let bent = far.map { tanhf(1.5 * $0 + 0.1) / 1.5 - tanhf(0.1) / 1.5 }
        var echo = [Float](repeating: 0, count: far.count)
        for (delay, gain) in taps {
            for index in delay..<far.count { echo[index] += gain * bent[index - delay] }
        }
        return echo
    }
}
