internal import CLinux
internal import Glibc
internal import VoiceBase

/// The audio thread: runs the engine's cycle with the available devices until asked to stop.
///
/// ALSA devices arrive from `DeviceSupervisor` through `ports.capture` and `ports.playback`; the thread opens files itself.
package final class AudioThread: Sendable {
    /// The facts that the caller may report to the user once.
    package struct Report: Sendable, Equatable {
        /// errno with which real-time priority was refused; nil if it was granted or not requested.
        package var realtimeRefused: Int32?
        /// errno with which locking of memory was refused; nil if it was granted or not requested.
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

    /// Starts the thread; returns once its devices are open. It runs no cycle if `ports.requests.stop` asks it to stop by then.
    package static func start(
        configuration: AudioConfiguration,
        ports: AudioPorts
    ) async throws(AudioDeviceError) -> AudioThread {
        var report = Report()
        if configuration.lockMemory {
            let refused = clinux_lock_memory()
            if refused != 0 { report.lockRefused = refused }
        }
        guard ports.waker.descriptor >= 0 else { throw .thread(errno: EMFILE) }
        ports.gauges.state = .starting
        let job = AudioThreadJob(configuration: configuration, ports: ports)
        let refused: Int32
        do throws(AudioDeviceError) {
            refused = try job.launch(priority: configuration.realtimePriority)
        } catch {
            // Then the supervisor tries again.
            ports.gauges.state = .stopped
            throw error
        }
        if refused != 0 { report.realtimeRefused = refused }
        if let error = await job.opened() {
            await job.finished()
            throw error
        }
        return AudioThread(ports: ports, job: job, report: report)
    }

    /// Ends the thread within a second; ALSA streams go back to the supervisor that opened them.
    /// - Parameter drain: whether to play the voice ring to its last sample first, for at most 900 ms.
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
