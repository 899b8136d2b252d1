import FuzzTargets

/// Feeds millions of events in any order to everything that is computed from them; a trap or a broken invariant ends
/// the run.
///
///     VoiceBench events [COUNT] [SEED]        10,000,000 events by default
struct EventRun {
    /// Number of events in one script; each script starts from an initial state.
    private static let scriptLength = 20_000

    private let count: Int
    private let seed: UInt64

    init?(_ arguments: [String]) {
        guard arguments.first == "events", arguments.count <= 3 else { return nil }
        let numbers = arguments.dropFirst().map { Int($0) ?? -1 }
        guard numbers.allSatisfy({ $0 >= 0 }) else { return nil }
        count = numbers.first ?? 10_000_000
        seed = UInt64(numbers.dropFirst().first ?? 1)
    }

    func run() {
        let clock = ContinuousClock()
        let start = clock.now
        var done = 0
        var kinds: [String: Int] = [:]
        var number = seed
        while done < count {
            var script = EventScript(seed: number)
            script.run(min(Self.scriptLength, count - done))
            done += script.count
            kinds.merge(script.kinds) { $0 + $1 }
            number &+= 1
        }
        let rarest = kinds.min { $0.value < $1.value }
        print("\(done) events of \(kinds.count) kinds in \(clock.now - start), nothing found")
        if let rarest { print("the rarest: \(rarest.key), \(rarest.value) times; seeds \(seed) to \(number &- 1)") }
    }
}
