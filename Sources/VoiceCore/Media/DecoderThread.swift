internal import CLinux
internal import Glibc
internal import Synchronization
internal import VoiceAudio
internal import VoiceBase

/// Decodes one job after another into `MediaFeed.ring`, each with its own ffmpeg, on its own thread.
///
///     any thread -- newest command + eventfd --> [ jv-media: poll, ring ] -- reports
///
/// A command replaces one that has not begun. Whatever ffmpeg does (crash, hang, write nonsense) ends as a report;
/// speech never waits for it.
final class DecoderThread: Sendable {
    struct Command: Sendable {
        enum Kind: Sendable {
            case run(DecoderJob)
            case idle
            case close
        }

        var kind: Kind
        /// Whether to drop what has been decoded but not played.
        var cuts: Bool
    }

    private let feed: MediaFeed
    private let policy: MediaPolicy
    private let openDevice: @Sendable (SoundInput) -> InputThread.Pipe?
    private let report: @Sendable (DecoderReport) -> Void
    private let command = Mutex<Command?>(nil)
    private let thread = Mutex<OwnThread?>(nil)
    private let wake = clinux_eventfd()

    /// - Parameters:
    ///   - policy: where a decoder may connect to.
    ///   - openDevice: returns the sound of an input that is a device.
    ///   - report: called on the thread; must not block.
    init(
        feed: MediaFeed,
        policy: MediaPolicy,
        openDevice: @escaping @Sendable (SoundInput) -> InputThread.Pipe? = { _ in nil },
        report: @escaping @Sendable (DecoderReport) -> Void
    ) {
        self.feed = feed
        self.policy = policy
        self.openDevice = openDevice
        self.report = report
    }

    deinit { Glibc.close(wake) }

    /// Does nothing if the thread is already running.
    func start() {
        thread.withLock { thread in
            if thread == nil { thread = try? OwnThread("jv-media") { self.work() } }
        }
    }

    /// Starts a job, in place of the current one.
    func run(_ job: DecoderJob, cutting cuts: Bool) { put(Command(kind: .run(job), cuts: cuts)) }

    /// Ends the current job.
    func stop(cutting cuts: Bool) { put(Command(kind: .idle, cuts: cuts)) }

    /// Ends the job and the thread, within milliseconds.
    func close() async {
        put(Command(kind: .close, cuts: true))
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let thread { await OwnThread.run("jv-media-end") { thread.join() } }
    }

    private func put(_ next: Command) {
        command.withLock { command in
            if case .close = command?.kind { return }
            command = Command(kind: next.kind, cuts: next.cuts || command?.cuts == true)
        }
        clinux_eventfd_signal(wake)
    }

    // MARK: On the thread

    private func work() {
        let reader = DecoderReader(
            feed: feed,
            policy: policy,
            openDevice: openDevice,
            wake: wake,
            isCalled: { self.command.withLock { $0 != nil } },
            report: report
        )
        while true {
            var entry = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, -1)
            _ = clinux_eventfd_take(wake)
            while let next = dequeue() {
                if next.cuts { feed.flush(to: feed.ring.writePosition) }
                switch next.kind {
                case .run(let job): reader.run(job)
                case .idle: break
                case .close: return
                }
            }
        }
    }

    private func dequeue() -> Command? {
        command.withLock { command in
            defer { command = nil }
            return command
        }
    }
}
