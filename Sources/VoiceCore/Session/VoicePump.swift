internal import Synchronization

/// Carries audio between the rings of the audio thread and the socket; lives on the network thread alone.
///
///     AudioPipes.microphone --> chunks --> base64 --> socket
///     socket --> base64 --> PlayoutQueue --> AudioPipes.voice
///
/// It outlives connections: speech that came in is played to its end when a connection breaks.
package final class VoicePump {
    package struct Options: Equatable, Sendable {
        /// Length of one append, in ms: a multiple of 10.
        package var chunk: Int
        /// Speech gathered before playback begins, in ms.
        package var startBuffer: Int
        /// Bytes waiting for the socket above which microphone audio is dropped, so that it never arrives stale.
        package var maximumBacklog = 64 << 10

        package init(chunk: Int = 20, startBuffer: Int = 60) {
            self.chunk = chunk
            self.startBuffer = startBuffer
        }
    }

    private let pipes: AudioPipes
    private let report: (ConversationEvent, Duration) -> Void
    private let maximumBacklog: Int
    private var queue: PlayoutQueue
    private var uplink: WebSocketConnection?
    private let chunk: UnsafeMutableBufferPointer<Int16>
    /// Position that the audio thread has to reach for the cut that is under way.
    private var cutPosition: UInt64?

    /// Chunks sent, and chunks dropped because the socket did not take them in time.
    package private(set) var chunksSent = 0
    package private(set) var chunksDropped = 0
    /// From the newest sample's capture to its message being queued on the socket, for the latest chunks; without those
    /// that the echo gate held back.
    package private(set) var uplinkLatencies = RecentDurations()

    package init(pipes: AudioPipes, options: Options, report: @escaping (ConversationEvent, Duration) -> Void) {
        self.pipes = pipes
        self.report = report
        maximumBacklog = options.maximumBacklog
        queue = PlayoutQueue(startBuffer: options.startBuffer)
        chunk = .allocate(capacity: options.chunk * AudioFormat.wireRate / 1000)
        chunk.initialize(repeating: 0)
    }

    deinit { chunk.deallocate() }

    package func clearLatencies() {
        uplinkLatencies.clear()
    }

    // MARK: Microphone

    /// Lets the microphone out on `connection`, beginning with the present: what was captured before stays here.
    package func openMicrophone(on connection: WebSocketConnection) {
        pipes.microphone.skip(to: pipes.microphone.writePosition)
        uplink = connection
    }

    package func closeMicrophone() {
        uplink = nil
    }

    /// The connection is over; one that has taken its place keeps the microphone.
    func ended(_ connection: WebSocketConnection) {
        if uplink === connection { uplink = nil }
    }

    private func pumpMicrophone() {
        guard let connection = uplink, let base = chunk.baseAddress else {
            return pipes.microphone.skip(to: pipes.microphone.writePosition)
        }
        let size = AudioAppend.messageCount(samples: chunk.count)
        while pipes.microphone.availableToRead >= chunk.count {
            let end = pipes.microphone.readPosition + UInt64(chunk.count)
            _ = pipes.microphone.read(into: base, count: chunk.count)
            let samples = UnsafeBufferPointer(chunk)
            let isSent =
                connection.pendingSendBytes <= maximumBacklog
                && connection.send(textOfAtMost: size) { buffer in
                    AudioAppend.write(samples, into: buffer)
                    return size
                }
            if isSent {
                chunksSent += 1
                if end > pipes.echo.heldUntil.load(ordering: .relaxed) {
                    uplinkLatencies.note(Monotonic.now() - captureTime(of: end))
                }
            } else {
                chunksDropped += 1
            }
        }
    }

    /// When the sample before this position of the microphone ring was captured.
    private func captureTime(of position: UInt64) -> Duration {
        Self.captureTime(of: position, origin: pipes.microphoneOriginNanoseconds.load(ordering: .relaxed))
    }

    /// - Parameter origin: when position 0 would have been captured, in ns; see `AudioPipes`.
    static func captureTime(of position: UInt64, origin: UInt64) -> Duration {
        // 10^9 / 24,000 reduced: the plain product would overflow after nine days.
        Duration(nanoseconds: origin &+ position * 125_000 / 3)
    }

    // MARK: Voice

    /// Takes in the audio of a delta.
    package func receive(_ samples: UnsafeBufferPointer<Int16>, of part: SpokenPart) {
        let now = Monotonic.now()
        switch queue.enqueue(samples, of: part, written: pipes.voice.writePosition, at: now) {
        case .queued(let begins):
            if begins { report(.voiceReceived(responseID: part.responseID, itemID: part.itemID), now) }
            fillVoice(now)
        case .stale: break
        case .full(let lost): voiceLost += lost
        }
    }

    /// Samples of speech that found no room: the listener is ten minutes behind.
    package private(set) var voiceLost = 0

    package func finish(_ part: SpokenPart) {
        queue.finish(part)
        fillVoice(Monotonic.now())
    }

    /// Silences the loudspeaker within a period; `voiceStopped` is reported when the card has told how far it came.
    package func stopVoice(refusing responseIDs: [String]) {
        let position = pipes.requestFlush()
        queue.cut(refusing: responseIDs, at: position)
        cutPosition = position
    }

    /// While a cut is under way nothing new goes into the ring, so that another cut meanwhile needs no flush of its own:
    /// the audio thread keeps the account of one flush only.
    private func fillVoice(_ now: Duration) {
        guard cutPosition == nil else { return }
        _ = queue.release(at: now) { samples in
            guard let base = samples.baseAddress else { return 0 }
            return pipes.voice.write(base, count: samples.count)
        }
    }

    private func followPlayback(_ now: Duration) {
        if let position = cutPosition, pipes.flushDone.load(ordering: .acquiring) >= position {
            cutPosition = nil
            report(.voiceStopped(queue.settle(heard: pipes.flushHeard.load(ordering: .relaxed))), now)
        }
        guard queue.isActive else { return }
        fillVoice(now)
        let heard = pipes.voiceHeard.load(ordering: .acquiring)
        for progress in queue.advance(heard: heard, written: pipes.voice.writePosition) {
            switch progress {
            case .audible(let responseID, let ago):
                report(.voiceAudible(responseID: responseID), now - .milliseconds(ago))
            case .drained:
                report(.voiceDrained, now)
            }
        }
    }

    // MARK: Time

    /// Does what is due; returns when it wants to be called again.
    package func tick() -> Duration {
        let now = Monotonic.now()
        pumpMicrophone()
        followPlayback(now)
        // Now and then even when closed, so that the ring does not fill up with what nobody wants.
        var pause = Duration.milliseconds(500)
        if uplink != nil {
            pause = untilNextChunk(now)
        }
        // A cut is waited for. Playback is only looked after: the ring holds far more than is played meanwhile.
        if cutPosition != nil { return min(pause, .milliseconds(10)) }
        return queue.isActive ? min(pause, .milliseconds(20)) : pause
    }

    /// How long until the audio thread should have brought what is missing of a chunk, 1 ... 20 ms.
    ///
    /// Its own pace is the guide: a card may hand over its periods later than they were captured.
    private func untilNextChunk(_ now: Duration) -> Duration {
        let missing = max(0, chunk.count - pipes.microphone.availableToRead)
        let periods = (missing + AudioFormat.wirePeriodSamples - 1) / AudioFormat.wirePeriodSamples
        let latest = Duration(nanoseconds: pipes.lastWriteNanoseconds.load(ordering: .relaxed))
        let due = latest + .milliseconds(10 * periods) - now
        // A period that is late is looked for every millisecond; a card that is away, now and then.
        if due < .milliseconds(-100) { return .milliseconds(10) }
        return min(max(due, .milliseconds(1)), .milliseconds(20))
    }
}
