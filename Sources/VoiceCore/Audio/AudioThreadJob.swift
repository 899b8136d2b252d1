internal import CLinux
internal import Glibc
internal import Synchronization
internal import VoiceBase

/// The body of the audio pthread and the promises that report its progress.
final class AudioThreadJob: Sendable {
    private let configuration: AudioConfiguration
    private let ports: AudioPorts
    private let thread = Mutex<OwnThread?>(nil)
    /// Resolved once the devices are open or have failed to open.
    private let opening = Promise<AudioDeviceError?>()
    private let ended = Promise<Void>()

    init(configuration: AudioConfiguration, ports: AudioPorts) {
        self.configuration = configuration
        self.ports = ports
    }

    /// Starts the thread. Returns the errno with which real-time scheduling was refused, or 0.
    func launch(priority: Int) throws(AudioDeviceError) -> Int32 {
        do throws(SystemError) {
            let thread = try OwnThread("jv-audio", priority: priority) { self.run() }
            self.thread.withLock { $0 = thread }
            return thread.realtimeRefused
        } catch {
            throw .thread(errno: error.code)
        }
    }

    func wake() { ports.waker.interrupt() }

    /// Waits until the devices are open; returns the error if they are not.
    func opened() async -> AudioDeviceError? { await opening.wait() }

    /// Waits for the thread to end and joins it. By then the thread has nothing left to do, so the join does not block.
    func finished() async {
        await ended.wait()
        thread.withLock { $0 }?.join()
    }

    /// The body of the thread.
    private func run() {
        var failure: AudioDeviceError?
        do {
            switch configuration.source {
            case .alsa:
                let device = ALSADevice(
                    microphone: ports.capture, loudspeaker: ports.playback, bufferPeriods: configuration.bufferPeriods,
                    waker: ports.waker.descriptor
                )
                try loop(device)
            case .file(let room):
                try loop(FileDevice(room: room, bufferPeriods: configuration.bufferPeriods))
            }
        } catch {
            failure = error
        }
        if let failure { opening.give(failure) }
        ports.gauges.state = .stopped
        ports.bell.ring()
        ended.give(())
    }

    private func loop<Device: DuplexDevice & ~Copyable>(_ device: consuming Device) throws(AudioDeviceError) {
        var engine = try AudioEngine(device: device, ports: ports, configuration: configuration)
        engine.start()
        ports.gauges.state = .running
        opening.give(nil)
        // The request to stop may be older than the thread.
        if !engine.stopIsDue() {
            while engine.cycle() {}
        }
        engine.close()
    }
}
