internal import Synchronization
package import VoiceActivation
internal import VoiceBase
package import VoiceConfiguration
internal import VoiceWyoming

/// Reads calls with the local voice's recogniser: one connection per call. Belongs to the listener's thread.
package final class WyomingCallReader: CallReader {
    private static let connectLimit = Duration.milliseconds(500)
    private static let answerLimit = Duration.seconds(2)
    /// Silence around the sound, in samples: a recogniser is used to it.
    private static let lead = 3200
    private static let tail = 8000
    /// Samples per message.
    private static let chunk = 1600

    /// Between the listener's thread and the one of the sockets.
    private final class Shared: Sendable {
        struct Call {
            var number = 0
            var transcript = WyomingTranscript()
            var result: Result<String, WakeWordError>?
        }

        /// In bytes: more is not said in a second and a half, and it is compared with every similar word.
        static let longestText = 1024

        let call = Mutex(Call())

        func take(_ event: WyomingSockets.Event, of number: Int) {
            call.withLock { call in
                guard number == call.number, call.result == nil else { return }
                switch event {
                case .opened: break
                case .ended(let end): call.result = .failure(WakeWordError(end.description))
                case .message(.error):
                    // Its words are not ours, and come without anybody speaking to it.
                    call.result = .failure(WakeWordError("local.recogniser reports an error, see its own log"))
                case .message(.malformed("transcript")):
                    call.result = .failure(WakeWordError("local.recogniser sends a transcript without text"))
                case .message(let message):
                    call.transcript.take(message)
                    call.result = call.transcript.whole.map { .success($0.bounded(toBytes: Self.longestText)) }
                }
            }
        }
    }

    private let address: WyomingAddress
    private let allowsPublic: Bool
    private let language: String?
    private let shared = Shared()
    /// Nil until the first call, and if the system refuses the thread.
    private var sockets: WyomingSockets?

    package init(_ settings: LocalSettings) {
        address = settings.recogniser
        allowsPublic = settings.allowsPublic
        language = WyomingRequest.language(settings.language)
    }

    deinit { sockets?.stop() }

    /// Creates what reads calls; nil if the configuration names no similar words.
    ///
    /// - Throws: if `local.recogniser` cannot be used.
    package static func reading(
        _ settings: ActivationSettings,
        _ configuration: Configuration
    ) throws(ConfigurationError) -> WakeWordListener.MakeReading? {
        guard let similar = settings.similarWords else { return nil }
        let local = try LocalSettings(configuration)
        if !local.allowsPublic { try local.recogniser.checkIsNear() }
        return { CallReading(similar, by: WyomingCallReader(local)) }
    }

    package var result: Result<String, WakeWordError>? { shared.call.withLock { $0.result } }

    package func read(_ sound: [Int16]) {
        let number = begin()
        guard let sockets = started() else {
            let problem = WakeWordError("the system refuses the thread that reads calls", cause: .passing)
            return shared.call.withLock { $0.result = .failure(problem) }
        }
        let silence = { [Int16](repeating: 0, count: $0) }
        let sound = silence(Self.lead) + LocalEar.levelled(sound) + silence(Self.tail)
        sockets.open(number, to: address, allowsPublic: allowsPublic, within: Self.connectLimit)
        sockets.send(.transcribe(language: language), on: number)
        sockets.send(.audioStart(.microphone), on: number)
        for request in WyomingRequest.sound(sound, chunk: Self.chunk) { sockets.send(request, on: number) }
        sockets.send(.audioStop(timestamp: sound.count / 16), on: number)
        sockets.limit(Self.answerLimit, on: number)
    }

    package func abandon() { _ = begin() }

    /// Closes the connection of the call before; returns the next number.
    private func begin() -> Int {
        let (last, next) = shared.call.withLock { call in
            let last = call.number
            call = Shared.Call(number: last + 1)
            return (last, last + 1)
        }
        sockets?.close(last)
        return next
    }

    private func started() -> WyomingSockets? {
        if let sockets { return sockets }
        let shared = shared
        let sockets = WyomingSockets { shared.take($1, of: $0) }
        guard sockets.start() else { return nil }
        self.sockets = sockets
        return sockets
    }
}
