/// Brings numbered packets of sound into order: late ones are waited for, what does not come is told as missing. Pure: it is
/// told the time.
///
/// A service counts its packets, within an answer or over all of them. An answer begins with the first packet, with the one
/// behind the last of an answer, and where the number falls: to 1, or by more than `fall`.
package struct PacketSequencer<Packet: Equatable & Sendable>: Equatable, Sendable {
    package enum Step: Equatable, Sendable {
        /// An answer begins: nothing of what follows belongs to what came before.
        case began
        /// The next in order.
        case packet(Packet)
        /// So many are missing before `next`; nil where nothing came behind them.
        case missing(Int, next: Packet?)
        /// The last packet of the answer was handed over.
        case ended
    }

    package struct Options: Equatable, Sendable {
        /// How long a gap is waited for.
        package var patience = Duration.milliseconds(120)
        /// A number that falls by more begins an answer; one that falls by less is late, or came twice.
        package var fall = 32
        /// More do not wait: the gap before them is given up.
        package var mostWaiting = 64
        /// Of a first number up to this, those before it are waited for as well.
        package var latestStart = 8
        /// For so long after an answer a copy of its first packet begins none.
        package var echo = Duration.seconds(1)

        package init() {}
    }

    private struct Waiting: Equatable, Sendable {
        var number: Int
        var packet: Packet
        var isLast: Bool
        var since: Duration
    }

    /// More messages than any service sends in a session: numbers above are taken for this one.
    private static var highest: Int { 1 << 40 }

    private let options: Options
    /// Behind the last that was handed over.
    private var expected: Int?
    /// In order, without repetitions.
    private var waiting: [Waiting] = []
    /// The packet with the number 1 of this answer.
    private var first: Packet?
    /// An answer has begun and not ended.
    package private(set) var isRunning = false
    private var endedAt: Duration?
    /// Packets that never came; that came too late, or once more after they were handed over; that came twice and waited.
    package private(set) var lost = 0
    package private(set) var late = 0
    package private(set) var repeated = 0

    package init(options: Options = Options()) { self.options = options }

    /// Packets that wait for one before them.
    package var waitingCount: Int { waiting.count }

    /// - Parameters:
    ///   - number: nil where the service does not count.
    ///   - isLast: of its answer.
    package mutating func take(_ packet: Packet, number: Int?, isLast: Bool = false, at now: Duration) -> [Step] {
        var steps: [Step] = []
        let number = min(max(0, number ?? waiting.last.map { $0.number + 1 } ?? expected ?? 1), Self.highest)
        if let expected, number < expected {
            guard begins(packet, number, expected, now) else {
                late += 1
                return release(now)
            }
            steps = finish(at: now)
            self.expected = nil
        }
        if expected == nil { expected = (2...options.latestStart).contains(number) ? 1 : number }
        let place = waiting.firstIndex { $0.number >= number } ?? waiting.count
        if place < waiting.count, waiting[place].number == number {
            repeated += 1
            return steps + release(now)
        }
        waiting.insert(Waiting(number: number, packet: packet, isLast: isLast, since: now), at: place)
        return steps + release(now)
    }

    /// Time has passed.
    package mutating func tick(at now: Duration) -> [Step] { waiting.isEmpty ? [] : release(now) }

    /// Nothing more comes of this answer: what waits is handed over, and the answer ends.
    package mutating func finish(at now: Duration) -> [Step] {
        var steps = release(now, isOver: true)
        if isRunning { steps += end(now) }
        return steps
    }

    /// Whether a number that has passed begins an answer.
    private func begins(_ packet: Packet, _ number: Int, _ expected: Int, _ now: Duration) -> Bool {
        if expected - number > options.fall { return true }
        guard number == 1 else { return false }
        if packet != first { return true }
        return endedAt.map { now - $0 >= options.echo } ?? false
    }

    private mutating func release(_ now: Duration, isOver: Bool = false) -> [Step] {
        var steps: [Step] = []
        while let next = waiting.first, let place = expected {
            let gap = next.number - place
            if gap > 0 {
                let since = waiting.reduce(next.since) { min($0, $1.since) }
                guard isOver || now - since >= options.patience || waiting.count > options.mostWaiting else { break }
                lost += gap
                // Before the first of an answer there is nothing that could go on.
                if isRunning { steps.append(.missing(gap, next: next.packet)) }
            }
            waiting.removeFirst()
            expected = next.number + 1
            if !isRunning {
                isRunning = true
                first = nil
                endedAt = nil
                steps.append(.began)
            }
            if next.number == 1 { first = next.packet }
            steps.append(.packet(next.packet))
            if next.isLast { steps += end(now) }
        }
        return steps
    }

    private mutating func end(_ now: Duration) -> [Step] {
        isRunning = false
        endedAt = now
        return [.ended]
    }
}
