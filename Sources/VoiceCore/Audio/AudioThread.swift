internal import CLinux
internal import Glibc
internal import VoiceBase

/// The audio thread: runs the engine's cycle until asked to stop, with the devices that are there.
///
/// ALSA's devices come to it by `ports.capture` and `ports.playback`, from `DeviceSupervisor`; files it opens itself.
package final class AudioThread: Sendable {
    /// What the caller may want to tell the user once.
    package struct Report: Sendable, Equatable {
        /// Why the thread has no real-time priority; nil if it has, or none was asked for.
        package var realtimeRefused: Int32?
        /// Why memory is not locked; nil if it is, or was not to be.
        package var lockRefused: Int32?
    }

    private let ports: AudioPorts
    private let job: AudioThreadJob
    package let report: Report

    private init(ports: AudioPorts, job: AudioThreadJob, report: Report) {
        self.ports = ports
        self.job = job
        self.report = report
    }

    /// Starts the thread; returns when its cycle runs.
    package static func start(
        configuration: AudioConfiguration,
        ports: AudioPorts
    ) async throws(AudioDeviceError) -> AudioThread {
        var report = Report()
        if configuration.lockMemory {
            let refused = clinux_lock_memory()
            if refused != 0 { report.lockRefused = refused }
        }
        let stop = clinux_eventfd()
        guard stop >= 0 else { throw .thread(errno: errno) }
        ports.requests.stop = .none
        ports.gauges.state = .starting
        let job = AudioThreadJob(configuration: configuration, ports: ports, stop: stop)
        let refused = try job.launch(priority: configuration.realtimePriority)
        if refused != 0 { report.realtimeRefused = refused }
        if let error = await job.opened() {
            await job.finished()
            throw error
        }
        return AudioThread(ports: ports, job: job, report: report)
    }

    /// Ends the thread within a second; ALSA's streams go back to whoever opened them.
    /// - Parameter drain: first play what is in the voice ring to its last sample, for at most 900 ms.
    package func stop(drain: Bool = false) async {
        if drain && ports.gauges.state == .running {
            ports.requests.stop = .afterVoice
            for _ in 0..<90 where ports.gauges.state == .running { try? await Task.sleep(for: .milliseconds(10)) }
        }
        ports.requests.stop = .atOnce
        job.wake()
        await job.finished()
    }
}
