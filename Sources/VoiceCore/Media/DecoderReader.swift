internal import CLinux
internal import Glibc
internal import Synchronization
internal import VoiceAudio
internal import VoiceBase

/// Reads the output of one ffmpeg after another and writes it into the ring. Confined to the decoder's thread.
final class DecoderReader {
    /// Samples per read.
    private static let block = 16_384
    /// Longest part of a line of ffmpeg's log that is kept, in bytes.
    private static let longestLine = 4096

    private let feed: MediaFeed
    private let policy: MediaPolicy
    private let openDevice: (SoundInput) -> InputThread.Pipe?
    private let wake: Int32
    private let isCalled: () -> Bool
    private let report: @Sendable (DecoderReport) -> Void
    private let samples: UnsafeMutablePointer<Float>
    /// The whole frames in `samples`, ready for the ring.
    private let ready: UnsafeMutablePointer<StereoFrame>
    /// Bytes in `samples`, frames in `ready`, and how many of these are already in the ring.
    private var bytes = 0
    private var whole = 0
    private var written = 0
    private var frames = 0
    private var line: [UInt8] = []
    private var lastError: String?
    private var lastTag: DecoderTag?

    /// - Parameters:
    ///   - policy: where the decoder may connect to.
    ///   - openDevice: returns the sound of an input that is a device.
    ///   - wake: an eventfd, signalled when there may be a new command.
    ///   - isCalled: whether there is a new command.
    init(
        feed: MediaFeed,
        policy: MediaPolicy,
        openDevice: @escaping (SoundInput) -> InputThread.Pipe?,
        wake: Int32,
        isCalled: @escaping () -> Bool,
        report: @escaping @Sendable (DecoderReport) -> Void
    ) {
        self.feed = feed
        self.policy = policy
        self.openDevice = openDevice
        self.wake = wake
        self.isCalled = isCalled
        self.report = report
        samples = .allocate(capacity: Self.block)
        samples.initialize(repeating: 0, count: Self.block)
        ready = .allocate(capacity: Self.block)
        ready.initialize(repeating: .silence, count: Self.block)
    }

    deinit {
        samples.deallocate()
        ready.deallocate()
    }

    /// Decodes until the end, a failure, or a new command.
    func run(_ job: DecoderJob) {
        var job = job
        if case .network(let place) = job.source, place.isSegmented {
            job.segmentOptions = DecoderJob.segmentOptions(help: Self.help(job.program))
        }
        (bytes, whole, written, frames, line, lastError, lastTag) = (0, 0, 0, 0, [], nil, nil)
        var pipe: InputThread.Pipe?
        if let device = job.device {
            pipe = openDevice(device)
            guard let format = pipe?.format else {
                return report(.ended(id: job.id, frames: 0, failure: "\(device.place) cannot be opened"))
            }
            job.piped = format
        }
        let process: ConfinedProcess
        let proxy: MediaProxy?
        do {
            // The decoder has its own end, and the writer has to see when that is closed.
            defer { if let pipe { Glibc.close(pipe.descriptor) } }
            proxy = try makeProxy(job)
            process = try ConfinedProcess(
                job.program, job.arguments, environment: proxy?.environment ?? [], files: job.files,
                input: pipe?.descriptor, port: proxy?.port
            )
        } catch {
            return report(.ended(id: job.id, frames: 0, failure: "\(job.program) does not start: \(error)"))
        }
        proxy?.run()
        defer { proxy?.close() }
        feed.isComplete.store(false, ordering: .releasing)
        let end = read(process, job)
        guard case .over(let failure) = end else {
            _ = process.end()
            return feed.isComplete.store(true, ordering: .releasing)
        }
        drainErrors(process, job)
        let status = failure == nil ? process.wait() : process.end()
        feed.isComplete.store(true, ordering: .releasing)
        var reason = failure ?? (status == .exited(0) ? nil : Self.sentence(status, lastError))
        // The decoder knows only that it was refused or cut off; the proxy knows why.
        if reason != nil, let known = proxy?.lastProblem { reason = known }
        report(
            .ended(
                id: job.id,
                frames: frames,
                failure: frames == 0 && reason == nil
                    ? "it contains no audio" : reason
            )
        )
    }

    private func makeProxy(_ job: DecoderJob) throws(SystemError) -> MediaProxy? {
        guard case .network(let place) = job.source else { return nil }
        var limits = MediaProxy.Limits()
        if job.isLive { limits.bytes = nil }
        let (report, id, isLive) = (report, job.id, job.isLive)
        return try MediaProxy(
            place,
            policy: policy.allowing(job.home),
            limits: limits,
            caFile: job.caFile,
            tagged: { title in
                if isLive || title.isChained { report(.tag(id: id, .nowPlaying(title.text))) }
            }
        )
    }

    /// The help of this ffmpeg about HLS; read again each time, because it may have been upgraded. Takes 50 ms.
    private static func help(_ program: String) -> String {
        guard let process = try? ConfinedProcess(program, ["-hide_banner", "-h", "demuxer=hls"]) else { return "" }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let end = Monotonic.now() + .seconds(5)
        while text.count < 1 << 20, Monotonic.now() < end {
            var entry = pollfd(fd: process.output, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 1000) >= 0 else { continue }
            let count = Glibc.read(process.output, &buffer, buffer.count)
            if count == 0 { break }
            text += buffer.prefix(max(0, count))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private enum End {
        case over(failure: String?)
        case called
    }

    private func read(_ process: ConfinedProcess, _ job: DecoderJob) -> End {
        var progress = Monotonic.now()
        var errorsOpen = true
        while true {
            let isFull = !deliver(job)
            var entries = [
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errorsOpen ? process.errors : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isFull ? -1 : process.output, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&entries, 3, isFull ? 20 : 200)
            // The signal may belong to a command that has already been taken.
            if entries[0].revents != 0, clinux_eventfd_take(wake), isCalled() { return .called }
            if entries[1].revents != 0 { errorsOpen = readErrors(process, job) }
            let now = Monotonic.now()
            if isFull {
                progress = now
            } else if entries[2].revents != 0 {
                let count = Glibc.read(process.output, UnsafeMutableRawPointer(samples) + bytes, Self.block * 4 - bytes)
                if count == 0 { return .over(failure: nil) }
                if count > 0 {
                    bytes += count
                    // Programs write silence too, without end.
                    if !job.isInput || hasSound(above: job.device == nil ? 0 : Self.floor) { progress = now }
                } else if errno != EAGAIN && errno != EINTR {
                    return .over(failure: "the decoder's output cannot be read")
                }
            }
            if now - progress > job.patience {
                return .over(failure: "no audio came for \(job.patience.components.seconds) seconds")
            }
        }
    }

    /// Highest sample of a silent device: -60 dBFS.
    private static let floor: Float = 0.001

    /// Whether any of the samples read is audible.
    private func hasSound(above floor: Float) -> Bool { (0..<bytes / 4).contains { abs(samples[$0]) > floor } }

    /// Moves whole frames into the ring; false while the ring is full.
    private func deliver(_ job: DecoderJob) -> Bool {
        if whole == 0 { unpack(channels: job.channels) }
        guard whole > 0 else { return true }
        let position = feed.ring.writePosition
        let count = feed.ring.write(ready + written, count: whole - written)
        if frames == 0, count > 0 { report(.began(id: job.id, position: position)) }
        frames += count
        written += count
        guard written == whole else { return false }
        (whole, written) = (0, 0)
        return true
    }

    /// Turns the bytes read into frames; an incomplete frame stays in `samples`.
    private func unpack(channels: Int) {
        whole = bytes / (4 * channels)
        for index in 0..<whole {
            let first = Self.clean(samples[index * channels])
            ready[index] = StereoFrame(
                left: first, right: channels == 1 ? first : Self.clean(samples[index * channels + 1])
            )
        }
        let rest = bytes - whole * channels * 4
        if whole > 0, rest > 0 {
            let left = UnsafeRawPointer(samples + whole * channels)
            UnsafeMutableRawPointer(samples).copyMemory(from: left, byteCount: rest)
        }
        bytes = rest
    }

    /// A decoder may write anything: NaN becomes silence, and values out of range are clamped.
    private static func clean(_ sample: Float) -> Float { sample.isNaN ? 0 : max(-1, min(1, sample)) }

    // MARK: The decoder's log

    private func drainErrors(_ process: ConfinedProcess, _ job: DecoderJob) {
        for _ in 0..<64 where !readErrors(process, job) { return }
    }

    /// Returns false at the end of the log.
    private func readErrors(_ process: ConfinedProcess, _ job: DecoderJob) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(process.errors, &buffer, buffer.count)
        guard count > 0 else { return count < 0 && (errno == EINTR || errno == EAGAIN) }
        for byte in buffer[..<count] {
            if byte == UInt8(ascii: "\n") {
                reportTags(job)
                line.removeAll(keepingCapacity: true)
            } else if line.count < Self.longestLine {
                line.append(byte)
            }
        }
        return true
    }

    private func reportTags(_ job: DecoderJob) {
        // Stations send titles in UTF-8 or windows-1252.
        guard let tag = DecoderTag(line: TextDecoder.string(line)), tag != lastTag else { return }
        lastTag = tag
        switch tag {
        case .error(let text): lastError = text
        // The first piece of a station; its later ones come from the proxy.
        case .title, .artist: if !job.isLive { report(.tag(id: job.id, tag)) }
        default: report(.tag(id: job.id, tag))
        }
    }

    static func sentence(_ end: ProcessEnd, _ error: String?) -> String {
        switch end {
        case .killed(let signal): return "the decoder was killed by signal \(signal)"
        case .exited(let status):
            // ffmpeg starts with the address; the user knows what was to be played, so only the reason is kept.
            let text = error.map { $0.split(separator: ": ").last.map(String.init) ?? $0 }
            return text ?? "the decoder exited with status \(status)"
        }
    }
}
