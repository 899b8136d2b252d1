internal import CAlsa
internal import CLinux
internal import Glibc

/// Microphone and loudspeaker through ALSA: one card or two.
///
/// Capture is the clock: `read` polls its descriptors and a stop eventfd. Playback is written without waiting; its
/// buffer is filled by all but one of its periods at the start and then stays about there.
struct ALSADevice: DuplexDevice, ~Copyable {
    private static let pollMilliseconds: Int32 = 100
    private static let rewindMargin = AudioFormat.periodFrames

    private var capture: ALSAStream
    private var playback: ALSAStream
    private let selection: ChannelSelection
    private let descriptors: UnsafeMutablePointer<pollfd>
    private let descriptorCount: Int
    let playbackPrefill: Int
    /// Frames that must be queued before playback starts.
    private var startAt: Int
    private var queued = 0
    private var playbackRuns = false
    /// Wake-ups in a row that brought no frame.
    private var idleWakes = 0

    /// - Parameters:
    ///   - capture: what ALSA calls the microphone; playback alike.
    ///   - bufferPeriods: playback buffer in periods.
    ///   - stop: an eventfd that interrupts `read`.
    init(
        capture captureName: String,
        playback playbackName: String,
        selection: ChannelSelection,
        bufferPeriods: Int,
        stop: Int32
    ) throws(AudioDeviceError) {
        let needed = if case .channel(let channel) = selection { max(1, channel + 1) } else { 1 }
        let capture = try ALSAStream(device: captureName, direction: .capture, channels: needed, periods: 16)
        let playback = try ALSAStream(device: playbackName, direction: .playback, channels: 1, periods: bufferPeriods)
        self.selection = selection
        let room = playback.parameters.bufferFrames - AudioFormat.periodFrames
        playbackPrefill = min((bufferPeriods - 1) * AudioFormat.periodFrames, room)
        startAt = playbackPrefill

        let count = max(0, Int(snd_pcm_poll_descriptors_count(capture.pcm)))
        descriptors = .allocate(capacity: count + 1)
        descriptors.initialize(repeating: pollfd(fd: stop, events: Int16(POLLIN), revents: 0), count: count + 1)
        snd_pcm_poll_descriptors(capture.pcm, descriptors, UInt32(count))
        descriptorCount = count
        self.capture = capture
        self.playback = playback
    }

    deinit { descriptors.deallocate() }

    mutating func start() -> DeviceEvent {
        let code = snd_pcm_start(capture.pcm)
        return code < 0 ? .lost(errno: -code) : .done
    }

    // MARK: Capture

    mutating func read(into frames: UnsafeMutablePointer<Float>, count: Int) -> DeviceEvent {
        let parameters = capture.parameters
        let frameBytes = parameters.channels * parameters.format.bytes
        var have = 0
        while have < count {
            let code = snd_pcm_readi(capture.pcm, capture.raw + have * frameBytes, snd_pcm_uframes_t(count - have))
            if code > 0 {
                have += code
                idleWakes = 0
                continue
            }
            if code < 0 && code != -Int(EAGAIN) { return restartCapture(code) }
            if let event = waitForCapture() { return event }
        }
        capture.progressed()
        parameters.format.decode(
            capture.raw,
            frames: count,
            channels: parameters.channels,
            selection: selection,
            into: frames
        )
        return .done
    }

    /// nil: try to read again.
    private mutating func waitForCapture() -> DeviceEvent? {
        if capture.isStalled { return .lost(errno: ETIMEDOUT) }
        let ready = poll(descriptors, nfds_t(descriptorCount + 1), Self.pollMilliseconds)
        if ready < 0 { return errno == EINTR ? nil : .lost(errno: errno) }
        if ready > 0 && descriptors[descriptorCount].revents != 0 {
            _ = clinux_eventfd_take(descriptors[descriptorCount].fd)
            return .interrupted
        }
        if snd_pcm_state(capture.pcm) == SND_PCM_STATE_DISCONNECTED { return .lost(errno: ENODEV) }
        // Plugins take their wake-up back in here, and tell of a dead server only when asked.
        var events: UInt16 = 0
        let code = snd_pcm_poll_descriptors_revents(capture.pcm, descriptors, UInt32(descriptorCount), &events)
        let trouble = Int32(events) & (POLLERR | POLLHUP | POLLNVAL) != 0
        if code == -ENODEV { return .lost(errno: ENODEV) }
        if ready == 0 || trouble {
            let available = snd_pcm_avail(capture.pcm)
            if available < 0 { return restartCapture(available) }
        }
        idleWakes += 1
        // A descriptor that is always ready but brings nothing must not take the processor.
        if ready > 0 && idleWakes > 20 { clinux_sleep_until_ns(clinux_monotonic_ns() + 2_000_000) }
        return nil
    }

    private mutating func restartCapture(_ code: Int) -> DeviceEvent {
        let lost = capture.recover(code)
        if lost != 0 { return .lost(errno: lost) }
        let started = snd_pcm_start(capture.pcm)
        if started < 0 && started != -EPIPE { return .lost(errno: -started) }
        return .captureRestarted
    }

    // MARK: Playback

    mutating func write(_ frames: UnsafePointer<Float>, count: Int, written: inout Int) -> DeviceEvent {
        let parameters = playback.parameters
        written = 0
        while written < count {
            let block = min(count - written, AudioFormat.periodFrames)
            parameters.format.encode(
                frames + written,
                frames: block,
                channels: parameters.channels,
                into: playback.raw
            )
            let code = snd_pcm_writei(playback.pcm, playback.raw, snd_pcm_uframes_t(block))
            if code == -Int(EAGAIN) || code == 0 {
                return playback.isStalled ? .lost(errno: ETIMEDOUT) : .done
            }
            if code < 0 { return restartPlayback(code) }
            written += code
            queued += code
            playback.progressed()
            if !playbackRuns && queued >= startAt {
                let started = snd_pcm_start(playback.pcm)
                if started < 0 { return restartPlayback(Int(started)) }
                playbackRuns = true
            }
            if code < block { return .done }
        }
        return .done
    }

    private mutating func restartPlayback(_ code: Int) -> DeviceEvent {
        let lost = playback.recover(code)
        if lost != 0 { return .lost(errno: lost) }
        playbackRuns = false
        queued = 0
        startAt = playbackPrefill
        return .playbackRestarted
    }

    mutating func delays() -> (playback: Int, capture: Int) {
        var out: snd_pcm_sframes_t = 0
        var input: snd_pcm_sframes_t = 0
        if !playbackRuns || snd_pcm_delay(playback.pcm, &out) < 0 { out = playbackRuns ? 0 : queued }
        if snd_pcm_delay(capture.pcm, &input) < 0 { input = 0 }
        return (max(0, Int(out)), max(0, Int(input)))
    }

    mutating func flushPlayback() -> Int {
        guard playbackRuns else { return 0 }
        if playback.canRewind {
            let possible = Int(snd_pcm_rewindable(playback.pcm)) - Self.rewindMargin
            if possible <= 0 { return 0 }
            let moved = snd_pcm_rewind(playback.pcm, snd_pcm_uframes_t(possible))
            if moved > 0 { return Int(moved) }
        }
        var left: snd_pcm_sframes_t = 0
        guard snd_pcm_delay(playback.pcm, &left) == 0, left > 0 else { return 0 }
        guard snd_pcm_drop(playback.pcm) == 0, snd_pcm_prepare(playback.pcm) == 0 else { return 0 }
        playbackRuns = false
        queued = 0
        startAt = Int(left)
        return Int(left)
    }

    mutating func close() {
        snd_pcm_drop(playback.pcm)
        snd_pcm_drop(capture.pcm)
    }
}
