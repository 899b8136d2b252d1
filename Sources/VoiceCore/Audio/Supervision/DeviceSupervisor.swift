internal import CLinux
internal import Glibc
internal import Logging
internal import VoiceBase

/// Keeps one side of the audio open: opens it by its configured name, watches its heartbeat, reopens it.
///
/// `DeviceHealth` decides. Opening and closing happen on a separate thread, since a sound server may block them.
actor DeviceSupervisor {
    private let request: DeviceRequest
    private let slot: DeviceSlot
    /// Slot of the opposite side.
    private let other: DeviceSlot
    private let logger: Logger
    private var health = DeviceHealth()
    private var device: String
    private var isStopped = false
    /// Closed at the user's request, until the user reopens it.
    private var isClosed = false
    /// Whether a stream was offered to the audio thread and has not come back.
    private var isOut = false
    /// Whether that stream was recalled at the user's request; no other one can be opened until it is back.
    private var isComingBack = false

    /// Whether the first attempt is over, and its error.
    private(set) var hasTried = false
    private(set) var refusal: AudioDeviceError?

    init(_ request: DeviceRequest, slot: DeviceSlot, beside other: DeviceSlot, logger: Logger) {
        self.request = request
        self.slot = slot
        self.other = other
        self.logger = logger
        device = request.name
    }

    nonisolated var direction: AudioDirection { request.direction }

    /// The error for a device that cannot be waited for any longer while ALSA still tries to open it.
    var unanswered: AudioDeviceError { request.unanswered }

    /// Supervises the device until cancelled.
    func keep() async {
        var seen = slot.bell.rings
        while !Task.isCancelled && !isStopped {
            await step()
            await slot.bell.wait(&seen, until: nextLook(at: Monotonic.now()))
        }
    }

    /// When there may be something to do although the bell does not ring; nil for never: the device is closed at the user's
    /// request, or rests.
    func nextLook(at now: Duration) -> Duration? {
        isClosed || isComingBack || mayKeepResting ? nil : health.nextBeat(at: now)
    }

    private var mayKeepResting: Bool { slot.isResting && !isOut && slot.mayRest && !slot.isWanted }

    /// Closes what the audio thread, which must have ended, has left.
    func stop() async {
        isStopped = true
        if let returned = slot.takeReturned() { await close(OpenStream(stream: returned.stream)) }
        if let stream = slot.withdraw() { await close(OpenStream(stream: stream)) }
    }

    /// Closes the device immediately, or allows it to be opened again.
    func setClosed(_ closed: Bool) async {
        guard closed != isClosed else { return }
        isClosed = closed
        if closed {
            // There is nothing to wait for, not even at the start.
            hasTried = true
            slot.state = .waiting(reason: "muted")
            slot.recall()
            let unused = slot.withdraw()
            isOut = isOut && unused == nil
            isComingBack = isOut
            if let unused { await close(OpenStream(stream: unused)) }
        } else {
            health = DeviceHealth()
            slot.bell.ring()
        }
    }

    /// Waits for the audio thread to return the stream.
    private func stepClosed() async {
        guard let (stream, _) = slot.takeReturned() else { return }
        isOut = false
        await close(OpenStream(stream: stream))
        isComingBack = false
        logger.info("microphone closed", metadata: ["device": "\(device)"])
        if isClosed { slot.state = .waiting(reason: "muted") }
    }

    /// Supervises the device once. Calls must not overlap.
    func step() async {
        if isClosed || isComingBack { return await stepClosed() }
        if let (stream, errno) = slot.takeReturned() {
            isOut = false
            if errno != 0 { slot.losses += 1 }
            await close(OpenStream(stream: stream))
            if slot.isResting { rest() } else { _ = handle(.gone(reason: Self.reason(errno))) }
        }
        if mayKeepResting { return }
        let beat = DeviceHealth.Event.beat(
            frames: slot.frames, stillPeriods: slot.stillPeriods
        )
        switch handle(beat) {
        case .open: await open()
        case .close: await recall()
        case nil: break
        }
    }

    private func rest() {
        health = DeviceHealth(isResting: true)
        slot.state = health.state
        logger.info(
            "loudspeaker closed after a minute of silence: other programs may use it", metadata: ["device": "\(device)"]
        )
    }

    private func recall() async {
        slot.recall()
        // The audio thread may not have taken it yet.
        guard let stream = slot.withdraw() else { return }
        isOut = false
        await close(OpenStream(stream: stream))
        _ = handle(.gone(reason: DeviceHealth.nothing))
    }

    private func open() async {
        let request = request
        let result = await OwnThread.run("jv-open") { OpenStream.open(request) }
        switch result {
        case .success(let stream):
            guard !isStopped, !isClosed else { return await close(stream) }
            slot.isSame = stream.device == slot.device && stream.plan == slot.granted?.plan
            device = stream.device
            slot.device = stream.device
            if let choice = stream.choice { log(choice) }
            slot.granted = (stream.plan, request.fill)
            _ = handle(.opened)
            isOut = true
            slot.offer(stream.stream)
        case .failure(let error):
            if !hasTried { refusal = error }
            // Sound waits no longer.
            (slot.isResting, slot.isWanted) = (false, false)
            _ = handle(.refused(reason: "\(error)", absent: error.isAbsence))
        }
        hasTried = true
    }

    /// Logs the use of the microphone's channels once, and again if it changes.
    private func log(_ choice: CaptureChoice) {
        guard choice != slot.choice else { return }
        slot.choice = choice
        var metadata: Logger.Metadata = ["device": "\(device)", "plan": "\(choice.text)"]
        if let line = choice.line { metadata["known"] = "\(line.title)" }
        logger.info("microphone channels", metadata: metadata)
        if let problem = choice.problem { logger.warning("\(private: problem)", metadata: ["device": "\(device)"]) }
    }

    private func close(_ stream: OpenStream) async {
        await OwnThread.run("jv-close") { stream.close() }
    }

    private func handle(_ event: DeviceHealth.Event) -> DeviceHealth.Action? {
        let verdict = health.handle(event, at: Monotonic.now())
        let (before, state) = (slot.state, named(health.state))
        slot.state = state
        // The service manager may wait for it.
        if state != before { slot.bell.ring() }
        if let notice = verdict.notice { log(notice) }
        return verdict.action
    }

    /// Names the device that never delivered anything, and what to do about it.
    private func named(_ state: DeviceState) -> DeviceState {
        guard case .waiting(let reason) = state, health.passesNothing else { return state }
        let key = direction == .capture ? "audio.input" : "audio.output"
        return .waiting(
            reason:
                "\(direction) device \"\(device)\" \(reason): unplug it and plug it in again, try another socket or "
                + "cable, or set \(key) to another device"
        )
    }

    private static func reason(_ errno: Int32) -> String {
        switch errno {
        case ENODEV, EBADF: DeviceHealth.unplugged
        case ETIMEDOUT: DeviceHealth.nothing
        default: String(cString: strerror(errno))
        }
    }

    /// The latency that rates and steps add, if any.
    private var cost: Logger.Metadata {
        guard let granted = slot.granted else { return [:] }
        let plan = granted.plan
        var metadata: Logger.Metadata = [:]
        var added = plan.addedMilliseconds
        switch direction {
        case .capture:
            // A loudspeaker that started earlier has not logged what this microphone costs it.
            if let loudspeaker = other.granted {
                let more = loudspeaker.plan.addedMilliseconds(wanted: loudspeaker.fill, microphoneStep: plan.step)
                if more > loudspeaker.plan.converterMilliseconds {
                    metadata["loudspeaker_added_ms"] = .public(Int(more.rounded(.up)))
                }
            }
        case .playback:
            let step = other.granted?.plan.step ?? AudioFormat.periodFrames
            added = plan.addedMilliseconds(wanted: granted.fill, microphoneStep: step)
        }
        if added > 0 {
            metadata["rate"] = .public(plan.rate)
            metadata["added_ms"] = .public(Int(added.rounded(.up)))
        }
        return metadata
    }

    private func log(_ notice: DeviceHealth.Notice) {
        let part = direction == .capture ? "microphone" : "loudspeaker"
        var metadata: Logger.Metadata = ["device": "\(device)", "side": .public(part)]
        switch notice {
        case .waiting(var reason):
            metadata["device"] = nil
            if case .waiting(let named) = named(.waiting(reason: reason)) { reason = named }
            logger.warning("waiting for device: \(private: reason)", metadata: .event(.deviceWaiting, metadata))
        case .lost(let reason):
            metadata["reason"] = "\(DeviceState.lost(reason: reason).hint(direction) ?? reason)"
            logger.error("\(part) lost; retrying until it is back", metadata: .event(.deviceLost, metadata))
        case .running(let after):
            if let after { metadata["away_ms"] = .public(after.wholeMilliseconds) }
            metadata.merge(cost) { $1 }
            logger.info("\(part) runs", metadata: .event(.deviceRunning, metadata))
        case .silent:
            logger.warning(
                "\(part) delivers only silence: muted at the device?", metadata: .event(.deviceSilent, metadata)
            )
        case .heard:
            logger.info("\(part) is heard again", metadata: .event(.deviceHeard, metadata))
        }
    }
}

/// An open stream passed between threads; its holder is its only owner.
private struct OpenStream: @unchecked Sendable {
    let stream: UnsafeMutablePointer<ALSAStream>
    /// nil for a loudspeaker.
    var choice: CaptureChoice?

    var device: String { stream.pointee.device }
    var plan: StreamPlan { stream.pointee.parameters }

    static func open(_ request: DeviceRequest) -> Result<OpenStream, AudioDeviceError> {
        do {
            let open = try request.open()
            let choice = open.choice
            let stream = UnsafeMutablePointer<ALSAStream>.allocate(capacity: 1)
            stream.initialize(to: open.stream)
            if let choice { stream.pointee.use = choice.plan }
            return .success(OpenStream(stream: stream, choice: choice))
        } catch {
            return .failure(error)
        }
    }

    func close() {
        stream.deinitialize(count: 1)
        stream.deallocate()
    }
}
