import Synchronization
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceCore

/// Replaces the wake word engine: detects the words that a test names.
final class ScriptedWords: Sendable {
    private let reported = Mutex<[String]>([])
    /// Calls so long after the first audible sample; nil for never.
    private let callAfter: Int?

    /// - Parameter callAfter: in milliseconds.
    init(callAfter: Int? = nil) { self.callAfter = callAfter }

    /// Detects the word in what the microphone hears next.
    func find(_ word: String) { reported.withLock { $0.append(word) } }

    func settle(_ settings: inout DaemonSettings) {
        // Its words are not in the audio, so no quiet is around a stop word: it passes for a model of its words.
        settings.activation.makeDetector = { (_) throws(WakeWordError) in Detector(self) }
    }

    private final class Detector: WakeWordDetector {
        private let words: ScriptedWords
        /// Number of samples since the first audible one; nil before it, and after the call.
        private var since: Int?
        private var hasCalled = false

        init(_ words: ScriptedWords) { self.words = words }

        func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
            if let after = words.callAfter, !hasCalled {
                if since == nil, samples.contains(where: { abs(Int($0)) > 1000 }) { since = 0 }
                if let begun = since { since = begun + samples.count }
                if let since, since >= after * 16 {
                    hasCalled = true
                    words.find("hey jarvis")
                }
            }
            return words.reported.withLock { reported in
                defer { reported = [] }
                return reported.map { WakeCandidate($0, .certain) }
            }
        }

        func reset() { words.reported.withLock { $0 = [] } }
    }
}

extension Stage {
    /// Starts the stage in `wake` mode; `words` determines the calls.
    func startListening(
        for words: ScriptedWords,
        adjust: (inout Configuration) -> Void = { _ in },
        tune: (inout DaemonSettings) -> Void = { _ in }
    ) async throws {
        try await start {
            $0.activation.mode = .wake
            // Names an engine, so that there is a recogniser; `words` replaces it.
            $0.activation.engine = .pocketsphinx
            adjust(&$0)
        } tune: {
            words.settle(&$0)
            tune(&$0)
        }
        try await hears()
    }

    /// Waits until the daemon listens for words.
    func hears() async throws {
        for _ in 0..<1000 {
            if ports?.words.isWanted == true { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Journal.NeverSeen(what: "a recogniser of words")
    }

    /// Lets so much of the room's time pass.
    func pass(milliseconds: Int) async throws {
        guard let ports else { return }
        let end = ports.gauges.counters.cycles + UInt64(milliseconds / 10)
        while ports.gauges.counters.cycles < end { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Waits until activation is in this phase.
    func reach(_ phase: ActivationPhase) async throws {
        for _ in 0..<2000 {
            if await daemon?.activationStatus.phase == phase { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Journal.NeverSeen(what: phase.rawValue)
    }
}

extension Journal {
    /// Number of audio messages sent to the service.
    var soundMessages: Int { sound().count }

    /// The microphone audio sent to the service, at 48 kHz by doubling samples.
    func sent(connection: Int? = nil) -> [Float] {
        sound(connection).flatMap { PCM16.samples(base64: $0) ?? [] }.flatMap { sample in
            let value = Float(sample) / 32_768
            return [value, value]
        }
    }

    private func sound(_ connection: Int? = nil) -> [String] {
        entries.compactMap { entry in
            guard case .wire(.client(let number, let event)) = entry, connection == nil || connection == number,
                event["type"] == "input_audio_buffer.append"
            else { return nil }
            return event["audio"]?.string
        }
    }
}
