internal import Synchronization

/// Runs tasks on a thread of its own, one step after another, so that long work between two waits delays no other task: Swift's
/// own threads are as few as the processor's cores.
///
///     try await withTaskExecutorPreference(executor) { ... }
///
/// The thread ends when nothing is left to run. If the system refuses one, Swift's threads run the step.
package final class ThreadExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isRunning = false
    }

    private let label: String
    private let state = Mutex(State())

    /// - Parameter label: the thread's name, at most 15 bytes.
    package init(_ label: String) { self.label = label }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst, !OwnThread.start(label, run) else { return }
        for job in next() { globalConcurrentExecutor.enqueue(job) }
    }

    private func run() {
        while true {
            let jobs = next()
            if jobs.isEmpty { return }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    private func next() -> [UnownedJob] {
        state.withLock { state in
            defer { state.jobs = [] }
            state.isRunning = !state.jobs.isEmpty
            return state.jobs
        }
    }
}
