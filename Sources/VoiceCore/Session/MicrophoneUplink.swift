internal import VoiceAudio
package import VoiceBase
internal import VoiceConversation

/// Carries the microphone from its ring to the connection that has it. Lives on the network thread alone.
///
/// Audio the socket does not take stays in the microphone ring, and only its newest second is kept. So a short stall loses
/// nothing, and what is sent after a long one is recent.
///
/// If a conversation begins with a call, the pre-roll (`setPreRoll`) and everything said until the session is ready
/// (`hold`) stay in that ring too, and are sent first, as fast as the socket takes them. The ring is the bound: a
/// session that is not ready within nine seconds misses the oldest audio.
package final class MicrophoneUplink {
    private let microphone: MicrophoneTap
    private let report: (ConversationEvent, Duration) -> Void
    private let uptime: () -> Duration
    private let maximumBacklog: Int
    /// Samples that may wait in the microphone ring.
    private let longestWaitSamples: Int
    /// Whether the audio thread runs a voice detector.
    package let hasVoiceDetector: Bool
    private let account: SentAudio
    private let chunk: UnsafeMutableBufferPointer<Int16>
    /// A chunk of silence.
    private let silence: UnsafeMutableBufferPointer<Int16>

    private var connection: (any VoiceLine)?
    /// The clock of a session with a continuous uplink; nil for other sessions.
    private var clock: UplinkClock?
    private var kept: KeptMicrophone
    private var sent = SentMicrophone()
    private var isWithheld = false
    /// Sends only while someone speaks; nil if everything is sent.
    private var gate: VoiceGate?
    /// The service hears a turn of the user and must hear its end too.
    private var isTurnOpen = false
    /// Ring position up to which everything was sent, or stays in the ring on purpose.
    private var settled: UInt64 = 0
    private var isShut = false
    private var pause = TurnPause()
    private var boxSounds = false

    package private(set) var chunksSent = 0
    /// Microphone samples the socket did not take in time.
    private var lost = LossMeter()
    /// From the capture of the newest sample to the queueing of its message on the socket, for the latest chunks. Excludes
    /// chunks held back by the echo gate.
    package private(set) var latencies = RecentDurations()

    init(
        microphone: MicrophoneTap,
        options: VoicePump.Options,
        sent account: SentAudio,
        uptime: @escaping () -> Duration,
        report: @escaping (ConversationEvent, Duration) -> Void
    ) {
        self.microphone = microphone
        self.account = account
        self.uptime = uptime
        self.report = report
        maximumBacklog = options.maximumBacklog
        longestWaitSamples = Self.samples(options.longestWaitMS)
        hasVoiceDetector = options.hasVoiceDetector
        kept = KeptMicrophone(longest: microphone.ring.capacity - AudioFormat.wireRate / 2)
        chunk = .allocate(capacity: Self.samples(options.chunk))
        chunk.initialize(repeating: 0)
        silence = .allocate(capacity: chunk.count)
        silence.initialize(repeating: 0)
    }

    deinit {
        chunk.deallocate()
        silence.deallocate()
    }

    /// Chunks dropped because the socket did not take them in time.
    package var chunksDropped: Int { lost.total / chunk.count }

    package func clearLatencies() {
        latencies.clear()
    }

    /// Sends the microphone to `connection`, see `VoicePump.openMicrophone`.
    func open(on connection: any VoiceLine, isContinuous: Bool, heldAtMost: Int?) -> Bool {
        if let start = kept.handOver(at: microphone.ring.writePosition, heldAtMost.map(Self.samples)) {
            microphone.ring.skip(to: start)
        } else if self.connection == nil {
            microphone.ring.skip(to: microphone.ring.writePosition)
        }
        let moves = self.connection !== connection
        if moves {
            sent.begin(at: microphone.ring.readPosition)
            clock = isContinuous ? UplinkClock(chunk: chunk.count, at: uptime()) : nil
        }
        self.connection = connection
        return moves
    }

    func ended(_ connection: any VoiceLine) {
        if self.connection === connection { self.connection = nil }
    }

    package func close() {
        connection = nil
        kept.release()
    }

    /// Sets how much microphone audio is kept while no connection takes it, in ms; 0 keeps nothing.
    package func setPreRoll(_ milliseconds: Int) {
        kept.preRoll = min(Self.samples(max(0, milliseconds)), kept.longest)
    }

    /// Sends the microphone only while someone speaks; nil sends everything.
    package func setVoiceGate(_ gate: VoiceGate?) {
        self.gate = gate
    }

    /// Sends nothing of the microphone, whatever the connection; a session that needs it gets silence.
    package func withhold(_ isWithheld: Bool) {
        self.isWithheld = isWithheld
    }

    /// Reports whether the service hears a turn of the user. During a turn the gate stays open, however long the service
    /// waits for the silence that ends it.
    package func turnIsOpen(_ isOpen: Bool) {
        isTurnOpen = isOpen
        pause = TurnPause()
    }

    /// Reports the pauses of the user in the turn that the service is hearing.
    func followTurn(_ now: Duration) {
        guard isTurnOpen, hasVoiceDetector, connection != nil else { return }
        let heard = microphone.notes.voiceUntil
        switch pause.step(to: microphone.ring.writePosition, voiceUntil: heard, since: sent.turnFrom) {
        case .paused(let ago): report(.userPaused(ago: ago), now)
        case .resumed: report(.userResumed, now)
        case nil: break
        }
    }

    /// Drops all captured audio that has not been sent, held or not.
    package func forget() {
        let position = microphone.ring.writePosition
        microphone.ring.skip(to: position)
        kept.forget(before: position)
        sent.earliest = position
    }

    /// Holds everything from the pre-roll on, until the microphone is opened or closed.
    package func hold() {
        if connection == nil { kept.hold(at: microphone.ring.writePosition, since: microphone.ring.readPosition) }
    }

    /// The service reports that someone has begun to speak. The voice may be anywhere in the audio held for the session,
    /// but not in audio that was not sent.
    func turnBegan(on connection: any VoiceLine) {
        guard self.connection === connection else { return }
        sent.turnBegan(at: microphone.ring.readPosition, heldUntil: kept.until)
    }

    /// The service reports that the turn was committed as speech.
    /// - Returns: true if no voice was detected in it here, or if this connection has no microphone; false if that cannot
    ///   be decided.
    func turnWasSilent(on connection: any VoiceLine) -> Bool {
        guard self.connection === connection else { return true }
        // Audio captured but not yet sent belongs to the next turn.
        defer { sent.earliest = microphone.ring.readPosition }
        guard hasVoiceDetector else { return false }
        return microphone.notes.voiceUntil <= sent.turnFrom
    }

    /// The age of the audio that this connection was sent `milliseconds` after its first sample; zero if that audio was
    /// not sent yet.
    func age(of milliseconds: Int, on connection: any VoiceLine) -> Duration {
        guard self.connection === connection else { return .zero }
        let behind = sent.samples * 1000 / AudioFormat.wireRate - milliseconds
        guard behind > 0 else { return .zero }
        return max(.zero, uptime() - captureTime(of: microphone.ring.readPosition)) + .milliseconds(behind)
    }

    /// The write position of the microphone ring.
    var microphonePosition: UInt64 { microphone.ring.writePosition }

    /// Whether someone spoke to this connection after that microphone position and within `limit` of the present.
    func sentVoice(on connection: any VoiceLine, after place: UInt64 = 0, within limit: Duration) -> Bool {
        guard self.connection === connection else { return false }
        let voiceUntil = microphone.notes.voiceUntil
        return voiceUntil > place
            && voiceUntil + UInt64(Self.samples(limit.wholeMilliseconds)) > microphone.ring.writePosition
    }

    /// Sends what is due.
    ///
    /// - Parameter boxSounds: whether the box is speaking.
    func pump(_ now: Duration, boxSounds: Bool) {
        self.boxSounds = boxSounds
        isShut = false
        defer { settle() }
        guard let connection, let base = chunk.baseAddress else {
            return keepWanted()
        }
        if isWithheld {
            isShut = true
            keepClock(connection, now, isHeld: true)
            return keepNewest(chunk.count)
        }
        if let gate, !isTurnOpen, microphone.ring.readPosition >= kept.until {
            guard gate.isOpen(at: microphone.ring.readPosition, voiceUntil: microphone.notes.voiceUntil) else {
                isShut = true
                keepClock(connection, now, isHeld: true)
                return keepNewest(gate.lead)
            }
        }
        keepClock(connection, now, isHeld: false)
        while microphone.ring.availableToRead >= chunk.count, connection.isOpen,
            connection.pendingSendBytes <= maximumBacklog
        {
            let end = microphone.ring.readPosition + UInt64(chunk.count)
            _ = microphone.ring.read(into: base, count: chunk.count)
            clock?.sent(chunk.count, until: captureTime(of: end))
            guard send(heard(UnsafeBufferPointer(chunk), until: end), on: connection) else {
                lost.add(chunk.count, at: now)
                break
            }
            if end > microphone.notes.heldUntil {
                latencies.note(uptime() - captureTime(of: end))
            }
        }
        dropOldest(now)
    }

    /// For a session with a continuous uplink: drops audio that came too late, and sends silence for missing audio.
    private func keepClock(_ connection: any VoiceLine, _ now: Duration, isHeld: Bool) {
        guard clock != nil, connection.isOpen, connection.pendingSendBytes <= maximumBacklog else { return }
        let position = microphone.ring.readPosition
        let waiting = microphone.ring.availableToRead
        // Audio held back by the echo gate arrives complete and in its place: it is not late.
        let due = now - .milliseconds(10 * microphone.notes.heldPeriods)
        guard
            let step = clock?.step(at: due, oldest: captureTime(of: position), waiting: waiting, isHeld: isHeld)
        else { return }
        if step.dropped > 0 {
            microphone.ring.skip(to: position + UInt64(step.dropped))
            lost.add(step.dropped, at: now)
        }
        for _ in 0..<step.silence / silence.count {
            guard send(MicrophoneChunk(UnsafeBufferPointer(silence)), on: connection) else { break }
        }
    }

    /// Adds to a chunk what is known about it.
    private func heard(_ samples: UnsafeBufferPointer<Int16>, until end: UInt64) -> MicrophoneChunk {
        var heard = MicrophoneChunk(samples)
        let period = UInt64(AudioFormat.wirePeriodSamples)
        var position = end - UInt64(samples.count)
        while hasVoiceDetector, position < end, !heard.isVoice {
            heard.isVoice = microphone.voices[position]
            position += period
        }
        heard.isHeldBack = end <= microphone.notes.heldUntil
        heard.boxSounds = boxSounds
        return heard
    }

    private func send(_ heard: MicrophoneChunk, on connection: any VoiceLine) -> Bool {
        guard let bytes = connection.send(heard) else { return false }
        chunksSent += 1
        sent.samples += heard.samples.count
        if bytes > 0 { left(samples: heard.samples.count, bytes: bytes) }
        return true
    }

    /// Counts microphone audio that has left, on whatever path.
    package func left(samples: Int, bytes: Int) { account.add(samples: samples, bytes: bytes) }

    /// Without a connection: keeps the audio that a later session may want, and discards the rest.
    private func keepWanted() {
        keepNewest(kept.wanted)
    }

    private func keepNewest(_ samples: Int) {
        let excess = microphone.ring.availableToRead - samples
        if excess > 0 { microphone.ring.skip(to: microphone.ring.readPosition + UInt64(excess)) }
    }

    /// Keeps the newest waiting audio, in whole chunks.
    private func dropOldest(_ now: Duration) {
        let mayWait = microphone.ring.readPosition < kept.until ? kept.longest : longestWaitSamples
        let excess = microphone.ring.availableToRead - max(mayWait, chunk.count)
        guard excess > 0 else { return }
        let missed = (excess + chunk.count - 1) / chunk.count * chunk.count
        microphone.ring.skip(to: microphone.ring.readPosition + UInt64(missed))
        lost.add(missed, at: now)
    }

    private static func samples(_ milliseconds: Int) -> Int { milliseconds * AudioFormat.wireRate / 1000 }

    /// Capture time of the sample before this position of the microphone ring.
    private func captureTime(of position: UInt64) -> Duration {
        Self.captureTime(of: position, origin: microphone.notes.originNanoseconds)
    }

    /// - Parameter origin: capture time of position 0, in ns; see `MicrophoneTap`.
    static func captureTime(of position: UInt64, origin: UInt64) -> Duration {
        // 10^9 / 24,000 reduced: the plain product would overflow after nine days.
        Duration(nanoseconds: origin &+ position * 125_000 / 3)
    }

    /// Whether a voice was detected in the last `samples` samples taken; nil without a voice detector.
    func hasVoice(inLast samples: Int) -> Bool? {
        guard hasVoiceDetector else { return nil }
        let position = microphone.ring.readPosition
        return microphone.notes.voiceUntil > position - min(position, UInt64(max(0, samples)))
    }

    func logLosses(_ now: Duration) {
        let isFlowing = connection == nil || microphone.ring.availableToRead < chunk.count
        if let samples = lost.dequeue(at: now, isOver: isFlowing) {
            report(.lost(.microphone(milliseconds: samples * 1000 / AudioFormat.wireRate)), now)
        }
    }

    /// Audio that waits in the ring after `pump` is the beginning of the next chunk, or stays there on purpose.
    private func settle() {
        let isBeginning = microphone.ring.availableToRead < chunk.count
        settled = isBeginning ? microphone.ring.readPosition : microphone.ring.writePosition
    }

    /// How often a shut gate is checked: a voice is sent that much later, with the sound before it.
    static let gateLook = Duration.milliseconds(50)

    /// How late a period is awaited: the network thread that comes at the time itself often finds nothing, and must look again.
    private static let lateness = Duration.milliseconds(1)

    /// Time until the audio thread should have delivered the rest of a chunk, 1 ... 20 ms; nil without a connection. While
    /// nothing is sent, 50 ms, unless the session's clock needs silence.
    ///
    /// Follows the audio thread's own pace: a card may deliver its periods later than they were captured.
    ///
    /// - Parameter latest: when the audio thread last delivered.
    func untilNextChunk(_ now: Duration, after latest: Duration) -> Duration? {
        guard connection != nil else { return nil }
        if isShut, clock == nil { return Self.gateLook }
        let captured = microphone.ring.writePosition
        let missing = max(0, chunk.count - Int(captured - min(settled, captured)))
        let periods = (missing + AudioFormat.wirePeriodSamples - 1) / AudioFormat.wirePeriodSamples
        let due = latest + .milliseconds(10 * periods) + Self.lateness - now
        // Looks for a late period every millisecond, and only now and then if the card is absent.
        if due < .milliseconds(-100) { return .milliseconds(10) }
        return min(max(due, .milliseconds(1)), .milliseconds(20))
    }
}
