/// Settings of the simulated Realtime service.
package struct RealtimeSimulatorConfiguration: Sendable {
    /// TCP port on 127.0.0.1; 0 takes any free one.
    package var port = 0
    /// The accepted bearer key.
    package var key: String
    /// How many times faster than real time audio is sent; 0 sends without waiting.
    package var speed = 5.0
    /// Audio in one delta, 20 to 200 ms.
    package var chunkMilliseconds = 100
    /// Time between the trigger of a response and its first word.
    package var responseLatencyMilliseconds = 50
    /// Silence that ends a turn; nil takes `silence_duration_ms` of the session, or 500 ms with `semantic_vad`.
    package var releaseMilliseconds: Int?
    /// Quieter audio than this is never speech, in dBFS.
    package var thresholdDecibels = -45.0
    /// How the model's words become audio.
    package var voice: SpokenVoice = .natural
    /// `expires_at` of the session, in Unix seconds.
    package var expiresAt = 1_900_000_000
    /// How many events of each side are kept for inspection, audio included; later ones are not recorded.
    package var recordLimit = 5000
    /// Time between the pings of the server, in seconds; 0 sends none.
    package var pingSeconds = 20

    package init(key: String = "sk-simulated") {
        self.key = key
    }
}
