package import VoiceNetwork
package import VoiceReply

/// The media player for tools, buttons and scripts. Every call returns within milliseconds.
package protocol MediaControls: Sendable {
    /// Starts to play. The outcome of fetching the address is reported later.
    /// - Parameter home: the address of the home that orders it; see `MediaItem.home`.
    func play(
        address: String, title: String, kind: MediaKind?, home: NetworkAddress?
    ) async throws(MediaProblem) -> MediaSnapshot
    func enqueue(address: String, title: String, home: NetworkAddress?) async throws(MediaProblem) -> MediaSnapshot
    /// Plays the addresses one after the other, and then continues the present item.
    func interject(
        addresses: [String], title: String, home: NetworkAddress?
    ) async throws(MediaProblem) -> MediaSnapshot
    func perform(_ order: MediaOrder) async -> MediaSnapshot
    /// - Parameter change: the second to go to, from the present one.
    func seek(_ change: @Sendable (Double) -> Double) async throws(MediaProblem) -> MediaSnapshot
    /// - Parameters:
    ///   - place: the place among the waiting items, from 1.
    ///   - name: the title expected there; nil for any.
    func remove(_ place: Int, named name: String?) async throws(MediaProblem) -> MediaSnapshot
    /// The names of the stations that can be played by name.
    func stationNames() async -> [String]
    /// Stops after this delay.
    func stop(after: Duration) async -> MediaSnapshot
    /// Pauses or resumes; false if there is nothing to pause or resume.
    func playPause() async -> Bool
    func snapshot() async -> MediaSnapshot
    /// - Parameter level: 0 ... 1, clamped to the configured limit.
    func setVolume(_ level: Double) async -> MediaSnapshot
    /// - Parameter level: of media while the voice speaks, 0 ... 1.
    func setDucking(_ level: Double) async -> MediaSnapshot
}

extension MediaControls {
    package func play(address: String, title: String, kind: MediaKind?) async throws(MediaProblem) -> MediaSnapshot {
        try await play(address: address, title: title, kind: kind, home: nil)
    }

    package func enqueue(address: String, title: String) async throws(MediaProblem) -> MediaSnapshot {
        try await enqueue(address: address, title: title, home: nil)
    }
}

/// The state of the media player at one instant, as reported to the model.
package struct MediaSnapshot: Sendable, Equatable, Encodable {
    package enum Status: String, Sendable, Encodable {
        /// `starting`: being looked up, connected or buffered.
        case starting, playing, paused, stopped
        case reconnecting
    }

    package var status = Status.stopped
    package var title: String?
    package var artist: String?
    /// The title that a station reports.
    package var nowPlaying: String?
    package var kind: MediaKind?
    /// Seconds; the position is rounded to a tenth.
    package var position: Double?
    package var duration: Double?
    /// The first ten titles waiting, and the number of all that wait.
    package var queue: [String] = []
    package var queueLength = 0
    /// 0 ... 1.
    package var volume = 0.0
    package var ducking = 0.0
    package var sleepMinutes: Double?
    /// True while an interjection plays, else nil.
    package var interjects: Bool?
    /// Whether the last interjection was not heard to its end, or was stopped just after it.
    package var interjectionWasCut = false
    /// Set if the request could not be carried out.
    package var problem: String?

    package init() {}

    private enum CodingKeys: String, CodingKey {
        case status, title, artist, kind, queue, volume, interjects, problem
        case nowPlaying = "stream_title"
        case position = "position_s"
        case duration = "duration_s"
        case queueLength = "queue_length"
        case ducking = "duck_level"
        case sleepMinutes = "stops_in_min"
    }
}

/// The media player where none is configured.
package struct NoMedia: MediaControls {
    package init() {}

    private var nothing: MediaSnapshot {
        var snapshot = MediaSnapshot()
        snapshot.problem = "this box plays no media"
        return snapshot
    }

    package func play(
        address: String, title: String, kind: MediaKind?, home: NetworkAddress?
    ) async throws(MediaProblem) -> MediaSnapshot { nothing }
    package func enqueue(
        address: String, title: String, home: NetworkAddress?
    ) async throws(MediaProblem) -> MediaSnapshot { nothing }
    package func interject(
        addresses: [String], title: String, home: NetworkAddress?
    ) async throws(MediaProblem) -> MediaSnapshot { nothing }
    package func perform(_ order: MediaOrder) async -> MediaSnapshot { nothing }
    package func seek(_ change: @Sendable (Double) -> Double) async throws(MediaProblem) -> MediaSnapshot { nothing }
    package func remove(_ place: Int, named name: String?) async throws(MediaProblem) -> MediaSnapshot { nothing }
    package func stationNames() async -> [String] { [] }
    package func stop(after: Duration) async -> MediaSnapshot { nothing }
    package func playPause() async -> Bool { false }
    package func snapshot() async -> MediaSnapshot { nothing }
    package func setVolume(_ level: Double) async -> MediaSnapshot { nothing }
    package func setDucking(_ level: Double) async -> MediaSnapshot { nothing }
}
