internal import CLinux
internal import Glibc
internal import Synchronization
internal import VoiceAudio
internal import VoiceBase

/// Reads the inputs, so that the programs at their other ends keep going; reports which inputs sound, and their titles.
/// Sound that is not played is dropped. The decoder reads a FIFO that is played; a device is read here even then.
///
///     snapclient --FIFO--> [ jv-inputs: drop ] -- sounds        not played
///     snapclient --FIFO--> ffmpeg --> DecoderThread             played
///     snapclient --ALSA--> [ jv-inputs ] --pipe--> ffmpeg       played; while the pipe is full, the newest is dropped
final class InputThread: Sendable {
    struct Reports: Sendable {
        /// Called twice a second for each input that sounds.
        var sounds: @Sendable (String) -> Void
        /// Called with the title at an input, four times a second at most; blank if it is unknown.
        var titled: @Sendable (String, String) -> Void
        /// Called once for each input that cannot be opened, with the reason.
        var missing: @Sendable (SoundInput, String) -> Void
    }

    /// The sound of a device on its way to the decoder.
    struct Pipe {
        /// The end to read from; the taker closes it.
        let descriptor: Int32
        let format: RawFormat
    }

    private let inputs: [SoundInput]
    /// The input that the decoder reads.
    private let played = Mutex<String?>(nil)
    /// The devices that are open, by name, with the end to write to of the pipe that leads to the decoder.
    private let devices = Mutex<[String: (format: RawFormat, sink: Int32)]>([:])
    private let isClosed = Atomic<Bool>(false)
    private let thread = Mutex<OwnThread?>(nil)
    private let wake = clinux_eventfd()

    init(_ inputs: [SoundInput]) { self.inputs = inputs }

    deinit { Glibc.close(wake) }

    /// - Parameter reports: called on the thread; must not block.
    func start(_ reports: Reports) {
        guard !inputs.isEmpty else { return }
        thread.withLock { thread in
            if thread == nil { thread = try? OwnThread("jv-inputs") { self.work(reports) } }
        }
    }

    /// Leaves this input to the decoder; nil for none.
    func leave(_ name: String?) {
        let isNew = played.withLock { played in
            defer { played = name }
            return played != name
        }
        if isNew { clinux_eventfd_signal(wake) }
    }

    /// Lets the decoder have the sound of a device from now on, until it closes its end.
    ///
    /// - Returns: nil while the device is not open.
    func pipe(from input: SoundInput) -> Pipe? {
        devices.withLock { devices in
            guard let device = devices[input.name] else { return nil }
            var ends: [Int32] = [-1, -1]
            guard clinux_pipe(&ends) == 0 else { return nil }
            _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
            if device.sink >= 0 { Glibc.close(device.sink) }
            devices[input.name] = (device.format, ends[1])
            return Pipe(descriptor: ends[0], format: device.format)
        }
    }

    func close() async {
        isClosed.store(true, ordering: .releasing)
        clinux_eventfd_signal(wake)
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let thread { await OwnThread.run("jv-inputs-end") { thread.join() } }
    }

    // MARK: On the thread

    private func work(_ reports: Reports) {
        var places = inputs.map { InputPlace($0) }
        defer {
            for place in places {
                place.close()
                opened(place.input, nil)
            }
        }
        while !isClosed.load(ordering: .acquiring) {
            let now = Monotonic.now()
            let left = played.withLock { $0 }
            for index in places.indices {
                if let title = places[index].readTitle(at: now) { reports.titled(places[index].input.name, title) }
                guard !places[index].isOpen, now >= places[index].next else { continue }
                if let problem = places[index].open(at: now) { reports.missing(places[index].input, problem) }
                if let format = places[index].format { opened(places[index].input, format) }
            }
            var polled = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
            var owners = [-1]
            var pause = InputPlace.reporting
            for (index, place) in places.enumerated() {
                if place.isOpen, place.next > now { pause = min(pause, place.next - now) }
                guard place.next <= now, place.input.isDevice || place.input.name != left else { continue }
                for wait in place.waits {
                    polled.append(wait)
                    owners.append(index)
                }
            }
            _ = poll(&polled, nfds_t(polled.count), Int32(max(1, pause.wholeMilliseconds)))
            if polled[0].revents != 0 { _ = clinux_eventfd_take(wake) }
            let ready = Set(zip(owners, polled).filter { $0 >= 0 && $1.revents != 0 }.map(\.0))
            for index in ready { read(&places[index], reports) }
        }
    }

    private func read(_ place: inout InputPlace, _ reports: Reports) {
        let now = Monotonic.now()
        switch place.read(at: now) {
        case .nothing: break
        case .lost: opened(place.input, nil)
        case .bytes(let bytes):
            if pass(bytes, of: place.input) { return }
            guard place.sounds(bytes), place.mayReport(at: now) else { return }
            reports.sounds(place.input.name)
        }
    }

    /// The device was opened, or is no longer open.
    private func opened(_ input: SoundInput, _ format: RawFormat?) {
        guard input.isDevice else { return }
        devices.withLock { devices in
            if let sink = devices[input.name]?.sink, sink >= 0 { Glibc.close(sink) }
            devices[input.name] = format.map { ($0, -1) }
        }
    }

    /// Passes the sound of a device to the decoder, if the decoder reads it.
    private func pass(_ bytes: ArraySlice<UInt8>, of input: SoundInput) -> Bool {
        guard input.isDevice else { return false }
        return devices.withLock { devices in
            guard let device = devices[input.name], device.sink >= 0 else { return false }
            // A part of a frame would turn the following sound into noise, and a write larger than the pipe's room could be cut.
            for piece in stride(from: bytes.startIndex, to: bytes.endIndex, by: Self.piece(device.format)) {
                let slice = bytes[piece..<min(piece + Self.piece(device.format), bytes.endIndex)]
                let count = slice.withUnsafeBytes { write(device.sink, $0.baseAddress, $0.count) }
                if count < 0, errno != EAGAIN, errno != EINTR {
                    // The decoder has ended.
                    Glibc.close(device.sink)
                    devices[input.name] = (device.format, -1)
                    return false
                }
                if count < slice.count { break }
            }
            return true
        }
    }

    /// Bytes of whole frames that a pipe takes as one or not at all (PIPE_BUF).
    private static func piece(_ format: RawFormat) -> Int { 4096 / format.frameBytes * format.frameBytes }
}
