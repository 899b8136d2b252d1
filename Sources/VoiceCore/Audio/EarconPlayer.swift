internal import Glibc
internal import VoiceBase

/// Plays earcons: short synthesised tones with raised-cosine envelopes and peaks below -20 dBFS.
struct EarconPlayer: ~Copyable {
    /// Longest earcon in frames: one second.
    private static let longest = AudioFormat.deviceRate
    private static let fade = 480

    private let requests: EarconRequests
    private let volumes: VolumeControls
    private let tables: UnsafeMutablePointer<Float>
    private let lengths: UnsafeMutablePointer<Int>
    private let plays: Bool
    private var playing = 0
    private var waiting = 0
    private var position = 0
    private var fading = -1
    /// Volume at the start of the earcon, which is over before a change would matter.
    private var volume: Float = 1

    init(plays: Bool, requests: EarconRequests, volumes: VolumeControls) {
        self.requests = requests
        self.volumes = volumes
        self.plays = plays
        let count = Earcon.allCases.count
        tables = .allocate(capacity: count * Self.longest)
        tables.initialize(repeating: 0, count: count * Self.longest)
        lengths = .allocate(capacity: count)
        lengths.initialize(repeating: 0, count: count)
        for earcon in Earcon.allCases {
            for tone in Self.tones(of: earcon) { add(tone, to: earcon.rawValue - 1) }
        }
    }

    deinit {
        tables.deallocate()
        lengths.deallocate()
    }

    var isPlaying: Bool { playing != 0 }
    var hasSound: Bool { playing != 0 || waiting != 0 }

    /// Takes requests and cancellations. Call once a period, also while nothing can be played.
    mutating func receive() {
        let request = requests.takeRequest()
        if requests.takeCancellation() {
            if !Self.isReceipt(waiting) { waiting = 0 }
            if playing != 0 && fading < 0 && !Self.isReceipt(playing) { fading = 0 }
        }
        if request > 0 && plays { waiting = request }
    }

    /// Adds the sound that is due to `frames`.
    mutating func mix(into frames: UnsafeMutablePointer<StereoFrame>, count: Int) {
        if playing == 0 {
            guard waiting != 0 else { return }
            (playing, waiting, position, fading) = (waiting, 0, 0, -1)
            volume = volumes.gain(of: .earcons)
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

    /// Whether an earcon confirms an order. It is played to its end, as the order itself may be what cancels the others.
    private static func isReceipt(_ earcon: Int) -> Bool {
        earcon == Earcon.goodbye.rawValue || earcon == Earcon.woken.rawValue || earcon == Earcon.muted.rawValue
    }

    /// Hertz, start and length in seconds, peak.
    private typealias Tone = (hertz: Float, start: Float, seconds: Float, peak: Float)

    private static func tones(of earcon: Earcon) -> [Tone] {
        switch earcon {
        case .listening: [(660, 0, 0.12, 0.05), (880, 0.09, 0.16, 0.05)]
        case .thinking: [(440, 0, 0.30, 0.03), (554, 0.18, 0.34, 0.025)]
        case .error: [(392, 0, 0.22, 0.06), (294, 0.20, 0.32, 0.06)]
        case .goodbye: [(880, 0, 0.12, 0.05), (587, 0.10, 0.22, 0.045)]
        case .woken: [(784, 0, 0.09, 0.05), (1175, 0.06, 0.1, 0.04)]
        case .muted: [(523, 0, 0.12, 0.05), (262, 0.11, 0.2, 0.06)]
        case .notice: [(880, 0, 0.14, 0.05), (1109, 0.13, 0.14, 0.045), (1319, 0.26, 0.24, 0.04)]
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
