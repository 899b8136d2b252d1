internal import Synchronization
package import VoiceAudio
package import VoiceBase
internal import VoiceConfiguration
package import VoiceConversation
internal import VoiceNetwork

/// Carries audio between the rings of the audio thread and the socket; lives on the network thread alone.
///
///     MicrophoneTap --> chunks --> UplinkEncoder --> socket
///     socket --> base64 --> PlayoutQueue --> VoiceSink
///
/// It outlives connections: speech that came in is played to its end when a connection breaks. Of several connections
/// one has the microphone and the voice.
///
/// Bound of the way up: what the socket does not take stays in the microphone ring, and of that the newest second is
/// kept. So a short stall loses nothing, and what is sent after a long one is of the present.
///
/// Where a conversation begins with a call, the moments before it (`setPreRoll`) and all that is said until its session
/// is ready (`holdMicrophone`) stay in that ring too, and are sent first, as fast as the socket takes them. The ring is
/// the bound: a session that is not ready within nine seconds misses the oldest.
package final class VoicePump {
    package struct Options: Equatable, Sendable {
        /// Length of one append, in ms: a multiple of 10.
        package var chunk: Int
        /// Speech gathered before playback begins, in ms.
        package var startBuffer: Int
        /// Bytes waiting for the socket above which microphone audio stays in its ring.
        package var maximumBacklog = 16 << 10
        /// Microphone audio that may wait there, in ms: the ring holds ten seconds.
        package var longestWait = 1000
        /// Whether the audio thread tells voices from other sound.
        package var hasVoiceDetector = false

        package init(
            chunk: Int = Configuration.Realtime().chunkMS,
            startBuffer: Int = Configuration.Audio().startBufferMS
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
    private let longestWait: Int
    private let hasVoiceDetector: Bool
    private var queue: PlayoutQueue
    private var uplink: (any VoiceLine)?
    private var encoder: any UplinkEncoder = Base64Uplink()
    /// Of a session that runs by its uplink; nil where nothing but sound is sent.
    private var clock: UplinkClock?
    /// The one connection whose speech is played; nil between two.
    private var current: (any VoiceLine)?
    private let chunk: UnsafeMutableBufferPointer<Int16>
    /// As long as a chunk, and silent.
    private let silence: UnsafeMutableBufferPointer<Int16>
    /// Position that the audio thread has to reach for the cut that is under way.
    private var cutPosition: UInt64?
    /// The voice position at the last tick, and whether nobody could hear the voice then.
    private var heardUntil: UInt64 = 0
    private var wasInaudible = false

    /// Samples of the microphone that are kept while nobody takes them.
    private var preRoll = 0
    /// Everything from here on is kept for the next session; nil where nothing is held.
    private var heldFrom: UInt64?
    /// What was captured before this was held, and is sent whole.
    private var heldUntil: UInt64 = 0
    /// The connection that has the microphone was sent nothing from before this.
    private var sentFrom: UInt64 = 0
    /// Sends only while somebody speaks; nil sends everything.
    private var gate: VoiceGate?
    /// Where the voice of the turn at hand is to be looked for: not in the turn before.
    private var turnFrom: UInt64 = 0
    private var lastTurnUntil: UInt64 = 0
    /// The service hears a turn of the user: it wants to hear its end too.
    private var isTurnOpen = false
    /// Samples that may be held: half a second less than the ring has room for.
    private var longestHold: Int { microphone.ring.capacity - AudioFormat.wireRate / 2 }

    /// Chunks sent.
    package private(set) var chunksSent = 0
    /// Samples of the microphone that the socket did not take in time.
    private var lostMicrophone = LossMeter()
    /// Samples of speech that found no room: the listener is ten minutes behind.
    private var lostVoice = LossMeter()
    private var lostMessages = LossMeter()
    /// From the newest sample's capture to its message being queued on the socket, for the latest chunks; without those
    /// that the echo gate held back.
    package private(set) var uplinkLatencies = RecentDurations()

    private let egress: EgressLedger
    private let uptime: () -> Duration
    /// Who wants to know that time passes.
    private var followers: [(Duration) -> Bool] = []

    /// - Parameters:
    ///   - volumes: at which the voice is played.
    ///   - loudspeaker: which may be away; nil where a file takes the voice, always.
    ///   - uptime: the monotonic clock; of a test, its own.
    package init(
        microphone: MicrophoneTap,
        voice: VoiceSink,
        volumes: VolumeControls,
        loudspeaker: DeviceSlot?,
        options: Options,
        egress: EgressLedger = EgressLedger(),
        uptime: @escaping () -> Duration = Monotonic.now,
        report: @escaping (ConversationEvent, Duration) -> Void
    ) {
        self.uptime = uptime
        self.microphone = microphone
        self.voice = voice
        self.volumes = volumes
        self.loudspeaker = loudspeaker
        self.egress = egress
        self.report = report
        maximumBacklog = options.maximumBacklog
        longestWait = options.longestWait * AudioFormat.wireRate / 1000
        hasVoiceDetector = options.hasVoiceDetector
        queue = PlayoutQueue(startBuffer: options.startBuffer)
        chunk = .allocate(capacity: options.chunk * AudioFormat.wireRate / 1000)
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

    /// Lets the microphone out on `connection`, and the voice in from it alone.
    ///
    /// From a connection that has the microphone it moves at once, between two samples. A closed one begins with what is
    /// held, else with the present: what was captured before stays here.
    ///
    /// - Parameters:
    ///   - encoder: makes the messages of it.
    ///   - isContinuous: the session's clock is what it is sent: silence takes the place of what is not.
    ///   - heldAtMost: so much of what is held is sent, the newest, in ms; nil for all of it.
    package func openMicrophone(
        on connection: any VoiceLine,
        encoder: any UplinkEncoder = Base64Uplink(),
        isContinuous: Bool = false,
        heldAtMost: Int? = nil
    ) {
        if let heldFrom {
            let position = microphone.ring.writePosition
            let most = heldAtMost.map { UInt64($0 * AudioFormat.wireRate / 1000) } ?? position
            microphone.ring.skip(to: max(heldFrom, position - min(position, most)))
            heldUntil = position
        } else if uplink == nil {
            microphone.ring.skip(to: microphone.ring.writePosition)
        }
        heldFrom = nil
        if uplink !== connection {
            sentFrom = microphone.ring.readPosition
            self.encoder = encoder
            encoder.reset()
            clock = isContinuous ? UplinkClock(chunk: chunk.count, at: uptime()) : nil
        }
        uplink = connection
        // Another session may name its responses like the one before.
        if current !== connection { queue.admitAll() }
        current = connection
    }

    package func closeMicrophone() {
        uplink = nil
        heldFrom = nil
    }

    /// Keeps so much of the microphone while nobody takes it, in ms; 0 keeps nothing.
    package func setPreRoll(_ milliseconds: Int) {
        preRoll = min(max(0, milliseconds) * AudioFormat.wireRate / 1000, longestHold)
    }

    /// Lets the microphone out only while somebody speaks; nil lets everything out.
    package func setVoiceGate(_ gate: VoiceGate?) {
        self.gate = gate
    }

    /// The service hears a turn of the user, or no longer. Meanwhile the gate is open, however long the service waits for
    /// the silence that ends the turn.
    package func turnIsOpen(_ isOpen: Bool) {
        isTurnOpen = isOpen
    }

    /// Drops what was captured and not sent, held or not.
    package func forgetMicrophone() {
        let position = microphone.ring.writePosition
        microphone.ring.skip(to: position)
        if heldFrom != nil { heldFrom = position }
        heldUntil = 0
        sentFrom = position
    }

    /// Keeps everything from the pre-roll on, until the microphone is opened or closed.
    package func holdMicrophone() {
        guard uplink == nil, heldFrom == nil else { return }
        let position = microphone.ring.writePosition
        heldFrom = max(microphone.ring.readPosition, position - min(position, UInt64(preRoll)))
    }

    /// How long a service may take to tell that somebody has begun to speak, and how long before that his voice may have
    /// begun.
    private static let lead = UInt64(6 * AudioFormat.wireRate)

    /// The service tells that somebody has begun to speak. Of what was held for its session any of it may be meant; what
    /// it was not sent, not.
    func turnBegan(on connection: any VoiceLine) {
        guard uplink === connection else { return }
        let now = microphone.ring.readPosition
        let isOfHeld = heldUntil > 0 && now < heldUntil + Self.lead
        turnFrom = max(lastTurnUntil, sentFrom, isOfHeld || now < Self.lead ? 0 : now - Self.lead)
    }

    /// The service tells that the turn was taken as spoken.
    /// - Returns: whether no voice was heard in it here, as where this connection has no microphone; false where that
    ///   cannot be told.
    func turnWasSilent(on connection: any VoiceLine) -> Bool {
        guard uplink === connection else { return true }
        // What is captured and not yet sent is of the next turn.
        defer { lastTurnUntil = microphone.ring.readPosition }
        guard hasVoiceDetector else { return false }
        return microphone.voiceUntil <= turnFrom
    }

    /// How far the microphone has come.
    var microphonePosition: UInt64 { microphone.ring.writePosition }

    /// Whether somebody spoke to this connection after that place of the microphone, and within so long.
    func sentVoice(on connection: any VoiceLine, after place: UInt64 = 0, within limit: Duration) -> Bool {
        guard uplink === connection else { return false }
        let voiceUntil = microphone.voiceUntil
        return voiceUntil > place
            && voiceUntil + UInt64(limit.wholeMilliseconds * AudioFormat.wireRate / 1000)
                > microphone.ring.writePosition
    }

    /// The connection is over; one that has taken its place keeps microphone and voice.
    func ended(_ connection: any VoiceLine) {
        if uplink === connection { uplink = nil }
        if current === connection { current = nil }
    }

    /// Whether speech of this connection is to be played: not while another has taken its place.
    func listens(to connection: any VoiceLine) -> Bool {
        current == nil || current === connection
    }

    private func pumpMicrophone(_ now: Duration) {
        guard let connection = uplink, let base = chunk.baseAddress else {
            return keepWanted()
        }
        if let gate, !isTurnOpen, microphone.ring.readPosition >= heldUntil {
            guard gate.isOpen(at: microphone.ring.readPosition, voiceUntil: microphone.voiceUntil) else {
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
            if end > microphone.heldUntil {
                uplinkLatencies.note(uptime() - captureTime(of: end))
            }
        }
        dropOldest(now)
    }

    /// Where the session runs by what it is sent: drops what came too late and sends silence for what does not come.
    private func keepClock(_ connection: any VoiceLine, _ now: Duration, isHeld: Bool) {
        guard clock != nil, connection.isOpen, connection.pendingSendBytes <= maximumBacklog else { return }
        let position = microphone.ring.readPosition
        let waiting = microphone.ring.availableToRead
        // What the echo gate holds back comes, all of it and in its place: it is not late.
        let due = now - .milliseconds(10 * microphone.heldPeriods)
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

    /// A chunk with what is known of it.
    private func heard(_ samples: UnsafeBufferPointer<Int16>, until end: UInt64) -> MicrophoneChunk {
        var heard = MicrophoneChunk(samples)
        let period = UInt64(AudioFormat.wirePeriodSamples)
        var position = end - UInt64(samples.count)
        while hasVoiceDetector, position < end, !heard.isVoice {
            heard.isVoice = microphone.voices[position]
            position += period
        }
        heard.isHeldBack = end <= microphone.heldUntil
        heard.boxSounds = queue.isActive
        return heard
    }

    private func send(_ heard: MicrophoneChunk, on connection: any VoiceLine) -> Bool {
        guard let bytes = connection.send(heard, by: encoder) else { return false }
        chunksSent += 1
        if bytes > 0 { left(samples: heard.samples.count, bytes: bytes) }
        return true
    }

    /// Sound of the microphone has left, by whatever way.
    func left(samples: Int, bytes: Int) { egress.sent(samples: samples, bytes: bytes) }

    /// Speech waits to be heard, or is being heard.
    var isSpeaking: Bool { queue.isActive || cutPosition != nil }

    /// Whether the audio thread tells voices from other sound.
    var tellsVoices: Bool { hasVoiceDetector }

    /// Nobody takes the microphone: keeps what a session may want later, and forgets the rest.
    private func keepWanted() {
        keepNewest(heldFrom == nil ? preRoll : longestHold)
    }

    private func keepNewest(_ samples: Int) {
        let excess = microphone.ring.availableToRead - samples
        if excess > 0 { microphone.ring.skip(to: microphone.ring.readPosition + UInt64(excess)) }
    }

    /// Keeps the newest of what waits, in whole chunks.
    private func dropOldest(_ now: Duration) {
        let mayWait = microphone.ring.readPosition < heldUntil ? longestHold : longestWait
        let excess = microphone.ring.availableToRead - max(mayWait, chunk.count)
        guard excess > 0 else { return }
        let lost = (excess + chunk.count - 1) / chunk.count * chunk.count
        microphone.ring.skip(to: microphone.ring.readPosition + UInt64(lost))
        lostMicrophone.add(lost, at: now)
    }

    /// When the sample before this position of the microphone ring was captured.
    private func captureTime(of position: UInt64) -> Duration {
        Self.captureTime(of: position, origin: microphone.originNanoseconds)
    }

    /// - Parameter origin: when position 0 would have been captured, in ns; see `MicrophoneTap`.
    static func captureTime(of position: UInt64, origin: UInt64) -> Duration {
        // 10^9 / 24,000 reduced: the plain product would overflow after nine days.
        Duration(nanoseconds: origin &+ position * 125_000 / 3)
    }

    // MARK: What a session that runs by its uplink asks

    /// Whether a voice was heard in the last so many samples that were taken; nil where nobody tells voices from other sound.
    func hasVoice(inLast samples: Int) -> Bool? {
        guard hasVoiceDetector else { return nil }
        let position = microphone.ring.readPosition
        return microphone.voiceUntil > position - min(position, UInt64(max(0, samples)))
    }

    /// Samples of speech on their way to the loudspeaker.
    var waitingVoice: Int {
        queue.waiting + Int(min(voice.ring.writePosition - min(voice.ring.writePosition, voice.consumed), 1 << 20))
    }

    /// Calls `body` at every tick until it returns false; what is asked for while it runs is begun with the next.
    func follow(_ body: @escaping (_ now: Duration) -> Bool) { followers.append(body) }

    private func tellFollowers(_ now: Duration) {
        guard !followers.isEmpty else { return }
        let present = followers
        followers = []
        followers = present.filter { $0(now) } + followers
    }

    // MARK: Voice

    /// Takes in the audio of a delta.
    package func receive(_ samples: UnsafeBufferPointer<Int16>, of part: SpokenPart) {
        let now = uptime()
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

    /// Silences the loudspeaker within a period; `voiceStopped` is reported when the card has reported how far it came.
    package func stopVoice(refusing responseIDs: [String]) {
        let position = voice.requestFlush()
        queue.cut(refusing: responseIDs, at: position)
        cutPosition = position
    }

    /// While a cut is under way nothing new goes into the ring, so that another cut meanwhile needs no flush of its own:
    /// the audio thread keeps the account of one flush only.
    private func fillVoice(_ now: Duration) {
        guard cutPosition == nil else { return }
        _ = queue.release(at: now) { samples in
            guard let base = samples.baseAddress else { return 0 }
            return voice.ring.write(base, count: samples.count)
        }
    }

    private func followPlayback(_ now: Duration) {
        // Before the flush is looked at: only one that is done moves the position over what was cut.
        let position = voice.heard
        let isFlushed = cutPosition.map { voice.flushDone >= $0 } ?? false
        let cutAt = isFlushed ? voice.flushHeard : nil
        countInaudible(upTo: position, ofCutUpTo: cutAt ?? position)
        if let heard = cutAt {
            cutPosition = nil
            for progress in queue.cutResponses(heard: heard) { reportProgress(progress, now) }
            report(.voiceStopped(queue.settle(heard: heard)), now)
        }
        guard queue.isActive else { return }
        fillVoice(now)
        for progress in queue.advance(heard: position, written: voice.ring.writePosition) {
            reportProgress(progress, now)
        }
    }

    /// Positions go on where nothing sounds: what was played since the last tick counts as heard where somebody could hear
    /// it then and now.
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

    /// A message of the service could not be read: costs only itself.
    func noteUnreadable() {
        lostMessages.add(1, at: uptime())
    }

    private func logLosses(_ now: Duration) {
        let isFlowing = uplink == nil || microphone.ring.availableToRead < chunk.count
        if let samples = lostMicrophone.take(at: now, isOver: isFlowing) {
            report(.lost(.microphone(milliseconds: samples * 1000 / AudioFormat.wireRate)), now)
        }
        if let samples = lostVoice.take(at: now, isOver: true) {
            report(.lost(.voice(milliseconds: samples * 1000 / AudioFormat.wireRate)), now)
        }
        if let count = lostMessages.take(at: now, isOver: true) { report(.lost(.messages(count)), now) }
    }

    // MARK: Time

    /// Does what is due; returns when it wants to be called again.
    package func tick() -> Duration {
        let now = uptime()
        pumpMicrophone(now)
        followPlayback(now)
        tellFollowers(now)
        logLosses(now)
        // Now and then even when closed, so that the ring does not fill up with what nobody wants.
        var pause = Duration.milliseconds(500)
        if uplink != nil {
            pause = untilNextChunk(now)
        }
        if !followers.isEmpty { pause = min(pause, .milliseconds(20)) }
        // A cut is waited for. Playback is only looked after: the ring holds far more than is played meanwhile.
        if cutPosition != nil { return min(pause, .milliseconds(10)) }
        return queue.isActive ? min(pause, .milliseconds(20)) : pause
    }

    /// How long until the audio thread should have brought what is missing of a chunk, 1 ... 20 ms.
    ///
    /// Its own pace is the guide: a card may hand over its periods later than they were captured.
    private func untilNextChunk(_ now: Duration) -> Duration {
        let missing = max(0, chunk.count - microphone.ring.availableToRead)
        let periods = (missing + AudioFormat.wirePeriodSamples - 1) / AudioFormat.wirePeriodSamples
        let latest = Duration(nanoseconds: voice.writtenNanoseconds)
        let due = latest + .milliseconds(10 * periods) - now
        // A period that is late is looked for every millisecond; a card that is away, now and then.
        if due < .milliseconds(-100) { return .milliseconds(10) }
        return min(max(due, .milliseconds(1)), .milliseconds(20))
    }
}
