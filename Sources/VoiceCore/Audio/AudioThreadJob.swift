internal import CLinux
internal import Glibc
internal import Synchronization
internal import VoiceBase

/// What the pthread executes, and how the rest of the program learns of its steps.
final class AudioThreadJob: Sendable {
    private struct Progress {
        var thread: OpaquePointer?
        /// Set once the devices are open, or cannot be.
        var opening: AudioDeviceError??
        var ended = false
        var joined = false
        var openWaiters: [CheckedContinuation<AudioDeviceError?, Never>] = []
        var endWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: AudioConfiguration
    private let ports: AudioPorts
    private let stop: Int32
    // `OpaquePointer` is the thread's handle, touched under the lock only.
    private let progress = Mutex(SendableProgress())

    /// The handle of a thread may go from thread to thread; it is used under the mutex.
    private struct SendableProgress: @unchecked Sendable {
        var value = Progress()
    }

    init(configuration: AudioConfiguration, ports: AudioPorts, stop: Int32) {
        self.configuration = configuration
        self.ports = ports
        self.stop = stop
    }

    deinit { close(stop) }

    /// Starts the thread. Returns the errno with which real-time scheduling was refused, or 0.
    func launch(priority: Int) throws(AudioDeviceError) -> Int32 {
        var refused: Int32 = 0
        let context = Unmanaged.passRetained(self)
        let handle = clinux_thread_start("jv-audio", Int32(priority), audioThreadMain, context.toOpaque(), &refused)
        guard let handle else {
            let reason = errno
            context.release()
            throw .thread(errno: reason)
        }
        progress.withLock { $0.value.thread = handle }
        return refused
    }

    func wake() { clinux_eventfd_signal(stop) }

    /// Waits until the devices are open; returns the error if they are not.
    func opened() async -> AudioDeviceError? {
        await withCheckedContinuation { continuation in
            let known: AudioDeviceError?? = progress.withLock { progress in
                if let opening = progress.value.opening { return .some(opening) }
                progress.value.openWaiters.append(continuation)
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// Waits for the end of the thread and joins it: by then it has nothing left to do, so the join does not block.
    func finished() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let ended = progress.withLock { progress in
                if !progress.value.ended { progress.value.endWaiters.append(continuation) }
                return progress.value.ended
            }
            if ended { continuation.resume() }
        }
        let handle = progress.withLock { progress in
            defer { progress.value.thread = nil }
            return progress.value.thread
        }
        if let handle { clinux_thread_join(handle) }
    }

    /// The body of the thread.
    fileprivate func run() {
        var failure: AudioDeviceError?
        do {
            switch configuration.source {
            case .alsa:
                let device = ALSADevice(
                    microphone: ports.capture,
                    loudspeaker: ports.playback,
                    bufferPeriods: configuration.bufferPeriods,
                    stop: stop
                )
                try loop(device)
            case .file(let room):
                try loop(FileDevice(room: room, bufferPeriods: configuration.bufferPeriods))
            }
        } catch {
            failure = error
        }
        if let failure { publishOpening(failure) }
        ports.gauges.state = .stopped
        let waiters = progress.withLock { progress in
            progress.value.ended = true
            defer { progress.value.endWaiters = [] }
            return progress.value.endWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func loop<Device: DuplexDevice & ~Copyable>(_ device: consuming Device) throws(AudioDeviceError) {
        var settings = AudioEngineSettings()
        settings.echoCanceller = configuration.echoCanceller
        settings.duplex = configuration.duplex
        settings.outputGain = powf(10, Float(configuration.outputGainDecibels) / 20)
        settings.limiterCeiling = powf(10, Float(min(0, max(-20, configuration.limiterCeilingDecibels))) / 20)
        settings.captureGain = powf(10, Float(min(30, max(-20, configuration.captureGainDecibels))) / 20)
        settings.automaticGain = configuration.automaticGain
        settings.earcons = configuration.earcons
        var engine = try AudioEngine(device: device, ports: ports, settings: settings)
        var outcome = engine.start()
        ports.gauges.state = .running
        publishOpening(nil)
        while outcome == .running { outcome = engine.cycle() }
        engine.close()
    }

    private func publishOpening(_ result: AudioDeviceError?) {
        let waiters = progress.withLock { progress in
            progress.value.opening = .some(result)
            defer { progress.value.openWaiters = [] }
            return progress.value.openWaiters
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }
}

/// At file level: a closure formed in an actor's context would trap on a thread of its own.
private let audioThreadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
    guard let context else { return nil }
    Unmanaged<AudioThreadJob>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
