internal import CLinux
internal import Glibc
internal import Logging
internal import Synchronization

/// Keeps one side of the sound open: opens it by its configured name, watches its heartbeat, opens it again.
///
/// `DeviceHealth` decides; opening and closing happen on a thread of their own, since a sound server may let them wait.
actor DeviceKeeper {
    private let name: String
    nonisolated let direction: AudioDirection
    private let channels: Int
    private let periods: Int
    private let side: AudioSide
    private let logger: Logger
    private var health = DeviceHealth()
    private var device: String
    private var isStopped = false
    /// Closed by the user's wish, until he wishes otherwise.
    private var isClosed = false

    /// Whether the first attempt is over, and why it failed.
    private(set) var hasTried = false
    private(set) var refusal: AudioDeviceError?

    /// - Parameters:
    ///   - name: as in the configuration; what it means is found anew for each attempt.
    ///   - channels: the least number of channels.
    ///   - periods: wanted buffer in periods of 10 ms.
    init(
        name: String,
        direction: AudioDirection,
        channels: Int,
        periods: Int,
        side: AudioSide,
        logger: Logger
    ) {
        self.name = name
        self.direction = direction
        self.channels = channels
        self.periods = periods
        self.side = side
        self.logger = logger
        device = name
    }

    /// Looks after the device until cancelled.
    func keep() async {
        while !Task.isCancelled && !isStopped {
            await step()
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Closes what the audio thread, which must have ended, has left.
    func stop() async {
        isStopped = true
        if let returned = side.takeReturned() { await close(OpenStream(stream: returned.stream)) }
        if let stream = side.withdraw() { await close(OpenStream(stream: stream)) }
    }

    /// Closes the device at once, or lets it be opened again.
    func setClosed(_ closed: Bool) async {
        guard closed != isClosed else { return }
        isClosed = closed
        if closed {
            // Nothing is waited for, at the start either.
            hasTried = true
            side.state = .waiting(reason: "muted")
            side.recall()
            if let stream = side.withdraw() { await close(OpenStream(stream: stream)) }
        } else {
            health = DeviceHealth()
        }
    }

    /// Waits for the audio thread to give the stream back.
    private func stepClosed() async {
        guard let (stream, _) = side.takeReturned() else { return }
        await close(OpenStream(stream: stream))
        logger.info("microphone closed", metadata: ["device": "\(device)"])
        side.state = .waiting(reason: "muted")
    }

    private func step() async {
        if isClosed { return await stepClosed() }
        if let (stream, errno) = side.takeReturned() {
            await close(OpenStream(stream: stream))
            _ = take(.gone(reason: Self.reason(errno)))
        }
        let beat = DeviceHealth.Event.beat(
            frames: side.frames.load(ordering: .relaxed),
            stillPeriods: side.stillPeriods.load(ordering: .relaxed)
        )
        switch take(beat) {
        case .open: await open()
        case .close: await recall()
        case nil: break
        }
    }

    private func recall() async {
        side.recall()
        // The audio thread may not even have taken it.
        guard let stream = side.withdraw() else { return }
        await close(OpenStream(stream: stream))
        _ = take(.gone(reason: DeviceHealth.nothing))
    }

    private func open() async {
        let (name, direction, channels, periods) = (name, direction, channels, periods)
        let result = await OwnThread.run("jv-open") {
            OpenStream.open(name: name, direction: direction, channels: channels, periods: periods)
        }
        switch result {
        case .success(let stream):
            guard !isStopped, !isClosed else { return await close(stream) }
            device = stream.device
            _ = take(.opened)
            side.offer(stream.stream)
        case .failure(let error):
            if !hasTried { refusal = error }
            _ = take(.refused(reason: "\(error)", absent: error.isAbsence))
        }
        hasTried = true
    }

    private func close(_ stream: OpenStream) async {
        await OwnThread.run("jv-close") { stream.close() }
    }

    private func take(_ event: DeviceHealth.Event) -> DeviceHealth.Action? {
        let verdict = health.handle(event, at: Monotonic.now())
        side.state = health.state
        if let notice = verdict.notice { log(notice) }
        return verdict.action
    }

    private static func reason(_ errno: Int32) -> String {
        switch errno {
        case ENODEV, EBADF: "has gone"
        case ETIMEDOUT: DeviceHealth.nothing
        default: String(cString: strerror(errno))
        }
    }

    private func log(_ notice: DeviceHealth.Notice) {
        let part = direction == .capture ? "microphone" : "loudspeaker"
        var metadata: Logger.Metadata = ["device": "\(device)", "side": "\(part)"]
        switch notice {
        case .waiting(let reason):
            metadata["device"] = nil
            logger.warning("waiting for device: \(reason)", metadata: .event(.deviceWaiting, metadata))
        case .lost(let reason):
            metadata["reason"] = "\(reason)"
            logger.error("\(part) lost; opening it again until it is back", metadata: .event(.deviceLost, metadata))
        case .running(let after):
            if let after { metadata["away_ms"] = "\(after.wholeMilliseconds)" }
            logger.info("\(part) runs", metadata: .event(.deviceRunning, metadata))
        case .silent:
            logger.warning(
                "\(part) delivers only silence: muted at the device?",
                metadata: .event(.deviceSilent, metadata)
            )
        case .heard:
            logger.info("\(part) is heard again", metadata: .event(.deviceHeard, metadata))
        }
    }
}

/// An open stream on its way between threads; whoever holds it is its only owner.
private struct OpenStream: @unchecked Sendable {
    let stream: UnsafeMutablePointer<ALSAStream>

    var device: String { stream.pointee.device }

    static func open(
        name: String,
        direction: AudioDirection,
        channels: Int,
        periods: Int
    ) -> Result<OpenStream, AudioDeviceError> {
        do {
            let device = try AudioDeviceCatalog.resolve(name, direction: direction, in: AudioDeviceCatalog.list())
            let opened = try ALSAStream(device: device, direction: direction, channels: channels, periods: periods)
            let stream = UnsafeMutablePointer<ALSAStream>.allocate(capacity: 1)
            stream.initialize(to: opened)
            return .success(OpenStream(stream: stream))
        } catch {
            return .failure(error)
        }
    }

    func close() {
        stream.deinitialize(count: 1)
        stream.deallocate()
    }
}
