package import VoiceAudio
package import VoiceBase
package import VoiceConversation

/// Carries audio between the audio thread's rings and the socket. Lives on the network thread alone.
///
///     MicrophoneTap --> chunks --> VoiceLine --> socket
///     socket --> base64 --> PlayoutQueue --> VoiceSink
///
/// It outlives connections: speech already received is played to its end when a connection breaks. At any time, at most one
/// connection has the microphone and the voice.
///
/// Uplink bound: audio the socket does not take stays in the microphone ring, and only its newest second is kept. So a
/// short stall loses nothing, and what is sent after a long one is recent.
///
/// If a conversation begins with a call, the pre-roll (`setPreRoll`) and everything said until the session is ready
/// (`holdMicrophone`) stay in that ring too, and are sent first, as fast as the socket takes them. The ring is the bound: a
/// session that is not ready within nine seconds misses the oldest audio.
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

    private let microphone: MicrophoneTap
    private let voice: VoiceSink
    private let volumes: VolumeControls
    private let loudspeaker: DeviceSlot?
    private let report: (ConversationEvent, Duration) -> Void
    private let maximumBacklog: Int
    /// Samples that may wait in the microphone ring.
    private let longestWaitSamples: Int
    private let hasVoiceDetector: Bool
    private var queue: PlayoutQueue
    private var uplink: (any VoiceLine)?
    /// The clock of a session with a continuous uplink; nil for other sessions.
    private var clock: UplinkClock?
    /// The one connection whose speech is played; nil between connections.
    private var current: (any VoiceLine)?
    private let chunk: UnsafeMutableBufferPointer<Int16>
    /// A chunk of silence.
    private let silence: UnsafeMutableBufferPointer<Int16>
    /// Position the audio thread must reach to complete the pending cut.
    private var cutPosition: UInt64?
    /// Speech was cut, and the service has neither reported nor been asked for anything new since.
    private(set) var isCut = false
    /// The order of silence that waits for the cut.
    private var lifting: SilenceOrders.Order?
    /// The voice position at the last tick, and whether the voice was inaudible then.
    private var heardUntil: UInt64 = 0
    private var wasInaudible = false

    private var kept: KeptMicrophone
    private var sent = SentMicrophone()
    private var isWithheld = false
    /// Sends only while somebody speaks; nil if everything is sent.
    private var gate: VoiceGate?
    /// The service hears a turn of the user and must hear its end too.
    private var isTurnOpen = false
    private var pause = TurnPause()

    package private(set) var chunksSent = 0
    /// Microphone samples the socket did not take in time.
    private var lostMicrophone = LossMeter()
    /// Speech samples that found no room: playback is ten minutes behind.
    private var lostVoice = LossMeter()
    private var lostMessages = LossMeter()
    /// From the capture of the newest sample to the queueing of its message on the socket, for the latest chunks. Excludes
    /// chunks held back by the echo gate.
    package private(set) var uplinkLatencies = RecentDurations()

    private let account: SentAudio
    private let uptime: () -> Duration
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
        self.microphone = microphone
        self.voice = voice
        self.volumes = volumes
        self.loudspeaker = loudspeaker
        account = sent
        self.report = report
        maximumBacklog = options.maximumBacklog
        longestWaitSamples = Self.samples(options.longestWaitMS)
        hasVoiceDetector = options.hasVoiceDetector
        kept = KeptMicrophone(longest: microphone.ring.capacity - AudioFormat.wireRate / 2)
        queue = PlayoutQueue(startBuffer: options.startBuffer)
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
    package var chunksDropped: Int { lostMicrophone.total / chunk.count }

    package func clearLatencies() {
        uplinkLatencies.clear()
    }

    // MARK: Microphone

    /// Sends the microphone to `connection`, and plays the voice of that connection only.
    ///
    /// If another connection has the microphone, it moves at once, between two samples. If none has, the uplink begins with
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
        if let start = kept.handOver(at: microphone.ring.writePosition, heldAtMost.map(Self.samples)) {
            microphone.ring.skip(to: start)
        } else if uplink == nil {
            microphone.ring.skip(to: microphone.ring.writePosition)
        }
        let moves = uplink !== connection
        if moves {
            sent.begin(at: microphone.ring.readPosition)
            clock = isContinuous ? UplinkClock(chunk: chunk.count, at: uptime()) : nil
        }
        uplink = connection
        // Another session may use the same response IDs as the one before.
        if current !== connection { queue.admitAll() }
        current = connection
        return moves
    }

    package func closeMicrophone() {
        uplink = nil
        kept.release()
    }

    /// Sets how much microphone audio is kept while no connection takes it, in ms; 0 keeps nothing.
    package func setPreRoll(_ milliseconds: Int) {
        kept.preRoll = min(Self.samples(max(0, milliseconds)), kept.longest)
    }

    /// Sends the microphone only while somebody speaks; nil sends everything.
    package func setVoiceGate(_ gate: VoiceGate?) {
        self.gate = gate
    }

    /// Sends nothing of the microphone, whatever the connection; a session that needs it gets silence.
    package func withholdMicrophone(_ isWithheld: Bool) {
        self.isWithheld = isWithheld
    }

    /// Reports whether the service hears a turn of the user. During a turn the gate stays open, however long the service
    /// waits for the silence that ends it.
    package func turnIsOpen(_ isOpen: Bool) {
        isTurnOpen = isOpen
        pause = TurnPause()
    }

    /// Reports the pauses of the user in the turn that the service is hearing.
    private func followTurn(_ now: Duration) {
        guard isTurnOpen, hasVoiceDetector, uplink != nil else { return }
        let heard = microphone.notes.voiceUntil
        switch pause.step(to: microphone.ring.writePosition, voiceUntil: heard, since: sent.turnFrom) {
        case .paused(let ago): report(.userPaused(ago: ago), now)
        case .resumed: report(.userResumed, now)
        case nil: break
        }
    }

    /// Drops all captured audio that has not been sent, held or not.
    package func forgetMicrophone() {
        let position = microphone.ring.writePosition
        microphone.ring.skip(to: position)
        kept.forget(before: position)
        sent.earliest = position
    }

    /// Holds everything from the pre-roll on, until the microphone is opened or closed.
    package func holdMicrophone() {
        if uplink == nil { kept.hold(at: microphone.ring.writePosition, since: microphone.ring.readPosition) }
    }

    /// The service reports that somebody has begun to speak. The voice may be anywhere in the audio held for the session,
    /// but not in audio that was not sent.
    func turnBegan(on connection: any VoiceLine) {
        guard uplink === connection else { return }
        sent.turnBegan(at: microphone.ring.readPosition, heldUntil: kept.until)
    }

    /// The service reports that the turn was committed as speech.
    /// - Returns: true if no voice was detected in it here, or if this connection has no microphone; false if that cannot
    ///   be decided.
    func turnWasSilent(on connection: any VoiceLine) -> Bool {
        guard uplink === connection else { return true }
        // Audio captured but not yet sent belongs to the next turn.
        defer { sent.earliest = microphone.ring.readPosition }
        guard hasVoiceDetector else { return false }
        return microphone.notes.voiceUntil <= sent.turnFrom
    }

    /// How long ago the audio was captured that this connection was sent `milliseconds` after its first sample; zero if it was
    /// not sent yet.
    func age(of milliseconds: Int, on connection: any VoiceLine) -> Duration {
        guard uplink === connection else { return .zero }
        let behind = sent.samples * 1000 / AudioFormat.wireRate - milliseconds
        guard behind > 0 else { return .zero }
        return max(.zero, uptime() - captureTime(of: microphone.ring.readPosition)) + .milliseconds(behind)
    }

    /// The write position of the microphone ring.
    var microphonePosition: UInt64 { microphone.ring.writePosition }

    /// Whether somebody spoke to this connection after that microphone position and within `limit` of the present.
    func sentVoice(on connection: any VoiceLine, after place: UInt64 = 0, within limit: Duration) -> Bool {
        guard uplink === connection else { return false }
        let voiceUntil = microphone.notes.voiceUntil
        return voiceUntil > place
            && voiceUntil + UInt64(Self.samples(limit.wholeMilliseconds)) > microphone.ring.writePosition
    }

    /// The connection has ended. A successor keeps microphone and voice.
    func ended(_ connection: any VoiceLine) {
        if uplink === connection { uplink = nil }
        if current === connection { current = nil }
    }

    /// Whether speech of this connection is to be played: false while another connection has taken its place.
    func listens(to connection: any VoiceLine) -> Bool {
        current == nil || current === connection
    }

    private func pumpMicrophone(_ now: Duration) {
        guard let connection = uplink, let base = chunk.baseAddress else {
            return keepWanted()
        }
        if isWithheld {
            keepClock(connection, now, isHeld: true)
            return keepNewest(chunk.count)
        }
        if let gate, !isTurnOpen, microphone.ring.readPosition >= kept.until {
            guard gate.isOpen(at: microphone.ring.readPosition, voiceUntil: microphone.notes.voiceUntil) else {
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
                lostMicrophone.add(chunk.count, at: now)
                break
            }
            if end > microphone.notes.heldUntil {
                uplinkLatencies.note(uptime() - captureTime(of: end))
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
            lostMicrophone.add(step.dropped, at: now)
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
        heard.boxSounds = queue.isActive
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
    func left(samples: Int, bytes: Int) { account.add(samples: samples, bytes: bytes) }

    /// Whether speech is queued, playing or being cut.
    var isSpeaking: Bool { queue.isActive || cutPosition != nil }

    /// Whether the audio thread runs a voice detector.
    var tellsVoices: Bool { hasVoiceDetector }

    /// Without an uplink: keeps what a session may want later, and discards the rest.
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
        let lost = (excess + chunk.count - 1) / chunk.count * chunk.count
        microphone.ring.skip(to: microphone.ring.readPosition + UInt64(lost))
        lostMicrophone.add(lost, at: now)
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

    // MARK: Queries of sessions with a continuous uplink

    /// Whether a voice was detected in the last `samples` samples taken; nil without a voice detector.
    func hasVoice(inLast samples: Int) -> Bool? {
        guard hasVoiceDetector else { return nil }
        let position = microphone.ring.readPosition
        return microphone.notes.voiceUntil > position - min(position, UInt64(max(0, samples)))
    }

    /// Samples of speech on their way to the loudspeaker.
    var waitingVoice: Int {
        let written = voice.ring.writePosition
        return queue.waiting + Int(min(written - min(written, voice.progress.consumed), 1 << 20))
    }

    /// Calls `body` at every tick until it returns false; bodies added during a tick are first called at the next.
    func follow(_ body: @escaping (_ now: Duration) -> Bool) { followers.append(body) }

    private func tellFollowers(_ now: Duration) {
        guard !followers.isEmpty else { return }
        let present = followers
        followers = []
        followers = present.filter { $0(now) } + followers
    }

    // MARK: Voice

    /// Queues the audio of a delta for playback.
    package func receive(_ samples: UnsafeBufferPointer<Int16>, of part: SpokenPart) {
        let now = uptime()
        let longest = AudioFormat.longestMessage * AudioFormat.wireRate
        if samples.count > longest { lostVoice.add(samples.count - longest, at: now) }
        let samples = UnsafeBufferPointer(rebasing: samples.prefix(longest))
        switch queue.enqueue(samples, of: part, written: voice.ring.writePosition, at: now) {
        case .queued(let begins):
            if begins { report(.voiceReceived(responseID: part.responseID, itemID: part.itemID), now) }
            fillVoice(now)
        case .stale: break
        case .full(let lost): lostVoice.add(lost, at: now)
        }
    }

    package func finish(_ part: SpokenPart) {
        queue.finish(part)
        fillVoice(uptime())
    }

    /// Silences the loudspeaker within a period. `voiceStopped` is reported once the card has reported how far it played.
    package func stopVoice(refusing responseIDs: [String]) {
        let position = voice.requestFlush()
        queue.cut(refusing: responseIDs, at: position)
        cutPosition = position
        isCut = true
    }

    /// Something new begins, whose speech is wanted.
    func speechIsWanted() { isCut = false }

    /// An order of silence has been carried out: lifts it once the speech that it stopped is gone.
    package func lift(_ order: SilenceOrders.Order) {
        if cutPosition == nil { order.lift(.voice) } else { lifting = order }
    }

    /// Writes nothing to the ring while a cut is pending, so that another cut meanwhile needs no flush of its own: the
    /// audio thread keeps the account of one flush only.
    private func fillVoice(_ now: Duration) {
        guard cutPosition == nil else { return }
        _ = queue.release(at: now) { samples in
            guard let base = samples.baseAddress else { return 0 }
            return voice.ring.write(base, count: samples.count)
        }
    }

    private func followPlayback(_ now: Duration) {
        let progress = voice.progress
        let position = progress.heard
        let isFlushed = cutPosition.map { progress.flushDone >= $0 } ?? false
        let cutAt = isFlushed ? progress.flushHeard : nil
        countInaudible(upTo: position, ofCutUpTo: cutAt ?? position)
        if let heard = cutAt {
            cutPosition = nil
            for progress in queue.cutResponses(heard: heard) { reportProgress(progress, now) }
            report(.voiceStopped(queue.settle(heard: heard)), now)
            lifting?.lift(.voice)
            lifting = nil
        }
        guard queue.isActive else { return }
        fillVoice(now)
        for progress in queue.advance(heard: position, written: voice.ring.writePosition) {
            reportProgress(progress, now)
        }
    }

    /// Positions advance even while the output is inaudible. What was played since the last tick counts as heard only if it
    /// was audible both then and now.
    private func countInaudible(upTo position: UInt64, ofCutUpTo cut: UInt64) {
        let isInaudible = isInaudible
        if isInaudible || wasInaudible {
            queue.missed(heardUntil..<max(heardUntil, position))
            queue.missedOfCut(heardUntil..<max(heardUntil, cut))
        }
        wasInaudible = isInaudible
        heardUntil = max(heardUntil, position)
    }

    private var isInaudible: Bool {
        volumes.isVoiceSilent || loudspeaker?.isOpen == false
    }

    private func reportProgress(_ progress: PlayoutQueue.Progress, _ now: Duration) {
        current?.sounded(progress)
        switch progress {
        case .audible(let responseID, let ago):
            report(.voiceAudible(responseID: responseID), now - .milliseconds(ago))
        case .played(let responseID, let heard, let received):
            report(.voicePlayed(responseID: responseID, heard: heard, received: received), now)
        case .drained:
            report(.voiceDrained, now)
        }
    }

    // MARK: Losses

    /// A message of the service was unreadable; only that message is lost.
    func noteUnreadable() {
        lostMessages.add(1, at: uptime())
    }

    private func logLosses(_ now: Duration) {
        let isFlowing = uplink == nil || microphone.ring.availableToRead < chunk.count
        if let samples = lostMicrophone.dequeue(at: now, isOver: isFlowing) {
            report(.lost(.microphone(milliseconds: samples * 1000 / AudioFormat.wireRate)), now)
        }
        if let samples = lostVoice.dequeue(at: now, isOver: true) {
            report(.lost(.voice(milliseconds: samples * 1000 / AudioFormat.wireRate)), now)
        }
        if let count = lostMessages.dequeue(at: now, isOver: true) { report(.lost(.messages(count)), now) }
    }

    // MARK: Time

    /// Does what is due.
    ///
    /// - Returns: how long until the next call.
    package func tick() -> Duration {
        let now = uptime()
        pumpMicrophone(now)
        followTurn(now)
        followPlayback(now)
        tellFollowers(now)
        logLosses(now)
        // Runs now and then even when closed, so that the ring does not fill with unwanted audio.
        var pause = Duration.milliseconds(500)
        if uplink != nil {
            pause = untilNextChunk(now)
        }
        if !followers.isEmpty { pause = min(pause, .milliseconds(20)) }
        // A cut is awaited. Playback is only monitored: the ring holds far more than is played between ticks.
        if cutPosition != nil { return min(pause, .milliseconds(10)) }
        return queue.isActive ? min(pause, .milliseconds(20)) : pause
    }

    /// Time until the audio thread should have delivered the rest of a chunk, 1 ... 20 ms.
    ///
    /// Follows the audio thread's own pace: a card may deliver its periods later than they were captured.
    private func untilNextChunk(_ now: Duration) -> Duration {
        let missing = max(0, chunk.count - microphone.ring.availableToRead)
        let periods = (missing + AudioFormat.wirePeriodSamples - 1) / AudioFormat.wirePeriodSamples
        let latest = Duration(nanoseconds: voice.progress.writtenNanoseconds)
        let due = latest + .milliseconds(10 * periods) - now
        // Looks for a late period every millisecond, and only now and then if the card is absent.
        if due < .milliseconds(-100) { return .milliseconds(10) }
        return min(max(due, .milliseconds(1)), .milliseconds(20))
    }
}
