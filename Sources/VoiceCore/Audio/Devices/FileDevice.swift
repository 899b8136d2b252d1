internal import CDSP
internal import CLinux
internal import VoiceBase

/// Presents a `FileRoom` as a card, at the pace of CLOCK_MONOTONIC times the room's speed.
///
/// In each period the loudspeaker consumes one written period (recorded to the file) while the microphone picks up the speech
/// plus the echo. It locks and writes files: a real-time device is not needed here.
struct FileDevice: DuplexDevice, ~Copyable {
    /// Noise of the microphone itself, as a live one never delivers digital silence. Far below one step of 16 bits.
    private static let noise: Float = 1e-6

    private let periodNanoseconds: UInt64
    let playbackPrefill: Int
    private let room: FileRoom
    private var queue: PlaybackQueue
    private var recording: WaveWriter?
    private var next: UInt64 = 0
    private let block: UnsafeMutablePointer<StereoFrame>
    /// The mean of both channels of `block`: the sound in the room.
    private let mean = SampleBuffer(count: AudioFormat.periodFrames)
    private var echo: RoomEcho

    init(room: FileRoom, bufferPeriods: Int) throws(AudioDeviceError) {
        // Delegates: Swift 6.2 miscompiles a noncopyable type's initializer that throws when half is initialized.
        let recording: WaveWriter?
        if let path = room.recording {
            recording = try WaveWriter(path: path, channels: room.channels)
        } else {
            recording = nil
        }
        self.init(room: room, bufferPeriods: bufferPeriods, recording: recording)
    }

    private init(room: FileRoom, bufferPeriods: Int, recording: consuming WaveWriter?) {
        self.room = room
        self.recording = recording
        playbackPrefill = (bufferPeriods - 1) * AudioFormat.periodFrames
        queue = PlaybackQueue(limit: bufferPeriods * AudioFormat.periodFrames)
        block = .allocate(capacity: AudioFormat.periodFrames)
        block.initialize(repeating: .silence, count: AudioFormat.periodFrames)
        echo = RoomEcho(room.echo)
        periodNanoseconds = UInt64(10_000_000 / room.speed)
    }

    deinit { block.deallocate() }

    mutating func start() { next = clinux_monotonic_ns() + periodNanoseconds }

    mutating func read(into frames: UnsafeMutablePointer<Float>, count: Int) -> DeviceEvent {
        clinux_sleep_until_ns(next)
        next += periodNanoseconds
        // After a long pause of the machine, continue from now instead of catching up.
        let now = clinux_monotonic_ns()
        if now > next + 100 * periodNanoseconds { next = now }

        let count = min(count, AudioFormat.periodFrames)
        _ = queue.pop(into: block, count: count)
        cdsp_mean_of_pairs(block.samples, mean.base, count)
        if room.channels == 2 {
            recording?.append(block.samples, count: 2 * count)
        } else {
            recording?.append(mean.base, count: count)
        }
        room.listen(mean.base, count: count)
        room.speak(into: frames, count: count)
        echo.mix(mean.base, into: frames, count: count)
        for index in 0..<count { frames[index] += index.isMultiple(of: 2) ? Self.noise : -Self.noise }
        return .done
    }

    var isCaptureLive: Bool { true }

    mutating func write(_ frames: UnsafePointer<StereoFrame>, count: Int, written: inout Int) -> DeviceEvent {
        written = queue.push(frames, count: count)
        return .done
    }

    mutating func delays() -> (playback: Int, capture: Int) { (queue.count, 0) }

    mutating func flushPlayback() -> PlaybackFlush { PlaybackFlush(queue.dropNewest(keeping: 0)) }

    mutating func close() {
        recording?.flush()
    }
}
