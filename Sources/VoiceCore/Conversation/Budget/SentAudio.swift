internal import Synchronization
internal import VoiceBase

/// How much microphone audio has left this machine since the start. Written by the network thread, read by the budget.
package final class SentAudio: Sendable {
    /// Audio on the wire, as protocol messages before TLS.
    package struct Amount: Equatable, Sendable {
        /// Includes silence sent in place of held-back audio.
        package var milliseconds = 0
        package var bytes = 0
    }

    private let samples = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)

    package init() {}

    /// - Parameter samples: at the rate of the wire.
    package func add(samples: Int, bytes: Int) {
        self.samples.wrappingAdd(samples, ordering: .relaxed)
        self.bytes.wrappingAdd(bytes, ordering: .relaxed)
    }

    package var total: Amount {
        Amount(
            milliseconds: samples.load(ordering: .relaxed) / (AudioFormat.wireRate / 1000),
            bytes: bytes.load(ordering: .relaxed)
        )
    }
}

extension SentAudio.Amount {
    package static func + (one: Self, other: Self) -> Self {
        Self(milliseconds: one.milliseconds &+ other.milliseconds, bytes: one.bytes &+ other.bytes)
    }

    package static func - (one: Self, other: Self) -> Self {
        Self(milliseconds: max(0, one.milliseconds &- other.milliseconds), bytes: max(0, one.bytes &- other.bytes))
    }

    /// For people, as in "3 min 20 s".
    package var text: String {
        let seconds = milliseconds / 1000
        return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }
}
