import FoundationEssentials
import VoiceActivation
import VoiceBase
import VoiceOpus

/// Prints a called word as the doctor keeps it (`WakeSample`): Opus packets of 20 ms, each behind its length, in base64.
///
///     VoiceBench wake-sample FILE.wav
struct WakeSampleCommand {
    private static let packet = 320
    private let file: String

    /// Nil where the arguments ask for something else.
    init?(_ arguments: [String]) {
        guard arguments.count == 2, arguments[0] == "wake-sample" else { return nil }
        file = arguments[1]
    }

    func run() throws {
        let samples = try WakeRecording.read(file)
        var options = OpusSpeechEncoder.Options()
        options.bitrate = 20_000
        options.hasFEC = false
        options.hasDTX = false
        let encoder = try OpusSpeechEncoder(options)
        var bytes: [UInt8] = []
        for start in stride(from: 0, through: samples.count - Self.packet, by: Self.packet) {
            let packet = try encoder.encode(Array(samples[start..<start + Self.packet]))
            guard packet.count < 256 else { throw BenchProblem("a packet of \(packet.count) bytes") }
            bytes += [UInt8(packet.count)] + packet
        }
        var text = Substring(Data(bytes).base64EncodedString())
        while !text.isEmpty {
            print(text.prefix(100) + (text.count > 100 ? "\\" : ""))
            text = text.dropFirst(100)
        }
    }
}
