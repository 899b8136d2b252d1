internal import CLinux
internal import Glibc
internal import Synchronization
internal import VoiceBase

/// The audio thread: runs the engine's cycle until asked to stop, with the devices that are there.
///
/// ALSA's devices come to it by `pipes.capture` and `pipes.playback`, from `DeviceKeeper`; files it opens itself.
package final class AudioThread: Sendable {
    /// What the caller may want to tell the user once.
    package struct Report: Sendable, Equatable {
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

    /// Starts the thread; returns when its cycle runs.
    package static func start(
        configuration: AudioConfiguration,
        pipes: AudioPipes
    ) async throws(AudioDeviceError) -> AudioThread {
        var report = Report()
        if configuration.lockMemory {
            let refused = clinux_lock_memory()
            if refused != 0 { report.lockRefused = refused }
        }
        let stop = clinux_eventfd()
        guard stop >= 0 else { throw .thread(errno: errno) }
        pipes.stopRequest.store(StopRequest.none, ordering: .releasing)
        pipes.publish(.starting)
        let job = AudioThreadJob(configuration: configuration, pipes: pipes, stop: stop)
        let refused = try job.launch(priority: configuration.realtimePriority)
        if refused != 0 { report.realtimeRefused = refused }
        if let error = await job.opened() {
            await job.finished()
            throw error
        }
        return AudioThread(pipes: pipes, job: job, report: report)
    }

    /// Ends the thread within a second; ALSA's streams go back to whoever opened them.
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
