import FoundationEssentials
import VoiceBase
import VoiceConversation
import VoiceCore
import VoiceOpus
import VoiceSimulator

/// `VoiceBench conceal IN.wav FOLDER`: passes speech through Opus and a network that loses packets, as the product
/// hears it.
///
/// Writes WAV files of one channel at 16 kHz: `LENGTH-LOSS-fec.wav` as the product plays it (a lost packet is recovered
/// from the next one, otherwise concealed), and `LENGTH-LOSS-silence.wav` with silence in its place. LENGTH is the
/// packet length in ms, LOSS the loss in percent; the same packets are lost in both. `scripts/plc-check` scores the
/// files.
struct ConcealCommand {
    private static let rate = 16_000
    static let lengths = [20, 60]
    static let losses = [0, 1, 3, 5, 10]

    private let input: String
    private let folder: String

    init?(_ arguments: [String]) {
        guard arguments.count == 3, arguments[0] == "conceal" else { return nil }
        input = arguments[1]
        folder = arguments[2]
    }

    func run() throws {
        let bytes = try Array(Data(contentsOf: URL(filePath: input)))
        guard let wave = MonoWave.parse(bytes) else { throw BenchProblem("\(input) is no WAV of one channel") }
        let speech = SpokenVoice.resample(wave.samples, from: wave.rate, to: Self.rate)
        for length in Self.lengths {
            let packets = try Self.packets(speech, length: length)
            for loss in Self.losses {
                var random = SplitMix(seed: UInt64(loss) &* 1000 &+ UInt64(speech.count))
                let lost = packets.map { _ in Int.random(in: 0..<100, using: &random) < loss }
                for conceals in [true, false] {
                    let heard = Self.hear(packets, lost, length: length, conceals: conceals)
                    let samples = SpokenVoice.resample(heard, from: 24_000, to: Self.rate)
                    let name = "\(length)-\(loss)-\(conceals ? "fec" : "silence").wav"
                    let file = URL(filePath: folder).appending(path: name)
                    try Data(MonoWave.bytes(samples: samples, rate: Self.rate)).write(to: file)
                }
            }
        }
    }

    private static func packets(_ speech: [Int16], length: Int) throws -> [[UInt8]] {
        let encoder = try OpusSpeechEncoder(.init(rate: rate, bitrate: 24_000, hasDTX: false))
        let size = length * rate / 1000
        return try stride(from: 0, to: speech.count - size + 1, by: size).map {
            try encoder.encode(Array(speech[$0..<$0 + size]))
        }
    }

    /// Plays the packets through the product's own sequencer and decoder.
    private static func hear(_ packets: [[UInt8]], _ lost: [Bool], length: Int, conceals: Bool) -> [Int16] {
        var sequencer = PacketSequencer<Hero365Sound>()
        let voice = Hero365Voice()
        var heard: [Int16] = []
        for (index, packet) in packets.enumerated() {
            let now = Duration.milliseconds(index * length)
            var steps = sequencer.tick(at: now)
            // The first packet is never lost: it marks where the audio begins.
            if index == 0 || !lost[index] {
                steps += sequencer.take(Hero365Sound(.opus, packet), number: index + 1, at: now)
            }
            if index == packets.count - 1 { steps += sequencer.finish(at: now) }
            for step in steps {
                switch step {
                case .began, .ended: break
                case .packet(let sound): heard += voice.samples(sound) ?? []
                case .missing(let count, let next):
                    heard +=
                        conceals
                        ? voice.conceal(count, before: next) : [Int16](repeating: 0, count: count * length * 24)
                }
            }
        }
        return heard
    }
}
