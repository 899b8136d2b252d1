package import VoiceReply

/// What the tools, buttons and scripts may do with the media player. Every call returns within milliseconds.
package protocol MediaControls: Sendable {
    /// Begins to play; what follows from fetching it is reported later.
    func play(address: String, title: String, kind: MediaKind?) async throws(MediaProblem) -> MediaSnapshot
    func enqueue(address: String, title: String) async throws(MediaProblem) -> MediaSnapshot
    func pause() async -> MediaSnapshot
    func resume() async -> MediaSnapshot
    /// - Parameter after: when; nil for now.
    func stop(after: Duration?) async -> MediaSnapshot
    func skip() async -> MediaSnapshot
    /// To the beginning of what plays, or to what was played before it.
    func previous() async -> MediaSnapshot
    /// Pauses, or goes on; false where there is nothing to do either with.
    func playPause() async -> Bool
    func clearQueue() async -> MediaSnapshot
    func snapshot() async -> MediaSnapshot
    /// 0 ... 1; held within the configured limit.
    func setVolume(_ level: Double) async -> MediaSnapshot
    /// How loud media is while the voice speaks, 0 ... 1.
    func setDucking(_ level: Double) async -> MediaSnapshot
}

/// The media player at one instant, as it is told to the model.
package struct MediaSnapshot: Sendable, Equatable, Encodable {
    package enum Status: String, Sendable, Encodable {
        /// On its way: being looked up, connected or collected.
        case starting, playing, paused, stopped
        case reconnecting
    }

    package var status = Status.stopped
    package var title: String?
    package var artist: String?
    /// What a station says it plays.
    package var nowPlaying: String?
    package var kind: MediaKind?
    /// Seconds, to a tenth.
    package var position: Double?
    package var duration: Double?
    /// The first ten titles that wait, and how many wait in all.
    package var queue: [String] = []
    package var queueLength = 0
    /// 0 ... 1.
    package var volume = 0.0
    package var ducking = 0.0
    package var sleepMinutes: Double?
    /// Set when the answer to a call is that something could not be done.
    package var problem: String?

    package init() {}

    private enum CodingKeys: String, CodingKey {
        case status, title, artist, kind, queue, volume, problem
        case nowPlaying = "stream_title"
        case position = "position_s"
        case duration = "duration_s"
        case queueLength = "queue_length"
        case ducking = "duck_level"
        case sleepMinutes = "stops_in_min"
    }
}

/// Stands where there is no media player.
package struct NoMedia: MediaControls {
    package init() {}

    private var nothing: MediaSnapshot {
        var snapshot = MediaSnapshot()
        snapshot.problem = "this box plays no media"
        return snapshot
    }

    package func play(address: String, title: String, kind: MediaKind?) async throws(MediaProblem) -> MediaSnapshot {
        nothing
    }
    package func enqueue(address: String, title: String) async throws(MediaProblem) -> MediaSnapshot { nothing }
    package func pause() async -> MediaSnapshot { nothing }
    package func resume() async -> MediaSnapshot { nothing }
    package func stop(after: Duration?) async -> MediaSnapshot { nothing }
    package func skip() async -> MediaSnapshot { nothing }
    package func previous() async -> MediaSnapshot { nothing }
    package func playPause() async -> Bool { false }
    package func clearQueue() async -> MediaSnapshot { nothing }
    package func snapshot() async -> MediaSnapshot { nothing }
    package func setVolume(_ level: Double) async -> MediaSnapshot { nothing }
    package func setDucking(_ level: Double) async -> MediaSnapshot { nothing }
}
