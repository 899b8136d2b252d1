internal import Glibc
internal import VoiceBase

/// A simulated path from loudspeaker to microphone: a delay, a gain and decaying reflections.
///
/// The impulse response is sparse: a direct path and 24 reflections at uneven distances whose level falls by 60 dB over the
/// reverberation time (Sabine's RT60), with random signs. The same room sounds the same every time.
struct RoomEcho: ~Copyable {
    private struct Path {
        var frames: Int
        var gain: Float
    }

    private static let reflections = 24
    /// A power of two with room for the longest path.
    private static let capacity = 65_536

    private let line = SampleBuffer(count: capacity)
    private let paths: [Path]
    private let noise: Float
    private var noiseState: UInt32 = 0x9E37_79B9
    private var played = 0

    init(_ echo: FileRoom.Echo?) {
        noise = echo?.noiseDecibels.map { powf(10, Float($0) / 20) * Float(3).squareRoot() } ?? 0
        guard let echo else {
            paths = []
            return
        }
        let direct = Path(
            frames: echo.delayMilliseconds * AudioFormat.deviceRate / 1000,
            gain: powf(10, Float(echo.gainDecibels) / 20)
        )
        let length = echo.reverberationMilliseconds * AudioFormat.deviceRate / 1000
        var state: UInt32 = 1
        var paths = [direct]
        for index in 1..<(length > 0 ? Self.reflections + 1 : 1) {
            state = state &* 1_664_525 &+ 1_013_904_223
            // Denser at the beginning, as in a real room.
            let share = powf((Float(index) - Float(state >> 16) / 65_536) / Float(Self.reflections), 1.5)
            let gain = direct.gain * 0.5 * powf(10, -3 * share) * (state & 0x8000 == 0 ? 1 : -1)
            paths.append(Path(frames: direct.frames + 1 + Int(share * Float(length)), gain: gain))
        }
        self.paths = paths
    }

    /// Adds to `microphone` the echo of the loudspeaker, which plays `frames` at the same time, and the noise.
    mutating func mix(_ frames: UnsafePointer<Float>, into microphone: UnsafeMutablePointer<Float>, count: Int) {
        guard !paths.isEmpty else { return }
        let mask = Self.capacity - 1
        for index in 0..<count { line.base[(played + index) & mask] = frames[index] }
        for path in paths {
            let start = played - path.frames
            for index in 0..<count { microphone[index] += line.base[(start + index) & mask] * path.gain }
        }
        for index in 0..<count {
            // White and uniformly distributed: xorshift (Marsaglia 2003).
            noiseState ^= noiseState << 13
            noiseState ^= noiseState >> 17
            noiseState ^= noiseState << 5
            let hiss = (Float(noiseState) / 2_147_483_648 - 1) * noise
            microphone[index] = max(-1, min(1, microphone[index] + hiss))
        }
        played += count
    }
}
