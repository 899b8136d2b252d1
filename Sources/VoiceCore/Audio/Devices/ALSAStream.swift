internal import CAlsa
internal import CLinux
internal import Glibc
internal import VoiceBase

/// One direction of a sound card: an open PCM, its conversion buffers and its recovery.
///
/// The interface counts frames at 48 kHz; "of the card" marks frames at the card's own rate.
struct ALSAStream: ~Copyable {
    /// The parameters to open a device with.
    struct Request: Sendable {
        enum Channels: Equatable {
            case atLeast(Int)
            /// All channels of the device itself; two of a sound server, which offers any number.
            case all
        }

        var channels: Channels
        /// Wanted buffer in periods of 10 ms.
        var periods: Int
        /// The only rate to try, in Hz; nil for the best that the device offers.
        var rate: Int?
    }

    let pcm: OpaquePointer
    let device: String
    let direction: AudioDirection
    let parameters: StreamPlan
    /// Frames of one cycle, interleaved, in the card's format.
    let raw: UnsafeMutableRawPointer
    /// Bytes per frame of `raw`.
    let frameBytes: Int
    /// Descriptors to poll for capture: ALSA's, and one further entry for a descriptor of the caller.
    let descriptors: UnsafeMutablePointer<pollfd>
    let descriptorCount: Int
    /// Capture: which channels are used, and how.
    var use = CapturePlan()
    /// errno that ended it; 0 if it was not lost.
    var endedBy: Int32 = 0
    /// Recoveries since frames last moved.
    var failures = 0
    /// Time at which frames last moved or the stream was last started.
    var lastProgress: UInt64

    /// Capture: the voice, and the card's loopback of its loudspeaker.
    var voice: CaptureConverter
    var reference: CaptureConverter
    /// Playback: from 48 kHz to the card's rate and clock.
    var converter: PlaybackConverter
    /// Playback: card frames in `raw` for which the card's buffer had no room yet, and their start. One cycle at most.
    var pending = 0
    var pendingAt = 0

    /// - Parameter device: a name that ALSA understands.
    init(device: String, direction: AudioDirection, request: Request) throws(AudioDeviceError) {
        try self.init(
            taking: try Self.openPCM(device, direction), device: device, direction: direction, request: request
        )
    }

    /// - Parameters:
    ///   - handle: an open PCM, closed with the stream or if `init` throws.
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

    /// Opens in non-blocking mode, as another program may hold the device.
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

    /// Whether written frames can really be taken back: a plugin may have passed them on and merely move its counter.
    var canRewind: Bool {
        let type = snd_pcm_type(pcm)
        return type == SND_PCM_TYPE_HW || type == SND_PCM_TYPE_DMIX
    }

    /// Converts a delay in card frames, plus that of the converter, to frames at 48 kHz.
    func captureDelay(_ ofCard: Int) -> Int {
        guard parameters.rate != AudioFormat.deviceRate else { return ofCard }
        let frames = (Double(ofCard) + voice.lag) * Double(AudioFormat.deviceRate)
        return Int((frames / Double(parameters.rate)).rounded())
    }

    /// Converts card frames to frames at 48 kHz.
    func atDeviceRate(_ frames: Int) -> Int {
        parameters.rate == AudioFormat.deviceRate
            ? frames : Int((Double(frames) * Double(AudioFormat.deviceRate) / Double(parameters.rate)).rounded())
    }

    /// How late a period may be; a card with long periods delivers rarely.
    var lateNanoseconds: UInt64 { max(150_000_000, UInt64(2e6 * parameters.periodMilliseconds)) }

    /// How long the first frames may take after a start before the loudspeaker continues without them.
    var firstNanoseconds: UInt64 { UInt64(1.5e6 * max(10, parameters.periodMilliseconds)) }

    /// Converts frames at 48 kHz, one period at most, to `pending` card frames in `raw`. None may be pending.
    mutating func encode(_ frames: UnsafePointer<StereoFrame>, count: Int) {
        let (converted, made) = converter.process(frames, count: count)
        parameters.format.encode(converted, frames: made, channels: parameters.channels, into: raw)
        pending = made
        pendingAt = 0
    }

    /// Forgets the converters' past and whatever is pending.
    mutating func forget() {
        voice.reset()
        reference.reset()
        converter.reset()
        pending = 0
    }
}

extension ALSAStream {
    /// Consecutive recoveries without a frame until the device counts as lost.
    private static let patience = 10

    /// Notes that frames moved.
    mutating func progressed() {
        lastProgress = clinux_monotonic_ns()
        failures = 0
    }

    /// Returns the stream to "prepared" after `code`, as its state requires.
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
            // Resuming would play outdated sound; preparing works after every suspend.
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
