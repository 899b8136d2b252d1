internal import Glibc
internal import VoiceAudio
internal import VoiceBase

/// An input as its thread sees it: opened, read, given up, and tried again.
struct InputPlace {
    enum Reading {
        case nothing
        case bytes(ArraySlice<UInt8>)
        /// The device is gone.
        case lost
    }

    /// How often an input that sounds is reported, and one that cannot be opened is tried.
    static let reporting = Duration.milliseconds(500)
    private static let trying = Duration.seconds(5)
    /// Pause between two looks at a device: one without a clock of its own, such as ALSA's `null`, always has sound.
    private static let pace = Duration.milliseconds(20)
    /// Bytes of one read of a FIFO.
    private static let block = 16_384
    /// Highest sample of a silent device, 16 bits: -60 dBFS. Not all of them are digital.
    private static let floor: Int16 = 32

    let input: SoundInput
    private var descriptor: Int32 = -1
    private var device: InputDevice?
    private var buffer: [UInt8]
    /// The input is not read before this time.
    private(set) var next = Duration.zero
    private var readAt = Duration.zero
    private var reported: Duration?
    private var isMissing = false
    private var title: InputTitle?

    init(_ input: SoundInput) {
        self.input = input
        buffer = [UInt8](repeating: 0, count: Self.block)
        title = input.titlePath.map { InputTitle($0) }
    }

    var isOpen: Bool { descriptor >= 0 || device != nil }
    /// The format of an open device.
    var format: RawFormat? { device?.format }
    /// The descriptors to poll.
    var waits: [pollfd] {
        if let device { return device.waits.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) } }
        return descriptor < 0 ? [] : [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    }

    /// - Returns: why it cannot be opened, at the first of several failures.
    mutating func open(at now: Duration) -> String? {
        next = now + Self.trying
        let problem: String?
        switch input.source {
        case .fifo(let path, _): problem = open(fifo: path)
        case .device(let name):
            do throws(AudioDeviceError) {
                let opened = try InputDevice(name)
                // Half a second, as much as the device keeps.
                buffer = [UInt8](repeating: 0, count: opened.format.rate / 2 * opened.format.frameBytes)
                (device, readAt, problem) = (opened, now, nil)
            } catch {
                problem = "\(error)"
            }
        }
        defer { isMissing = problem != nil }
        if problem == nil { next = now }
        return isMissing ? nil : problem
    }

    private mutating func open(fifo path: String) -> String? {
        let opened = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { return String(cString: strerror(errno)) }
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
            Glibc.close(opened)
            return "it is not a FIFO"
        }
        descriptor = opened
        return nil
    }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        title?.close()
    }

    mutating func read(at now: Duration) -> Reading {
        if let device { return read(device, at: now) }
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        guard count > 0 else {
            // No program writes: until one does, poll would return immediately.
            next = now + Self.reporting
            return .nothing
        }
        return .bytes(buffer[..<count])
    }

    private mutating func read(_ device: InputDevice, at now: Duration) -> Reading {
        // As much as was played meanwhile and a quarter more, because no two clocks agree.
        let frames = Int(Double(device.format.rate) * 1.25 * (now - readAt).fractionalMilliseconds / 1000)
        let most = min(buffer.count, max(0, frames) * device.format.frameBytes)
        let count = buffer.withUnsafeMutableBytes { bytes in
            device.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<most]))
        }
        next = now + Self.pace
        guard let count else {
            self.device = nil
            next = now + Self.reporting
            return .lost
        }
        guard count > 0 else { return .nothing }
        readAt = now
        return .bytes(buffer[..<count])
    }

    /// Whether the bytes are audible. Programs write silence too.
    func sounds(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let format else { return bytes.contains { $0 != 0 } }
        return bytes.withUnsafeBytes { bytes in
            // Of wider samples the upper half.
            stride(from: format.sampleBytes - 2, to: bytes.count - 1, by: format.sampleBytes).contains { place in
                let sample = bytes.loadUnaligned(fromByteOffset: place, as: Int16.self)
                return sample > Self.floor || sample < -Self.floor
            }
        }
    }

    /// Whether it is time to report again.
    mutating func mayReport(at now: Duration) -> Bool {
        guard reported.map({ now - $0 >= Self.reporting }) ?? true else { return false }
        reported = now
        return true
    }

    /// The title at the input, if it has changed.
    mutating func readTitle(at now: Duration) -> String? { title?.read(at: now) }
}
