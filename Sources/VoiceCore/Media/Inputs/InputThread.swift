internal import CLinux
internal import Glibc
internal import Synchronization
internal import VoiceBase

/// Reads the FIFOs of the inputs that are not played, so that the programs at their other ends keep going, and tells which of
/// them sound.
///
///     snapclient --FIFO--> [ jv-inputs: drop ] -- sounds        not played
///     snapclient --FIFO--> ffmpeg --> DecoderThread             played
final class InputThread: Sendable {
    /// How often an input that sounds is reported, and one that cannot be opened is tried.
    private static let reporting = Duration.milliseconds(500)
    private static let trying = Duration.seconds(5)
    /// Bytes of one read.
    private static let block = 16_384

    private let inputs: [SoundInput]
    /// The input that the decoder reads.
    private let played = Mutex<String?>(nil)
    private let isClosed = Atomic<Bool>(false)
    private let thread = Mutex<OwnThread?>(nil)
    private let wake = clinux_eventfd()

    init(_ inputs: [SoundInput]) { self.inputs = inputs }

    deinit { Glibc.close(wake) }

    /// - Parameters:
    ///   - sounds: called on the thread, twice a second for each input that sounds; must not block.
    ///   - missing: called once for each input whose FIFO cannot be opened, with the reason.
    func start(sounds: @escaping @Sendable (String) -> Void, missing: @escaping @Sendable (SoundInput, String) -> Void)
    {
        guard !inputs.isEmpty else { return }
        thread.withLock { thread in
            if thread == nil { thread = try? OwnThread("jv-inputs") { self.work(sounds, missing) } }
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

    private struct Place {
        let input: SoundInput
        var descriptor: Int32 = -1
        /// Not looked at before.
        var next = Duration.zero
        var reported: Duration?
        var isMissing = false
    }

    private func work(_ sounds: (String) -> Void, _ missing: (SoundInput, String) -> Void) {
        var places = inputs.map { Place(input: $0) }
        var buffer = [UInt8](repeating: 0, count: Self.block)
        defer { for place in places where place.descriptor >= 0 { Glibc.close(place.descriptor) } }
        while !isClosed.load(ordering: .acquiring) {
            let now = Monotonic.now()
            let left = played.withLock { $0 }
            for index in places.indices where places[index].descriptor < 0 && now >= places[index].next {
                open(&places[index], at: now, missing)
            }
            var polled = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
            for place in places {
                let isRead = place.input.name != left && now >= place.next
                polled.append(pollfd(fd: isRead ? place.descriptor : -1, events: Int16(POLLIN), revents: 0))
            }
            _ = poll(&polled, nfds_t(polled.count), 500)
            if polled[0].revents != 0 { _ = clinux_eventfd_take(wake) }
            for (index, entry) in polled.dropFirst().enumerated() where entry.revents != 0 {
                read(&places[index], entry, &buffer, sounds)
            }
        }
    }

    private func open(_ place: inout Place, at now: Duration, _ missing: (SoundInput, String) -> Void) {
        place.next = now + Self.trying
        let descriptor = Glibc.open(place.input.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        var status = stat()
        let isOpen = descriptor >= 0 && fstat(descriptor, &status) == 0
        guard isOpen, status.st_mode & S_IFMT == S_IFIFO else {
            if !place.isMissing { missing(place.input, isOpen ? "it is not a FIFO" : String(cString: strerror(errno))) }
            place.isMissing = true
            if descriptor >= 0 { Glibc.close(descriptor) }
            return
        }
        (place.descriptor, place.next, place.isMissing) = (descriptor, now, false)
    }

    private func read(_ place: inout Place, _ entry: pollfd, _ buffer: inout [UInt8], _ sounds: (String) -> Void) {
        let now = Monotonic.now()
        let count = Glibc.read(place.descriptor, &buffer, buffer.count)
        guard count > 0 else {
            // No program writes: until one does, poll would return immediately.
            place.next = now + Self.reporting
            return
        }
        // Programs write silence too.
        guard buffer[..<count].contains(where: { $0 != 0 }) else { return }
        guard place.reported.map({ now - $0 >= Self.reporting }) ?? true else { return }
        place.reported = now
        sounds(place.input.name)
    }
}
