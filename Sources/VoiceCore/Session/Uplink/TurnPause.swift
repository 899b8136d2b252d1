internal import VoiceBase

/// Whether the user pauses in a turn that the service is hearing, by the local voice detector: some services report the end of
/// a turn only with the answer to it. Pure; positions of the microphone's ring, in samples at 24 kHz.
struct TurnPause: Equatable {
    enum Change: Equatable {
        /// No voice was heard for this long.
        case paused(ago: Duration)
        case resumed
    }

    /// Silence that makes a pause: 1 s.
    private static let length = UInt64(AudioFormat.wireRate)
    /// Voice that ends it, with gaps up to half a second: 100 ms. Less is a noise.
    private static let leastVoice = UInt64(AudioFormat.wireRate / 10)
    private static let longestGap = UInt64(AudioFormat.wireRate / 2)

    private var isPaused = false
    /// The position of the last call, and the voice known then.
    private var position: UInt64 = 0
    private var voiceUntil: UInt64 = 0
    /// Voice since the pause began.
    private var voice: UInt64 = 0

    /// - Parameters:
    ///   - position: the end of the captured audio; at least that of the call before.
    ///   - voiceUntil: the position of the latest voice.
    ///   - start: the turn's voice is not before this position.
    mutating func step(to position: UInt64, voiceUntil: UInt64, since start: UInt64) -> Change? {
        defer { (self.position, self.voiceUntil) = (position, voiceUntil) }
        let silence = position - min(position, voiceUntil)
        guard isPaused else {
            // A talker whom the detector does not hear does not pause.
            guard voiceUntil > start, silence >= Self.length else { return nil }
            (isPaused, voice) = (true, 0)
            return .paused(ago: .milliseconds(Int(silence) * 1000 / AudioFormat.wireRate))
        }
        if voiceUntil > self.voiceUntil { voice += voiceUntil - min(voiceUntil, max(self.voiceUntil, self.position)) }
        if silence > Self.longestGap { voice = 0 }
        guard voice >= Self.leastVoice else { return nil }
        isPaused = false
        return .resumed
    }
}
