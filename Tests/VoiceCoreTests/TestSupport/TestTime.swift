import Synchronization

@testable import VoiceAgent

/// A clock controlled by the test: short sleeps elapse immediately, longer ones when the test says so.
final class TestTime: Sendable {
    private struct Sleeper {
        let id: Int
        let length: Duration
        let until: Duration
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Duration.zero
        var nextID = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())
    private let short: Duration

    /// Sleeps up to `short` advance the clock immediately.
    init(short: Duration = .seconds(4)) {
        self.short = short
    }

    var now: Duration { state.withLock { $0.now } }
    /// The times at which the sleepers wake.
    var alarms: [Duration] { state.withLock { $0.sleepers.map(\.until) } }

    func sleep(_ length: Duration) async { await wait(length, passes: length <= short) }

    /// A limit is reached only when the test says so, however short it is.
    func expire(_ length: Duration) async { await wait(length, passes: false) }

    private func wait(_ length: Duration, passes: Bool) async {
        let id = state.withLock { state -> Int? in
            if passes {
                state.now += length
                return nil
            }
            state.nextID += 1
            return state.nextID
        }
        guard let id else { return await Task.yield() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    let isOver = state.cancelled.remove(id) != nil
                    let until = state.now + length
                    if !isOver {
                        state.sleepers.append(
                            Sleeper(id: id, length: length, until: until, continuation: continuation)
                        )
                    }
                    return isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume()
        }
    }

    /// Waits until a sleep of this length begins, then lets that time elapse.
    func pass(_ length: Duration) async {
        while true {
            let due = state.withLock { state -> [Sleeper]? in
                guard let sleeper = state.sleepers.first(where: { $0.length == length }) else { return nil }
                state.now = max(state.now, sleeper.until)
                let due = state.sleepers.filter { $0.until <= state.now }
                state.sleepers.removeAll { $0.until <= state.now }
                return due
            }
            guard let due else {
                await Task.yield()
                continue
            }
            for sleeper in due { sleeper.continuation.resume() }
            return
        }
    }

    func environment(ids: [String] = ["1", "2", "3", "4", "5", "6", "7", "8"]) -> JarvisClient.Environment {
        let ids = TextSource(ids)
        return JarvisClient.Environment(
            now: { self.now },
            sleep: { await self.sleep($0) },
            expire: { await self.expire($0) },
            makeID: { ids.next() },
            wallClock: { 1_795_208_889 + Int(self.now.components.seconds) }
        )
    }
}
