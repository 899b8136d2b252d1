internal import CLinux
internal import Glibc
internal import Synchronization

/// The audio thread: opens the devices, runs the engine's cycle until asked to stop or until a device is lost.
///
/// It owns everything it opens; `AudioPipes` is all it shares. After a loss (`pipes.state`) call `stop()` and start anew.
package final class AudioThread: Sendable {
    /// What the caller may want to tell the user once.
    package struct Report: Sendable, Equatable {
        /// The ALSA names that the configuration came to.
        package var capture: String
        package var playback: String
        /// Why the thread has no real-time priority; nil if it has, or none was asked for.
        package var realtimeRefused: Int32?
        /// Why memory is not locked; nil if it is, or was not to be.
        package var lockRefused: Int32?
    }

    private let pipes: AudioPipes
    private let job: AudioThreadJob
    package let report: Report

    private init(pipes: AudioPipes, job: AudioThreadJob, report: Report) {
        self.pipes = pipes
        self.job = job
        self.report = report
    }

    /// Starts the thread; returns when sound flows.
    package static func start(
        configuration: AudioConfiguration,
        pipes: AudioPipes
    ) async throws(AudioDeviceError) -> AudioThread {
        var report = Report(capture: "file", playback: "file")
        if case .alsa(let capture, let playback) = configuration.source {
            let entries = AudioDeviceCatalog.list()
            report.capture = try AudioDeviceCatalog.resolve(capture, direction: .capture, in: entries)
            report.playback = try AudioDeviceCatalog.resolve(playback, direction: .playback, in: entries)
        }
        if configuration.lockMemory {
            let refused = clinux_lock_memory()
            if refused != 0 { report.lockRefused = refused }
        }
        var resolved = configuration
        if case .alsa = configuration.source {
            resolved.source = .alsa(capture: report.capture, playback: report.playback)
        }
        let stop = clinux_eventfd()
        guard stop >= 0 else { throw .thread(errno: errno) }
        pipes.stopRequest.store(StopRequest.none, ordering: .releasing)
        pipes.publish(.starting)
        let job = AudioThreadJob(configuration: resolved, pipes: pipes, stop: stop)
        let refused = try job.launch(priority: configuration.realtimePriority)
        if refused != 0 { report.realtimeRefused = refused }
        if let error = await job.opened() {
            await job.finished()
            throw error
        }
        return AudioThread(pipes: pipes, job: job, report: report)
    }

    /// Ends the thread within a second and closes the devices.
    /// - Parameter drain: first play what is in the voice ring to its last sample, for at most 900 ms.
    package func stop(drain: Bool = false) async {
        if drain && pipes.state == .running {
            pipes.stopRequest.store(StopRequest.afterVoice, ordering: .releasing)
            for _ in 0..<90 where pipes.state == .running { try? await Task.sleep(for: .milliseconds(10)) }
        }
        pipes.stopRequest.store(StopRequest.atOnce, ordering: .releasing)
        job.wake()
        await job.finished()
    }
}
