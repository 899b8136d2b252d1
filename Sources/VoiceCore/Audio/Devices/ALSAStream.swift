internal import CAlsa
internal import CLinux
internal import Glibc

/// One direction of a sound card: an open PCM, its conversion buffer, and how its recovery goes.
struct ALSAStream: ~Copyable {
    struct Parameters: Sendable, Equatable {
        var format: SampleFormat
        var channels: Int
        var periodFrames: Int
        var bufferFrames: Int
    }

    let pcm: OpaquePointer
    let device: String
    let direction: AudioDirection
    let parameters: Parameters
    /// One period, interleaved, in the format of the card.
    let raw: UnsafeMutableRawPointer
    /// What to poll for capture: ALSA's descriptors, and one place behind them for a descriptor of the caller.
    let descriptors: UnsafeMutablePointer<pollfd>
    let descriptorCount: Int
    /// Recoveries since frames last flowed.
    var failures = 0
    /// When frames last moved, or the stream was last started.
    var lastProgress: UInt64

    /// - Parameters:
    ///   - device: a name that ALSA understands.
    ///   - channels: the least number of channels to open.
    ///   - periods: wanted buffer, in periods of 10 ms.
    init(device: String, direction: AudioDirection, channels: Int, periods: Int) throws(AudioDeviceError) {
        var handle: OpaquePointer?
        let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
        let code = snd_pcm_open(&handle, device, stream, Int32(SND_PCM_NONBLOCK))
        guard code >= 0, let handle else {
            throw .from(code, device: device, direction: direction, step: "open")
        }
        do {
            parameters = try Self.configure(
                handle,
                device: device,
                direction: direction,
                channels: channels,
                periods: periods
            )
        } catch {
            snd_pcm_close(handle)
            throw error
        }
        pcm = handle
        self.device = device
        self.direction = direction
        let bytes = AudioFormat.periodFrames * parameters.channels * parameters.format.bytes
        raw = .allocate(byteCount: bytes, alignment: 16)
        raw.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        let count = max(0, Int(snd_pcm_poll_descriptors_count(handle)))
        descriptors = .allocate(capacity: count + 1)
        descriptors.initialize(repeating: pollfd(fd: -1, events: 0, revents: 0), count: count + 1)
        snd_pcm_poll_descriptors(handle, descriptors, UInt32(count))
        descriptorCount = count
        lastProgress = clinux_monotonic_ns()
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
}
