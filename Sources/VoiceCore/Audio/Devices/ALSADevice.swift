internal import CAlsa
internal import CLinux
internal import Glibc
internal import VoiceBase

/// Microphone and loudspeaker through ALSA, on one card or two, each of which may come and go.
///
/// Each side runs at its own rate, in steps of its own length; the caller sees 480 frames at 48 kHz every 10 ms. Capture is
/// the clock: `read` polls its descriptors. Playback is written without blocking; all but one of the periods of its buffer
/// are filled at the start, and the level then stays about there. Streams are opened and closed elsewhere; they arrive and
/// leave through `DeviceSlot`. Without a microphone, `read` delivers silence at the pace of CLOCK_MONOTONIC; without a
/// loudspeaker, `write` accepts everything at the pace of `read`.
struct ALSADevice: DuplexDevice, ~Copyable {
    private static let pollMilliseconds: Int32 = 20

    private let microphone: DeviceSlot
    private let loudspeaker: DeviceSlot
    private let waker: Int32
    private let bufferPeriods: Int
    var together = 1

    private var capture: UnsafeMutablePointer<ALSAStream>?
    private(set) var capturePlan = CapturePlan()
    private let loopback = SampleBuffer(count: AudioFormat.periodFrames)
    private var stillness = StillnessMeter()
    private var clock = PeriodClock()
    /// Whether the microphone is open but late: silence replaces its periods until frames arrive.
    private var isLate = false
    /// When the microphone was started, until its first frame: a sound server links it only some time later.
    private var startedAt: UInt64?
    /// Card frames already in the stream's buffer for the current period.
    private var have = 0
    /// Consecutive wake-ups without a frame.
    private var idleWakes = 0
    private var pace = PaceGuard()

    private var playback: UnsafeMutablePointer<ALSAStream>?
    private var standIn: StandInSpeaker
    /// Frames at 48 kHz to queue before playback starts.
    private var startAt = 0
    private var queued = 0
    /// `queued` in card frames, without the pending frames.
    private var queuedOfCard = 0
    private var playbackRuns = false
    /// Whether the supervisor was told that the loudspeaker takes nothing.
    private var isStuck = false
    /// Periods without sound since the last one, and periods that sound has waited for the loudspeaker.
    private var quietPeriods = 0
    private var heldPeriods = 0

    /// - Parameters:
    ///   - bufferPeriods: playback buffer in periods.
    ///   - waker: an eventfd that interrupts `read`.
    init(microphone: DeviceSlot, loudspeaker: DeviceSlot, bufferPeriods: Int, waker: Int32) {
        // In Swift 6.2 only an initializer that delegates may call a mutating method of a noncopyable type with constants.
        self.init(microphone, loudspeaker, bufferPeriods, waker)
        takeLoudspeaker()
    }

    private init(_ microphone: DeviceSlot, _ loudspeaker: DeviceSlot, _ bufferPeriods: Int, _ waker: Int32) {
        self.microphone = microphone
        self.loudspeaker = loudspeaker
        self.bufferPeriods = bufferPeriods
        self.waker = waker
        standIn = StandInSpeaker(limit: bufferPeriods * AudioFormat.periodFrames)
    }

    var playbackPrefill: Int {
        let wanted = (bufferPeriods - 1) * AudioFormat.periodFrames
        guard let playback else { return wanted }
        return playback.pointee.parameters.fill(
            wanted: wanted, microphoneStep: capture?.pointee.parameters.step ?? 0
        )
    }

    mutating func start() {
        clock.restart()
        takeMicrophone()
    }

    // MARK: Capture

    var isCaptureLive: Bool { capture != nil && !isLate && startedAt == nil }

    var isCaptureConstant: Bool { stillness.isConstant }

    var captureReference: UnsafePointer<Float>? {
        isCaptureLive && capturePlan.reference != nil ? UnsafePointer(loopback.base) : nil
    }

    mutating func read(into frames: UnsafeMutablePointer<Float>, count: Int) -> DeviceEvent {
        guard let stream = capture else {
            if takeMicrophone() { return .captureChanged }
            return standInForMicrophone(frames, count)
        }
        if microphone.takeRecall() { return loseMicrophone(ETIMEDOUT) }
        if pace.isBroken, have == 0, !waitForClock() { return .interrupted }
        let needed = stream.pointee.voice.needed(for: count)
        var pause = together > 1 ? Int32(10 * stream.pointee.parameters.together(atMost: together)) : 0
        while have < needed {
            let raw = stream.pointee.raw + have * stream.pointee.frameBytes
            let code = snd_pcm_readi(stream.pointee.pcm, raw, snd_pcm_uframes_t(needed - have))
            if code > 0 {
                have += code
                idleWakes = 0
                startedAt = nil
                // Drops the backlog of a late period, which would arrive in a burst: only current sound is useful.
                if isLate { return restartCapture(stream, 0) }
                continue
            }
            if code < 0 && code != -Int(EAGAIN) { return restartCapture(stream, code) }
            if let startedAt {
                // Until then the loudspeaker's buffer must not run empty.
                if clinux_monotonic_ns() &- startedAt > stream.pointee.firstNanoseconds {
                    return standInForMicrophone(frames, count)
                }
            } else if isLate || clinux_monotonic_ns() &- stream.pointee.lastProgress > stream.pointee.lateNanoseconds {
                if !isLate {
                    clock.restart()
                    microphone.bell.ring()
                }
                isLate = true
                return standInForMicrophone(frames, count)
            } else if pause > 10 {
                if clinux_wait_readable(waker, pause) == 1 {
                    _ = clinux_eventfd_take(waker)
                    return .interrupted
                }
                // If no frame has come by then, the next pass finds the reason.
                pause = 0
                continue
            }
            if let event = waitForCapture(stream) { return event }
        }
        have = 0
        stream.pointee.progressed()
        pushEarly()
        if pace.arrived(at: stream.pointee.lastProgress) { clock.restart() }
        clinux_realtime_enter()
        let raw = stream.pointee.raw
        let captured = stream.pointee.voice.decode(raw, count: needed, selection: capturePlan.voice, into: frames)
        if let channel = capturePlan.reference {
            stream.pointee.reference.decode(raw, count: needed, selection: .channel(channel), into: loopback.base)
        }
        // Measured before any filter, which would hide that the input is constant.
        stillness.note(captured, count: needed)
        microphone.stillPeriods = stillness.periods
        microphone.frames += UInt64(count)
        if playback == nil { standIn.advance(count) }
        clinux_realtime_exit()
        return .done
    }

    private mutating func standInForMicrophone(_ frames: UnsafeMutablePointer<Float>, _ count: Int) -> DeviceEvent {
        guard waitForClock() else { return .interrupted }
        clinux_realtime_enter()
        frames.update(repeating: 0, count: count)
        if playback == nil { standIn.advance(count) }
        clinux_realtime_exit()
        return .done
    }

    /// Waits for the clock that replaces the microphone's; returns false if it was interrupted.
    private mutating func waitForClock() -> Bool {
        if clock.wait(together: together, waker: waker) { return true }
        _ = clinux_eventfd_take(waker)
        return false
    }

    /// Returns nil to try reading again.
    private mutating func waitForCapture(_ stream: UnsafeMutablePointer<ALSAStream>) -> DeviceEvent? {
        let descriptors = stream.pointee.descriptors
        let count = stream.pointee.descriptorCount
        descriptors[count] = pollfd(fd: waker, events: Int16(POLLIN), revents: 0)
        let ready = poll(descriptors, nfds_t(count + 1), Self.pollMilliseconds)
        if ready < 0 { return errno == EINTR ? nil : loseMicrophone(errno) }
        if ready > 0 && descriptors[count].revents != 0 {
            _ = clinux_eventfd_take(waker)
            return .interrupted
        }
        if snd_pcm_state(stream.pointee.pcm) == SND_PCM_STATE_DISCONNECTED { return loseMicrophone(ENODEV) }
        // Plugins clear their wake-up in this call, and reveal a dead server only to `snd_pcm_avail` below.
        var events: UInt16 = 0
        let code = snd_pcm_poll_descriptors_revents(stream.pointee.pcm, descriptors, UInt32(count), &events)
        let trouble = Int32(events) & (POLLERR | POLLHUP | POLLNVAL) != 0
        if code == -ENODEV { return loseMicrophone(ENODEV) }
        if ready == 0 || trouble {
            let available = snd_pcm_avail(stream.pointee.pcm)
            if available < 0 { return restartCapture(stream, available) }
        }
        idleWakes += 1
        // A descriptor that is always ready without frames must not busy-loop.
        if ready > 0 && idleWakes > 20 { clinux_sleep_until_ns(clinux_monotonic_ns() + 2_000_000) }
        return nil
    }

    private mutating func restartCapture(_ stream: UnsafeMutablePointer<ALSAStream>, _ code: Int) -> DeviceEvent {
        have = 0
        isLate = false
        let lost = stream.pointee.recover(code)
        if lost != 0 { return loseMicrophone(lost) }
        let started = snd_pcm_start(stream.pointee.pcm)
        if started < 0 && started != -EPIPE { return loseMicrophone(-started) }
        return .captureRestarted
    }

    @discardableResult
    private mutating func takeMicrophone() -> Bool {
        guard let stream = microphone.takeOffered() else { return false }
        have = 0
        isLate = false
        idleWakes = 0
        pace = PaceGuard()
        stillness.reset()
        stream.pointee.lastProgress = clinux_monotonic_ns()
        let started = snd_pcm_start(stream.pointee.pcm)
        guard started >= 0 else {
            microphone.giveBack(stream, errno: -started)
            return false
        }
        capture = stream
        startedAt = stream.pointee.lastProgress
        clock.restart()
        capturePlan = stream.pointee.use
        return true
    }

    private mutating func loseMicrophone(_ errno: Int32) -> DeviceEvent {
        if let capture { microphone.giveBack(capture, errno: errno) }
        capture = nil
        clock.restart()
        return .captureChanged
    }

    // MARK: Playback

    /// Periods without sound until the loudspeaker is closed: a minute.
    static let restAfter = 6000
    /// Longest time in periods that sound waits for the loudspeaker to open: 4 s. Later sound is lost, as without a
    /// loudspeaker.
    static let longestHold = 400

    var isResting: Bool { playback == nil && loudspeaker.isResting }

    mutating func expect(sound: Bool) -> DeviceEvent {
        guard let stream = playback else {
            guard sound, loudspeaker.isResting else { return .done }
            heldPeriods += 1
            if heldPeriods > Self.longestHold {
                loudspeaker.isResting = false
                loudspeaker.bell.ring()
            } else if !loudspeaker.isWanted {
                loudspeaker.isWanted = true
                loudspeaker.bell.ring()
            }
            return .done
        }
        quietPeriods = sound ? 0 : quietPeriods + 1
        guard quietPeriods >= Self.restAfter, loudspeaker.mayRest else { return .done }
        heldPeriods = 0
        loudspeaker.isWanted = false
        loudspeaker.isResting = true
        loudspeaker.giveBack(stream, errno: 0)
        playback = nil
        standIn.empty()
        return .playbackRested
    }

    mutating func write(_ frames: UnsafePointer<StereoFrame>, count: Int, written: inout Int) -> DeviceEvent {
        written = 0
        guard let stream = playback else {
            let isBack = isResting && loudspeaker.isSame
            if takeLoudspeaker() { return isBack ? .playbackRested : .playbackChanged }
            written = standIn.push(count)
            return .done
        }
        if loudspeaker.takeRecall() { return loseLoudspeaker(ETIMEDOUT) }
        while written < count {
            // Frames that did not fit into the buffer go first.
            if let event = push(stream) { return event }
            guard stream.pointee.pending == 0 else { return .done }
            let block = min(count - written, AudioFormat.periodFrames)
            clinux_realtime_enter()
            stream.pointee.encode(frames + written, count: block)
            clinux_realtime_exit()
            queued += block
            if let event = push(stream) { return event }
            written += block
            loudspeaker.frames += UInt64(block)
        }
        return .done
    }

    /// Hands pending frames to the card before the work of the cycle begins. Errors show at the next `write`.
    private mutating func pushEarly() {
        guard let stream = playback, playbackRuns, stream.pointee.pending > 0 else { return }
        _ = hand(stream)
    }

    /// Hands as many pending frames to the card as fit; returns ALSA's code.
    private mutating func hand(_ stream: UnsafeMutablePointer<ALSAStream>) -> Int {
        let raw = stream.pointee.raw + stream.pointee.pendingAt * stream.pointee.frameBytes
        var code = snd_pcm_writei(stream.pointee.pcm, raw, snd_pcm_uframes_t(stream.pointee.pending))
        if code == -Int(EAGAIN), stream.pointee.parameters.isTiny {
            // ALSA accepts nothing if less than a wake-up's worth is free, not even what would fit.
            let room = snd_pcm_avail_update(stream.pointee.pcm)
            guard room > 0, room < stream.pointee.pending else { return room < 0 ? room : code }
            code = snd_pcm_writei(stream.pointee.pcm, raw, snd_pcm_uframes_t(room))
        }
        guard code > 0 else { return code }
        stream.pointee.pending -= code
        stream.pointee.pendingAt += code
        queuedOfCard += code
        stream.pointee.progressed()
        return code
    }

    /// Hands as many pending frames to the card as fit; returns an event if that ended the stream.
    private mutating func push(_ stream: UnsafeMutablePointer<ALSAStream>) -> DeviceEvent? {
        var isFull = false
        while stream.pointee.pending > 0 && !isFull {
            let code = hand(stream)
            isFull = code == -Int(EAGAIN) || code == 0
            if isFull { break }
            if code < 0 { return restartPlayback(stream, code) }
        }
        // A full buffer cannot be filled further, so playback starts.
        if !playbackRuns && queuedOfCard > 0 && (queued >= startAt || isFull) {
            let started = snd_pcm_start(stream.pointee.pcm)
            if started < 0 { return restartPlayback(stream, Int(started)) }
            playbackRuns = true
        }
        return isFull ? lookAfterFullPlayback(stream) : nil
    }

    /// Checks a full buffer. A plugin whose server is dead reports a full buffer forever; `snd_pcm_avail` reveals the fault.
    private mutating func lookAfterFullPlayback(_ stream: UnsafeMutablePointer<ALSAStream>) -> DeviceEvent? {
        guard clinux_monotonic_ns() &- stream.pointee.lastProgress > stream.pointee.lateNanoseconds else {
            isStuck = false
            return nil
        }
        if !isStuck { loudspeaker.bell.ring() }
        isStuck = true
        let available = snd_pcm_avail(stream.pointee.pcm)
        return available < 0 ? restartPlayback(stream, available) : nil
    }

    private mutating func restartPlayback(_ stream: UnsafeMutablePointer<ALSAStream>, _ code: Int) -> DeviceEvent {
        let lost = stream.pointee.recover(code)
        if lost != 0 { return loseLoudspeaker(lost) }
        beginPlayback()
        return .playbackRestarted
    }

    private mutating func beginPlayback() {
        playbackRuns = false
        queued = 0
        queuedOfCard = 0
        startAt = playbackPrefill
        playback?.pointee.forget()
    }

    @discardableResult
    private mutating func takeLoudspeaker() -> Bool {
        guard let stream = loudspeaker.takeOffered() else { return false }
        playback = stream
        quietPeriods = 0
        loudspeaker.isResting = false
        loudspeaker.isWanted = false
        beginPlayback()
        return true
    }

    private mutating func loseLoudspeaker(_ errno: Int32) -> DeviceEvent {
        if let playback { loudspeaker.giveBack(playback, errno: errno) }
        playback = nil
        standIn.empty()
        return .playbackChanged
    }

    mutating func delays() -> (playback: Int, capture: Int) {
        var input: snd_pcm_sframes_t = 0
        if let capture {
            if snd_pcm_delay(capture.pointee.pcm, &input) < 0 { input = 0 }
            input = capture.pointee.captureDelay(max(0, Int(input)))
        }
        return (max(0, playbackDelay), max(0, Int(input)))
    }

    /// Frames at 48 kHz between `write` and the loudspeaker.
    private var playbackDelay: Int {
        guard let playback else { return standIn.queued }
        var out: snd_pcm_sframes_t = 0
        if !playbackRuns || snd_pcm_delay(playback.pointee.pcm, &out) < 0 { out = playbackRuns ? 0 : queuedOfCard }
        let ofCard = max(0, Int(out)) + playback.pointee.pending
        return playback.pointee.atDeviceRate(ofCard) + Int(playback.pointee.converter.lag.rounded())
    }

    /// A side without a server contributes its delay, which is exact there.
    func buffered(of delays: (playback: Int, capture: Int)) -> (playback: Int, capture: Int)? {
        var buffered: (playback: Int, capture: Int)?
        if let playback, playback.pointee.parameters.server != nil {
            buffered = delays
            if playbackRuns { buffered?.playback = inBuffer(playback) }
        }
        if let capture, capture.pointee.parameters.server != nil {
            buffered = buffered ?? delays
            let waiting = max(0, Int(snd_pcm_avail_update(capture.pointee.pcm)))
            buffered?.capture = capture.pointee.captureDelay(waiting)
        }
        return buffered
    }

    /// Frames at 48 kHz written and still in the stream's own buffers.
    private func inBuffer(_ stream: UnsafeMutablePointer<ALSAStream>) -> Int {
        let room = max(0, Int(snd_pcm_avail_update(stream.pointee.pcm)))
        let ofCard = max(0, stream.pointee.parameters.bufferFrames - room) + stream.pointee.pending
        return stream.pointee.atDeviceRate(ofCard) + Int(stream.pointee.converter.lag.rounded())
    }

    var settlesSlowly: Bool { playback?.pointee.parameters.server != nil }

    mutating func follow(_ step: Double) { playback?.pointee.converter.step = step }

    /// Longest tail that is played to its end rather than dropped with a restart: 100 ms, in frames.
    private static let longestTail = AudioFormat.deviceRate / 10

    mutating func flushPlayback() -> PlaybackFlush {
        guard let stream = playback else { return PlaybackFlush(standIn.flush()) }
        guard playbackRuns else { return .nothing }
        let pcm = stream.pointee.pcm
        if stream.pointee.canRewind {
            let pending = stream.pointee.pending
            let margin = stream.pointee.parameters.cycleFrames
            let possible = min(
                Int(snd_pcm_rewindable(pcm)) - margin, stream.pointee.converter.rewindable - pending
            )
            if possible <= 0 { return .nothing }
            let moved = snd_pcm_rewind(pcm, snd_pcm_uframes_t(possible))
            if moved > 0 {
                stream.pointee.pending = 0
                return PlaybackFlush(stream.pointee.converter.rewind(Int(moved) + pending))
            }
        }
        let began = clinux_monotonic_ns()
        let left = playbackDelay
        let inBuffer = inBuffer(stream)
        let server = stream.pointee.parameters.server
        // A restart shifts the echo by the time it takes. To the canceller that looks like a moved device: the box would hear
        // itself, and no talker would be heard over the next answer. Playing the end of a short buffer is the lesser evil. A
        // server plays the frames that have left the buffer in any case.
        guard Self.tail(delay: left, inBuffer: inBuffer, server: server) > Self.longestTail else { return .nothing }
        guard snd_pcm_drop(pcm) == 0 else { return .nothing }
        var reported: Int?
        if server == .pulseAudio {
            var after: snd_pcm_sframes_t = 0
            if snd_pcm_delay(pcm, &after) >= 0 { reported = stream.pointee.atDeviceRate(max(0, Int(after))) }
        }
        guard snd_pcm_prepare(pcm) == 0 else { return .nothing }
        let stoppedFor = Int((clinux_monotonic_ns() &- began) * UInt64(AudioFormat.deviceRate) / 1_000_000_000)
        beginPlayback()
        guard server != nil else {
            startAt = Self.startAfterFlush(removed: left, inBuffer: inBuffer)
            return PlaybackFlush(removed: left, replaced: startAt)
        }
        let removed = left - Self.stillPlayed(delay: left, inBuffer: inBuffer, reported: reported)
        startAt = Self.restartOfServer(removed: removed, fill: playbackPrefill, stoppedFor: stoppedFor)
        return PlaybackFlush(removed: removed, replaced: startAt)
    }

    /// Returns how many of the queued frames a drop could take back at most.
    static func tail(delay: Int, inBuffer: Int, server: SoundServer?) -> Int {
        server == nil ? delay : min(delay, inBuffer)
    }

    /// Returns the frames the server still plays after a drop: those that it has already mixed for its card.
    ///
    /// PulseAudio's plugin reports these frames: the delay that remains after the drop is the server's. PipeWire's plugin keeps
    /// reporting its earlier delay, so all frames that have left the buffer count. On a kernel card PulseAudio does take back
    /// some of them, but does not report how many.
    ///
    /// - Parameters: frames at 48 kHz.
    ///   - delay: the delay before the drop.
    ///   - reported: the delay after the drop, if reliable.
    static func stillPlayed(delay: Int, inBuffer: Int, reported: Int?) -> Int {
        min(delay, max(0, reported ?? delay - inBuffer))
    }

    /// Returns how many frames must be written to a card before playback starts again. A delay longer than the buffer would
    /// never fit, and playback would never start.
    static func startAfterFlush(removed: Int, inBuffer: Int) -> Int {
        min(removed, max(inBuffer, AudioFormat.periodFrames))
    }

    /// Returns how many frames must be written to a sound server before playback starts again: as many as were taken back,
    /// but no fewer than at the first start, as it may take a whole step together. Frames that the card would have played
    /// while stopped are subtracted: as many microphone frames are waiting, and each brings one frame of output.
    static func restartOfServer(removed: Int, fill: Int, stoppedFor: Int) -> Int {
        max(max(removed, fill) - stoppedFor, AudioFormat.periodFrames)
    }

    /// Returns the streams to be closed.
    mutating func close() {
        if let playback {
            snd_pcm_drop(playback.pointee.pcm)
            loudspeaker.giveBack(playback, errno: 0)
        }
        if let capture {
            snd_pcm_drop(capture.pointee.pcm)
            microphone.giveBack(capture, errno: 0)
        }
        playback = nil
        capture = nil
    }
}
