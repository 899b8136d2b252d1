@testable import VoiceCore

/// The same numbers on every run.
typealias SeededGenerator = SplitMix64
