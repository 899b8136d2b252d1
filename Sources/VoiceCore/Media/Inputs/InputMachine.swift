/// Decides when the sound of another program is heard: it begins when nothing else plays, gives way to the user's
/// orders, and comes back after them. After "stop" it stays silent until the program has paused. A pure value.
package struct InputMachine: Sendable, Equatable {
    package enum Event: Sendable, Equatable {
        /// There is sound in the FIFO of this input, which is not played.
        case sounds(String)
        /// The player plays this input, something else, or nothing.
        case plays(Playing)
        /// The user has ordered silence.
        case stopped
        /// The user has ordered this input.
        case asked(String)
    }

    package enum Playing: Sendable, Equatable {
        case nothing
        case input(String)
        case other
    }

    /// An input without sound for this long is silent.
    static let gap = Duration.seconds(2)
    /// After a pause of this length, an input that was stopped may begin again.
    static let pause = Duration.seconds(5)

    private var playing = Playing.nothing
    private var heard: [String: Duration] = [:]
    private var refused: Set<String> = []

    package init() {}

    /// - Returns: the input to play now.
    package mutating func handle(_ event: Event, at now: Duration) -> String? {
        switch event {
        case .sounds(let name):
            if let last = heard[name], now - last > Self.pause { refused.remove(name) }
            heard[name] = now
        case .plays(let next):
            playing = next
        case .stopped:
            if case .input(let name) = playing { heard[name] = now }
            refused.formUnion(heard.filter { now - $0.value <= Self.gap }.keys)
        case .asked(let name): refused.remove(name)
        }
        guard playing == .nothing else { return nil }
        return heard.filter { now - $0.value <= Self.gap && !refused.contains($0.key) }.max { $0.value < $1.value }?.key
    }
}
