internal import Glibc
internal import Synchronization

/// Plays short synthesised tones: each partial has a raised-cosine envelope, peaks stay below -20 dBFS.
struct EarconPlayer: ~Copyable {
    private static let longest = EarconSet.longest
    private static let fade = 480

    private let tables: UnsafeMutablePointer<Float>
    private let lengths: UnsafeMutablePointer<Int>
    private let mask: UInt64
    private var playing = 0
    private var waiting = 0
    private var position = 0
    private var fading = -1
    /// The volume when it began: an earcon is over before a change of it would matter.
    private var volume: Float = 1

    init(_ sounds: EarconSet) {
        mask = sounds.mask
        let count = Earcon.allCases.count
        tables = .allocate(capacity: count * Self.longest)
        tables.initialize(repeating: 0, count: count * Self.longest)
        lengths = .allocate(capacity: count)
        lengths.initialize(repeating: 0, count: count)
        for earcon in Earcon.allCases {
            let index = earcon.rawValue - 1
            if let own = sounds.own[earcon] {
                lengths[index] = min(own.count, Self.longest)
                (tables + index * Self.longest).update(from: own, count: lengths[index])
            } else {
                for tone in Self.tones(of: earcon) { add(tone, to: index) }
            }
        }
    }

    deinit {
        tables.deallocate()
        lengths.deallocate()
    }

    var isPlaying: Bool { playing != 0 }

    /// Takes requests and adds what is due to `frames`.
    mutating func mix(into frames: UnsafeMutablePointer<Float>, count: Int, pipes: AudioPipes) {
        let request = pipes.earconRequest.exchange(0, ordering: .acquiringAndReleasing)
        if pipes.earconCancel.exchange(false, ordering: .acquiringAndReleasing) {
            waiting = 0
            if playing != 0 && fading < 0 { fading = 0 }
        }
        if request > 0 && mask & (1 << UInt64(request)) != 0 { waiting = request }
        if playing == 0 {
            guard waiting != 0 else { return }
            (playing, waiting, position, fading) = (waiting, 0, 0, -1)
            volume = pipes.volumes.gain(of: .earcons)
        }
        let table = tables + (playing - 1) * Self.longest
        let left = min(count, lengths[playing - 1] - position)
        for index in 0..<max(0, left) {
            var gain = volume
            if fading >= 0 {
                gain *= max(0, 1 - Float(fading) / Float(Self.fade))
                fading += 1
            }
            frames[index] += table[position + index] * gain
        }
        position += max(0, left)
        if position >= lengths[playing - 1] || fading >= Self.fade { playing = 0 }
    }

    private struct Tone {
        var hertz: Float
        var start: Float
        var seconds: Float
        var peak: Float
    }

    private static func tones(of earcon: Earcon) -> [Tone] {
        switch earcon {
        case .listening:
            [
                Tone(hertz: 660, start: 0, seconds: 0.12, peak: 0.05),
                Tone(hertz: 880, start: 0.09, seconds: 0.16, peak: 0.05),
            ]
        case .thinking:
            [
                Tone(hertz: 440, start: 0, seconds: 0.30, peak: 0.03),
                Tone(hertz: 554, start: 0.18, seconds: 0.34, peak: 0.025),
            ]
        case .error:
            [
                Tone(hertz: 392, start: 0, seconds: 0.22, peak: 0.06),
                Tone(hertz: 294, start: 0.20, seconds: 0.32, peak: 0.06),
            ]
        case .goodbye:
            [
                Tone(hertz: 880, start: 0, seconds: 0.12, peak: 0.05),
                Tone(hertz: 587, start: 0.10, seconds: 0.22, peak: 0.045),
            ]
        case .woken:
            [
                Tone(hertz: 784, start: 0, seconds: 0.09, peak: 0.05),
                Tone(hertz: 1175, start: 0.06, seconds: 0.1, peak: 0.04),
            ]
        case .muted:
            [
                Tone(hertz: 523, start: 0, seconds: 0.12, peak: 0.05),
                Tone(hertz: 262, start: 0.11, seconds: 0.2, peak: 0.06),
            ]
        }
    }

    private func add(_ tone: Tone, to index: Int) {
        let rate = Float(AudioFormat.deviceRate)
        let start = Int(tone.start * rate)
        let frames = min(Int(tone.seconds * rate), Self.longest - start)
        let table = tables + index * Self.longest + start
        for frame in 0..<frames {
            let phase = Float(frame) / Float(frames)
            let envelope = 0.5 - 0.5 * cosf(2 * .pi * phase)
            table[frame] += tone.peak * envelope * sinf(2 * .pi * tone.hertz * Float(frame) / rate)
        }
        lengths[index] = max(lengths[index], start + frames)
    }
}
