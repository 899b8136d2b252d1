import Glibc

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceCore

/// The whole audio thread on a simulated card whose microphone hears its loudspeaker, with the daemon's tasks beside
/// it.
struct EchoRig: ~Copyable {
    /// What the microphone hears of the loudspeaker at a frame, from what was played at earlier ones.
    typealias Echo = (_ frame: Int, _ played: [Float]) -> Float

    let card: SimulatedCard
    let ports: AudioPorts
    var engine: AudioEngine<SimulatedDevice>
    var stage = AlignmentStage()
    /// The whole uplink.
    var heard: [Int16] = []
    private var said = 0
    private var tone = 0

    /// - Parameters:
    ///   - loopback: whether a channel of the microphone carries the played audio, at the instant at which it is
    ///     played.
    ///   - noise: amplitude of the white noise of the room.
    ///   - isMuted: whether a key of the device mutes it at a frame, so that it delivers zeros.
    init(
        plan: CapturePlan = CapturePlan(),
        setting: DuplexSetting = .auto,
        cancels: Bool = true,
        suppressesNoise: Bool = true,
        loopback: Bool = false,
        noise: Float = 0.0008,
        talker: @escaping (Int) -> Float = { _ in 0 },
        isMuted: @escaping (Int) -> Bool = { _ in false },
        echo: @escaping Echo
    ) throws {
        let card = SimulatedCard()
        let ports = AudioPorts()
        card.plan = plan
        var seed: UInt64 = 7
        card.microphone = { [unowned card] frame in
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let hiss = Float(Int32(truncatingIfNeeded: seed >> 32)) / 2_147_483_648 * noise
            return isMuted(frame) ? 0 : max(-1, min(1, echo(frame, card.played) + hiss + talker(frame)))
        }
        if loopback { card.loopback = { [unowned card] frame in card.played[frame] } }
        var configuration = AudioConfiguration()
        configuration.duplex = setting
        configuration.echoCanceller.echoCancellation = cancels
        if !suppressesNoise { configuration.echoCanceller.noiseSuppression = .off }
        // Delegates: Swift 6.2 miscompiles a noncopyable type's initializer that throws when half is initialized.
        let engine = try AudioEngine(device: SimulatedDevice(card: card), ports: ports, configuration: configuration)
        self.init(card, ports, engine)
        self.engine.start()
    }

    private init(_ card: SimulatedCard, _ ports: AudioPorts, _ engine: consuming AudioEngine<SimulatedDevice>) {
        self.card = card
        self.ports = ports
        self.engine = engine
    }

    /// 25 ms and two reflections, which change when the box is moved.
    static func room(_ decibels: Float, movedAt: Int = .max) -> Echo {
        let gain = powf(10, decibels / 20)
        let before = [(1200, Float(1)), (1507, -0.4), (2011, 0.25)]
        let after = [(1200, Float(-0.5)), (1333, 0.8), (1907, -0.4)]
        return { frame, played in
            (frame < movedAt ? before : after).reduce(0) { sum, way in
                frame >= way.0 ? sum + played[frame - way.0] * way.1 * gain : sum
            }
        }
    }

    /// 25 ms without reflections.
    /// - Parameter gain: linear, at a frame.
    static func direct(_ gain: @escaping (Int) -> Float) -> Echo {
        { frame, played in frame >= 1200 ? played[frame - 1200] * gain(frame) : 0 }
    }

    /// A talker who says "aa": a pulse at 120 Hz with three formants, in syllables, from `start` on.
    static func talker(from start: Int, level: Float = 0.12) -> (Int) -> Float {
        { frame in
            guard frame >= start else { return 0 }
            let time = Float(frame - start) / 48_000
            var value: Float = 0
            for harmonic in 1...30 {
                let hertz = 120 * Float(harmonic)
                var weight: Float = 0.05
                for formant: Float in [700, 1200, 2600] {
                    let distance = (hertz - formant) / 150
                    weight += 1 / (1 + distance * distance)
                }
                value += weight * sinf(2 * .pi * hertz * time)
            }
            return value * level * 0.25 * (0.6 - 0.4 * cosf(2 * .pi * 4 * time))
        }
    }

    mutating func run(_ periods: Int) {
        for _ in 0..<periods {
            _ = engine.cycle()
            stage.step(ports.alignment)
            var block = [Int16](repeating: 0, count: 4800)
            let count = ports.microphone.ring.read(into: &block, count: 4800)
            heard += block.prefix(count)
        }
    }

    /// Speaks so many seconds of the test signal's noise.
    mutating func speak(_ seconds: Int) {
        let voice = Array(EchoTestSignal.samples().dropFirst(Int(2.6 * 24_000)))
        for _ in 0..<seconds * 100 {
            let start = said % (voice.count - 240)
            ports.voice.ring.write(Array(voice[start..<start + 240]), count: 240)
            run(1)
            said += 240
        }
    }

    /// Says so many samples of 24 kHz, and whatever is left of the last period.
    mutating func say(_ samples: [Int16]) {
        for start in stride(from: 0, to: samples.count, by: 240) {
            let part = Array(samples[start..<min(samples.count, start + 240)])
            ports.voice.ring.write(part, count: part.count)
            run(1)
        }
    }

    /// Plays so many seconds of a chord that swells and fades, without voice.
    mutating func play(_ seconds: Int) {
        ports.volumes.set(Volumes(media: 100))
        for _ in 0..<seconds * 10 {
            let chord = (0..<4800).map { index in
                let time = Float(tone + index) / 48_000
                let swell = 0.8 - 0.2 * cosf(2 * .pi * 0.7 * time)
                let sum = [Float(220), 277, 330, 440].reduce(0) { $0 + 0.06 * swell * sinf(2 * .pi * $1 * time) }
                return StereoFrame(sum)
            }
            tone += 4800
            ports.media.ring.write(chord, count: 4800)
            run(10)
        }
    }

    var status: EchoStatus { ports.gauges.echo }
}
