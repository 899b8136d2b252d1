internal import VoiceBase

/// Loads the models of the second look. If a passing reason keeps them from being loaded, it tries again after the same
/// pauses as for the engines, beside the thread that it belongs to.
package final class SecondModelsLoader {
    package typealias Make = @Sendable () throws(WakeWordError) -> sending SecondModels

    private struct Loaded {
        var models: SecondModels?
        var problem: WakeWordError?

        init(_ make: Make) {
            do throws(WakeWordError) { models = try make() } catch { problem = error }
        }
    }

    private let make: Make
    private let now: () -> Duration
    private let start: TwoEars.Starter
    private var loading: Handover<Loaded>?
    private var pause = RetryPause()
    /// When it tries again; nil if it does not.
    private var retryAt: Duration?
    /// Why there are no models; nil if there are.
    package private(set) var problem: WakeWordError?

    /// - Parameter start: runs what loads them again. Work that outlives this object has no effect.
    package init(
        now: @escaping () -> Duration = { Monotonic.now() },
        start: @escaping TwoEars.Starter = { OwnThread.start("jv-wake-open", $0) },
        _ make: @escaping Make
    ) {
        self.make = make
        self.now = now
        self.start = start
    }

    /// Loads the models on this thread; returns nil if that fails.
    package func load() -> SecondModels? { take(Loaded(make)) }

    /// Returns the models, once, if an attempt after the first has loaded them.
    package func loadedLater() -> SecondModels? {
        if let loaded = loading?.take() {
            loading = nil
            return take(loaded)
        }
        if loading == nil, let retryAt, now() >= retryAt {
            let handover = Handover<Loaded>()
            if start({ [make] in handover.give(Loaded(make)) }) { loading = handover } else { wait() }
        }
        return nil
    }

    private func take(_ loaded: Loaded) -> SecondModels? {
        problem = loaded.problem
        if let problem, problem.cause.isPassing { wait() } else { retryAt = nil }
        return loaded.models
    }

    private func wait() { retryAt = now() + pause.take(isHeldUp: problem?.cause == .heldUp) }
}
