@testable import VoiceConversation

/// Yields the same numbers on every run.
typealias SeededGenerator = SplitMix64
