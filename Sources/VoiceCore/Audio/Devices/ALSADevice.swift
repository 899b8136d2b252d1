internal import CAlsa
internal import CLinux
internal import Glibc
internal import Synchronization

/// Microphone and loudspeaker through ALSA, one card or two, each of which may come and go.
///
/// Capture is the clock: `read` polls its descriptors. Playback is written without waiting; its buffer is filled by all
/// but one of its periods at the start and then stays about there. Streams are opened and closed elsewhere and come and
/// leave by `AudioSide`. While the microphone is away `read` delivers silence at the pace of CLOCK_MONOTONIC; while the
/// loudspeaker is away `write` takes everything at the pace of `read`.
struct ALSADevice: DuplexDevice, ~Copyable {
    private static let pollMilliseconds: Int32 = 20
    private static let rewindMargin = AudioFormat.periodFrames
    /// A period that is later than this is replaced by silence, so that the loudspeaker does not wait for it.
    private static let lateNanoseconds: UInt64 = 150_000_000

    private let microphone: AudioSide
    private let loudspeaker: AudioSide
    private let selection: ChannelSelection
    private let stop: Int32
    private let bufferPeriods: Int

    private var capture: UnsafeMutablePointer<ALSAStream>?
    private var stillness = StillnessMeter()
    private var clock = PeriodClock()
    /// The microphone is open but late: silence stands in for its periods until some arrive.
    private var isLate = false
    /// Frames of the period under way that are in the stream's buffer.
    private var have = 0
    /// Wake-ups in a row that brought no frame.
    private var idleWakes = 0
    private var pace = PaceGuard()

    private var playback: UnsafeMutablePointer<ALSAStream>?
    private var standIn: StandInSpeaker
    /// Frames that must be queued before playback starts.
    private var startAt = 0
    private var queued = 0
    private var playbackRuns = false

    /// - Parameters:
    ///   - bufferPeriods: playback buffer in periods.
    ///   - stop: an eventfd that interrupts `read`.
    init(
        microphone: AudioSide,
        loudspeaker: AudioSide,
        selection: ChannelSelection,
        bufferPeriods: Int,
        stop: Int32
    ) {
        self.microphone = microphone
        self.loudspeaker = loudspeaker
        self.selection = selection
        self.bufferPeriods = bufferPeriods
        self.stop = stop
        standIn = StandInSpeaker(limit: bufferPeriods * AudioFormat.periodFrames)
        takeLoudspeaker()
    }

    var playbackPrefill: Int {
        let wanted = (bufferPeriods - 1) * AudioFormat.periodFrames
        guard let playback else { return wanted }
        return min(wanted, playback.pointee.parameters.bufferFrames - AudioFormat.periodFrames)
    }

    mutating func start() {
        clock.restart()
        takeMicrophone()
    }

    // MARK: Capture

    var isCaptureLive: Bool { capture != nil && !isLate }

    mutating func read(into frames: UnsafeMutablePointer<Float>, count: Int) -> DeviceEvent {
        guard let stream = capture else {
            if takeMicrophone() { return .captureChanged }
            return standInForMicrophone(frames, count)
        }
        if microphone.takeRecall() { return loseMicrophone(ETIMEDOUT) }
        if pace.isBroken, have == 0 { clock.wait() }
        let parameters = stream.pointee.parameters
        let frameBytes = parameters.channels * parameters.format.bytes
        while have < count {
            let raw = stream.pointee.raw + have * frameBytes
            let code = snd_pcm_readi(stream.pointee.pcm, raw, snd_pcm_uframes_t(count - have))
            if code > 0 {
                have += code
                idleWakes = 0
                // What piled up behind a late period would come in a rush; the present is wanted.
                if isLate { return restartCapture(stream, 0) }
                continue
            }
            if code < 0 && code != -Int(EAGAIN) { return restartCapture(stream, code) }
            if isLate || clinux_monotonic_ns() &- stream.pointee.lastProgress > Self.lateNanoseconds {
                if !isLate { clock.restart() }
                isLate = true
                return standInForMicrophone(frames, count)
            }
            if let event = waitForCapture(stream) { return event }
        }
        have = 0
        stream.pointee.progressed()
        if pace.arrived(at: stream.pointee.lastProgress) { clock.restart() }
        clinux_realtime_enter()
        parameters.format.decode(
            stream.pointee.raw,
            frames: count,
            channels: parameters.channels,
            selection: selection,
            into: frames
        )
        stillness.note(frames, count: count)
        microphone.stillPeriods.store(stillness.periods, ordering: .relaxed)
        microphone.frames.wrappingAdd(UInt64(count), ordering: .relaxed)
        if playback == nil { standIn.advance(count) }
        clinux_realtime_exit()
        return .done
    }

    private mutating func standInForMicrophone(_ frames: UnsafeMutablePointer<Float>, _ count: Int) -> DeviceEvent {
        clock.wait()
        clinux_realtime_enter()
        frames.update(repeating: 0, count: count)
        if playback == nil { standIn.advance(count) }
        clinux_realtime_exit()
        return .done
    }

    /// nil: try to read again.
    private mutating func waitForCapture(_ stream: UnsafeMutablePointer<ALSAStream>) -> DeviceEvent? {
        let descriptors = stream.pointee.descriptors
        let count = stream.pointee.descriptorCount
        descriptors[count] = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
        let ready = poll(descriptors, nfds_t(count + 1), Self.pollMilliseconds)
        if ready < 0 { return errno == EINTR ? nil : loseMicrophone(errno) }
        if ready > 0 && descriptors[count].revents != 0 {
            _ = clinux_eventfd_take(stop)
            return .interrupted
        }
        if snd_pcm_state(stream.pointee.pcm) == SND_PCM_STATE_DISCONNECTED { return loseMicrophone(ENODEV) }
        // Plugins take their wake-up back in here, and tell of a dead server only when asked.
        var events: UInt16 = 0
        let code = snd_pcm_poll_descriptors_revents(stream.pointee.pcm, descriptors, UInt32(count), &events)
        let trouble = Int32(events) & (POLLERR | POLLHUP | POLLNVAL) != 0
        if code == -ENODEV { return loseMicrophone(ENODEV) }
        if ready == 0 || trouble {
            let available = snd_pcm_avail(stream.pointee.pcm)
            if available < 0 { return restartCapture(stream, available) }
        }
        idleWakes += 1
        // A descriptor that is always ready but brings nothing must not take the processor.
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
        return true
    }

    private mutating func loseMicrophone(_ errno: Int32) -> DeviceEvent {
        if let capture { microphone.giveBack(capture, errno: errno) }
        capture = nil
        clock.restart()
        return .captureChanged
    }

    // MARK: Playback

    mutating func write(_ frames: UnsafePointer<StereoFrame>, count: Int, written: inout Int) -> DeviceEvent {
        written = 0
        guard let stream = playback else {
            if takeLoudspeaker() { return .playbackChanged }
            written = standIn.push(count)
            return .done
        }
        if loudspeaker.takeRecall() { return loseLoudspeaker(ETIMEDOUT) }
        let parameters = stream.pointee.parameters
        while written < count {
            let block = min(count - written, AudioFormat.periodFrames)
            parameters.format.encode(
                frames + written,
                frames: block,
                channels: parameters.channels,
                into: stream.pointee.raw
            )
            let code = snd_pcm_writei(stream.pointee.pcm, stream.pointee.raw, snd_pcm_uframes_t(block))
            if code == -Int(EAGAIN) || code == 0 { return lookAfterFullPlayback(stream) }
            if code < 0 { return restartPlayback(stream, code) }
            written += code
            queued += code
            stream.pointee.progressed()
            loudspeaker.frames.wrappingAdd(UInt64(code), ordering: .relaxed)
            if !playbackRuns && queued >= startAt {
                let started = snd_pcm_start(stream.pointee.pcm)
                if started < 0 { return restartPlayback(stream, Int(started)) }
                playbackRuns = true
            }
            if code < block { return .done }
        }
        return .done
    }

    /// The buffer is full. A plugin whose server is dead says so for ever, and tells the truth only when asked.
    private mutating func lookAfterFullPlayback(_ stream: UnsafeMutablePointer<ALSAStream>) -> DeviceEvent {
        guard clinux_monotonic_ns() &- stream.pointee.lastProgress > Self.lateNanoseconds else { return .done }
        let available = snd_pcm_avail(stream.pointee.pcm)
        return available < 0 ? restartPlayback(stream, available) : .done
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
        startAt = playbackPrefill
    }

    @discardableResult
    private mutating func takeLoudspeaker() -> Bool {
        guard let stream = loudspeaker.takeOffered() else { return false }
        playback = stream
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
        var out: snd_pcm_sframes_t = 0
        var input: snd_pcm_sframes_t = 0
        if let playback {
            if !playbackRuns || snd_pcm_delay(playback.pointee.pcm, &out) < 0 { out = playbackRuns ? 0 : queued }
        } else {
            out = standIn.queued
        }
        if let capture, snd_pcm_delay(capture.pointee.pcm, &input) < 0 { input = 0 }
        return (max(0, Int(out)), max(0, Int(input)))
    }

    mutating func flushPlayback() -> Int {
        guard let stream = playback else { return standIn.flush() }
        guard playbackRuns else { return 0 }
        let pcm = stream.pointee.pcm
        if stream.pointee.canRewind {
            let possible = Int(snd_pcm_rewindable(pcm)) - Self.rewindMargin
            if possible <= 0 { return 0 }
            let moved = snd_pcm_rewind(pcm, snd_pcm_uframes_t(possible))
            if moved > 0 { return Int(moved) }
        }
        var left: snd_pcm_sframes_t = 0
        guard snd_pcm_delay(pcm, &left) == 0, left > 0 else { return 0 }
        guard snd_pcm_drop(pcm) == 0, snd_pcm_prepare(pcm) == 0 else { return 0 }
        playbackRuns = false
        queued = 0
        startAt = Self.startAfterFlush(delay: Int(left), prefill: playbackPrefill)
        return Int(left)
    }

    /// How many frames must be written before playback starts again. A sound server counts its own latency into the delay,
    /// which may be longer than the buffer: so many frames would never be in it.
    static func startAfterFlush(delay: Int, prefill: Int) -> Int { min(delay, prefill) }

    /// The streams go back to be closed.
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
