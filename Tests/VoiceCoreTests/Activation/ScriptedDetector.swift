@testable import VoiceActivation

/// A wake word engine that finds, once, what a test names.
final class ScriptedDetector: WakeWordDetector {
    var next: [WakeCandidate] = []

    func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
        defer { next = [] }
        return next
    }

    func reset() {}
}
