@testable import VoiceConversation

/// The same numbers on every run.
typealias SeededGenerator = SplitMix64
