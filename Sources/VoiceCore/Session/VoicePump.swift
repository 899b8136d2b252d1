package import VoiceAudio
internal import VoiceBase
package import VoiceConversation

/// Carries audio between the audio thread's rings and the socket. Lives on the network thread alone.
///
///     MicrophoneTap --> MicrophoneUplink --> VoiceLine --> socket
///     socket --> base64 --> VoicePlayout --> VoiceSink
///
/// At any time, at most one connection has the microphone and the voice.
package final class VoicePump {
    package struct Options: Equatable, Sendable {
        /// Length of one append in ms, a multiple of 10.
        package var chunk: Int
        /// Speech buffered before playback begins, in ms.
        package var startBuffer: Int
        /// Backlog of the socket in bytes above which microphone audio stays in its ring.
        package var maximumBacklog = 16 << 10
        /// Microphone audio that may wait there, in ms; the ring holds ten seconds.
        package var longestWaitMS = 1000
        /// Whether the audio thread runs a voice detector.
        package var hasVoiceDetector = false

        package init(
            chunk: Int = 20,
            startBuffer: Int = 60
        ) {
            self.chunk = chunk
            self.startBuffer = startBuffer
        }
    }

    package let uplink: MicrophoneUplink
    package let playout: VoicePlayout
    private let report: (ConversationEvent, Duration) -> Void
    private let uptime: () -> Duration
    private var lostMessages = LossMeter()
    /// Closures called at every tick.
    private var followers: [(Duration) -> Bool] = []

    /// - Parameters:
    ///   - volumes: the playback volumes of the voice.
    ///   - loudspeaker: may be absent; nil if a file takes the voice, always.
    ///   - uptime: the monotonic clock; tests pass their own.
    package init(
        microphone: MicrophoneTap,
        voice: VoiceSink,
        volumes: VolumeControls,
        loudspeaker: DeviceSlot?,
        options: Options,
        sent: SentAudio = SentAudio(),
        uptime: @escaping () -> Duration = Monotonic.now,
        report: @escaping (ConversationEvent, Duration) -> Void
    ) {
        self.uptime = uptime
        self.report = report
        uplink = MicrophoneUplink(microphone: microphone, options: options, sent: sent, uptime: uptime, report: report)
        playout = VoicePlayout(
            voice: voice, volumes: volumes, loudspeaker: loudspeaker, startBuffer: options.startBuffer, uptime: uptime,
            report: report
        )
    }

    /// Sends the microphone to `connection`, and plays the voice of that connection only.
    ///
    /// If another connection has the microphone, it moves immediately, between two samples. If none has, the uplink begins with
    /// the held audio, otherwise with the present: audio captured before is not sent.
    ///
    /// - Parameters:
    ///   - isContinuous: the session's clock runs on the audio it is sent, so silence replaces missing audio.
    ///   - heldAtMost: how much held audio is sent, the newest, in ms; nil for all of it.
    /// - Returns: whether the microphone was not at `connection` before.
    @discardableResult
    package func openMicrophone(
        on connection: any VoiceLine,
        isContinuous: Bool = false,
        heldAtMost: Int? = nil
    ) -> Bool {
        let moves = uplink.open(on: connection, isContinuous: isContinuous, heldAtMost: heldAtMost)
        playout.use(connection)
        return moves
    }

    /// The connection has ended. A successor keeps microphone and voice.
    func ended(_ connection: any VoiceLine) {
        uplink.ended(connection)
        playout.ended(connection)
    }

    /// Calls `body` at every tick until it returns false; bodies added during a tick are first called at the next.
    func follow(_ body: @escaping (_ now: Duration) -> Bool) { followers.append(body) }

    private func tellFollowers(_ now: Duration) {
        guard !followers.isEmpty else { return }
        let present = followers
        followers = []
        followers = present.filter { $0(now) } + followers
    }

    /// A message of the service was unreadable; only that message is lost.
    package func noteUnreadable() {
        lostMessages.add(1, at: uptime())
    }

    /// Does what is due.
    ///
    /// - Returns: how long until the next call.
    package func tick() -> Duration {
        let now = uptime()
        uplink.pump(now, boxSounds: playout.isActive)
        uplink.followTurn(now)
        playout.follow(now)
        tellFollowers(now)
        uplink.logLosses(now)
        playout.logLosses(now)
        if let count = lostMessages.dequeue(at: now, isOver: true) { report(.lost(.messages(count)), now) }
        // Runs now and then even when closed, so that the ring does not fill with unwanted audio.
        var pause = uplink.untilNextChunk(now, after: playout.writtenAt) ?? .milliseconds(500)
        if !followers.isEmpty { pause = min(pause, .milliseconds(20)) }
        // A cut is awaited. Playback is only monitored: the ring holds far more than is played between ticks.
        if playout.isCutting { return min(pause, .milliseconds(10)) }
        return playout.isActive ? min(pause, .milliseconds(20)) : pause
    }
}
