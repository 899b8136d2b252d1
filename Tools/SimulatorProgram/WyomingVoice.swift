import Synchronization
import VoiceBase
import VoiceCore
import VoiceNetwork
import VoiceSession
import VoiceSimulator

/// The user's voice: lines spoken by a Wyoming server, at a microphone's level.
struct WyomingVoice {
    /// Root mean square of speech, full scale 1: -26 dBFS.
    private static let level: Float = 0.05
    /// Samples below this are cut off before the first word and after the last.
    private static let faint: Float = 0.003
    private static let limit = Duration.seconds(30)

    private let address: WyomingAddress

    /// - Parameter address: "host:port".
    init(_ address: String) throws(ConfigurationError) { self.address = try WyomingAddress(address, key: "--speaker") }

    /// Returns the speech from its first audible sample to its last, at 48 kHz.
    func speak(_ text: String) async throws(NoVoice) -> [Float] {
        let speech = Speech()
        let network = NetworkThread()
        do { try network.start() } catch { throw NoVoice(description: "\(error)") }
        network.enqueue { [address] in
            WyomingConnection(to: address, allowsPublic: false, on: network) { speech.receive($0) }
                .send(.synthesize(text, voice: nil))
        }
        let result = await TimeLimit.run(Self.limit) { await speech.whole.wait() }
        await network.stop()
        let late = NoVoice(description: "the server at \(address.text) does not speak")
        speech.whole.give(.failure(late))
        return Self.heard(
            SpokenVoice.resample(try (result ?? .failure(late)).get(), from: speech.rate, to: AudioFormat.deviceRate)
        )
    }

    private static func heard(_ speech: [Int16]) -> [Float] {
        let samples = speech.map { Float($0) / 32_768 }
        let power = samples.reduce(0) { $0 + $1 * $1 } / Float(max(1, samples.count))
        let gain = level / max(power.squareRoot(), 1e-4)
        let loud = samples.map { max(-1, min(1, $0 * gain)) }
        guard let first = loud.firstIndex(where: { abs($0) > faint }),
            let last = loud.lastIndex(where: { abs($0) > faint })
        else { return [] }
        return Array(loud[first...last])
    }

    /// Collects the server's audio.
    private final class Speech: Sendable {
        let whole = Promise<Result<[Int16], NoVoice>>()
        private let state = Mutex((rate: 22_050, samples: [Int16]()))

        var rate: Int { state.withLock { $0.rate } }

        func receive(_ event: WyomingConnection.Event) {
            switch event {
            case .message(.audioChunk(let format, let bytes)):
                state.withLock { state in
                    state.rate = format.rate
                    for at in stride(from: 0, to: bytes.count - 1, by: 2) {
                        state.samples.append(Int16(truncatingIfNeeded: Int(bytes[at]) | Int(bytes[at + 1]) << 8))
                    }
                }
            case .message(.audioStop): whole.give(.success(state.withLock { $0.samples }))
            case .message(.error(let text, _)): whole.give(.failure(NoVoice(description: text)))
            case .ended(let end): whole.give(.failure(NoVoice(description: end.description)))
            case .message: break
            }
        }
    }
}

/// The server did not speak the user's line.
struct NoVoice: Error, CustomStringConvertible {
    let description: String
}
