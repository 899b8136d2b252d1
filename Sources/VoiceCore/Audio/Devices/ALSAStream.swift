internal import CAlsa
internal import CLinux
internal import Glibc
internal import VoiceBase

/// One direction of a sound card: an open PCM, its conversion buffers, and how its recovery goes.
///
/// Outside of it everything counts frames at 48 kHz; what is "of the card" counts frames at the card's own rate.
struct ALSAStream: ~Copyable {
    /// What a device is opened with.
    struct Request: Sendable {
        enum Channels: Equatable {
            case atLeast(Int)
            /// All that the device has of its own; two where a plugin makes up any number.
            case all
        }

        var channels: Channels
        /// Wanted buffer, in periods of 10 ms.
        var periods: Int
        /// The only rate to try, in Hz; nil: the best that the device has.
        var rate: Int?
    }

    let pcm: OpaquePointer
    let device: String
    let direction: AudioDirection
    let parameters: StreamPlan
    /// What goes through in one cycle, interleaved, in the format of the card.
    let raw: UnsafeMutableRawPointer
    /// One frame of it, in bytes.
    let frameBytes: Int
    /// What to poll for capture: ALSA's descriptors, and one place behind them for a descriptor of the caller.
    let descriptors: UnsafeMutablePointer<pollfd>
    let descriptorCount: Int
    /// Recoveries since frames last flowed.
    var failures = 0
    /// When frames last moved, or the stream was last started.
    var lastProgress: UInt64

    /// Capture: the voice, and what the card tells of its loudspeaker.
    var voice: CaptureConverter
    var reference: CaptureConverter
    /// Playback: from 48 kHz to the card's rate and clock.
    var converter: PlaybackConverter
    /// Playback: frames of the card in `raw` that its buffer had no room for yet, and where they begin. One cycle at most.
    var pending = 0
    var pendingAt = 0

    /// - Parameter device: a name that ALSA understands.
    init(device: String, direction: AudioDirection, request: Request) throws(AudioDeviceError) {
        try self.init(
            taking: try Self.openPCM(device, direction),
            device: device,
            direction: direction,
            request: request
        )
    }

    /// - Parameters:
    ///   - handle: an open PCM, which is closed with the stream or where there is none.
    ///   - device: its name.
    init(
        taking handle: OpaquePointer,
        device: String,
        direction: AudioDirection,
        request: Request
    ) throws(AudioDeviceError) {
        var plan: StreamPlan
        do {
            plan = try Self.configure(handle, device: device, direction: direction, request: request)
        } catch {
            snd_pcm_close(handle)
            throw error
        }
        pcm = handle
        self.device = device
        self.direction = direction
        let isCapture = direction == .capture
        var captured = plan
        if !isCapture { captured.rate = AudioFormat.deviceRate }
        voice = CaptureConverter(captured)
        reference = CaptureConverter(captured)
        converter = PlaybackConverter(rate: isCapture ? AudioFormat.deviceRate : plan.rate)
        if plan.rate != AudioFormat.deviceRate {
            plan.converterMilliseconds =
                isCapture
                ? voice.lag * 1000 / Double(plan.rate) : converter.lag * 1000 / Double(AudioFormat.deviceRate)
        }
        parameters = plan
        frameBytes = plan.channels * plan.format.bytes
        let bytes = PlaybackConverter.block * frameBytes
        raw = .allocate(byteCount: bytes, alignment: 16)
        raw.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        let count = max(0, Int(snd_pcm_poll_descriptors_count(handle)))
        descriptors = .allocate(capacity: count + 1)
        descriptors.initialize(repeating: pollfd(fd: -1, events: 0, revents: 0), count: count + 1)
        snd_pcm_poll_descriptors(handle, descriptors, UInt32(count))
        descriptorCount = count
        lastProgress = clinux_monotonic_ns()
    }

    /// Opens without waiting: another program may hold it.
    static func openPCM(_ device: String, _ direction: AudioDirection) throws(AudioDeviceError) -> OpaquePointer {
        var handle: OpaquePointer?
        let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
        let code = snd_pcm_open(&handle, device, stream, Int32(SND_PCM_NONBLOCK))
        guard code >= 0, let handle else {
            throw .from(code, device: device, direction: direction, step: "open")
        }
        return handle
    }

    deinit {
        snd_pcm_close(pcm)
        descriptors.deallocate()
        raw.deallocate()
    }

    /// Whether frames written can be taken back in truth: a plugin may have passed them on, and only moves its counter.
    var canRewind: Bool {
        let type = snd_pcm_type(pcm)
        return type == SND_PCM_TYPE_HW || type == SND_PCM_TYPE_DMIX
    }

    /// Frames at 48 kHz that a delay of the card, in its own frames, and the converter behind it last.
    func captureDelay(_ ofCard: Int) -> Int {
        guard parameters.rate != AudioFormat.deviceRate else { return ofCard }
        let frames = (Double(ofCard) + voice.lag) * Double(AudioFormat.deviceRate)
        return Int((frames / Double(parameters.rate)).rounded())
    }

    /// Frames at 48 kHz that so many of the card last.
    func atDeviceRate(_ frames: Int) -> Int {
        parameters.rate == AudioFormat.deviceRate
            ? frames : Int((Double(frames) * Double(AudioFormat.deviceRate) / Double(parameters.rate)).rounded())
    }

    /// How long a period may be late: what the card brings at once comes seldom.
    var lateNanoseconds: UInt64 { max(150_000_000, UInt64(2e6 * parameters.periodMilliseconds)) }

    /// Turns frames at 48 kHz, one period at most, into `pending` frames of the card in `raw`. None may be pending.
    mutating func encode(_ frames: UnsafePointer<StereoFrame>, count: Int) {
        let (converted, made) = converter.process(frames, count: count)
        parameters.format.encode(converted, frames: made, channels: parameters.channels, into: raw)
        pending = made
        pendingAt = 0
    }

    /// Forgets what the converters hold of the past, and what is pending.
    mutating func forget() {
        voice.reset()
        reference.reset()
        converter.reset()
        pending = 0
    }
}

extension ALSAStream {
    /// Recoveries in a row without a frame between them until the device counts as lost.
    private static let patience = 10

    /// Notes that frames moved.
    mutating func progressed() {
        lastProgress = clinux_monotonic_ns()
        failures = 0
    }

    /// Brings the stream back to "prepared" after `code`, judged by its state.
    /// - Returns: 0, or the errno with which it is lost.
    mutating func recover(_ code: Int) -> Int32 {
        if code == -Int(ENODEV) || code == -Int(EBADF) { return ENODEV }
        failures += 1
        if failures > Self.patience { return code == -Int(EPIPE) || code == 0 ? EIO : Int32(truncatingIfNeeded: -code) }
        lastProgress = clinux_monotonic_ns()
        switch snd_pcm_state(pcm) {
        case SND_PCM_STATE_DISCONNECTED:
            return ENODEV
        case SND_PCM_STATE_SUSPENDED:
            // Resuming would play what is old by now; preparing works after every suspend.
            if snd_pcm_resume(pcm) == 0 { snd_pcm_drop(pcm) }
        case SND_PCM_STATE_RUNNING, SND_PCM_STATE_DRAINING, SND_PCM_STATE_PAUSED:
            snd_pcm_drop(pcm)
        default:
            break
        }
        let prepared = snd_pcm_prepare(pcm)
        return prepared < 0 ? -prepared : 0
    }
}
