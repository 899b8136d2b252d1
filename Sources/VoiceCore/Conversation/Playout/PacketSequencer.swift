/// Brings numbered audio packets into order: waits for late ones, and reports those that never arrive as missing. Pure: the
/// caller passes in the time.
///
/// A service numbers its packets within an answer or across all of them. An answer begins with the first packet, with the
/// packet after the last of an answer, and when the number falls to 1 or by more than `fall`.
package struct PacketSequencer<Packet: Equatable & Sendable>: Equatable, Sendable {
    package enum Step: Equatable, Sendable {
        /// An answer begins: nothing that follows belongs to the previous one.
        case began
        /// The next packet in order.
        case packet(Packet)
        /// This many packets are missing before `next`; nil if none followed them.
        case missing(Int, next: Packet?)
        /// The last packet of the answer was handed over.
        case ended
    }

    /// A number that falls by more begins an answer; one that falls by less is late or a duplicate.
    private static var fall: Int { 32 }
    /// Maximum number of waiting packets: beyond it the gap before them is given up.
    private static var mostWaiting: Int { 64 }
    /// If the first number is at most this, packets before it are waited for as well.
    private static var latestStart: Int { 8 }
    /// How long after an answer a copy of its first packet does not begin another.
    private static var echo: Duration { .seconds(1) }

    private struct Waiting: Equatable, Sendable {
        var number: Int
        var packet: Packet
        var isLast: Bool
        var since: Duration
    }

    /// More messages than any service sends in a session: higher numbers are clamped to it.
    private static var highest: Int { 1 << 40 }

    /// How long to wait for a missing packet.
    private let patience: Duration
    /// The number after the last packet handed over.
    private var expected: Int?
    /// In order, without duplicates.
    private var waiting: [Waiting] = []
    /// Packet 1 of this answer.
    private var first: Packet?
    /// An answer has begun and not yet ended.
    package private(set) var isRunning = false
    private var endedAt: Duration?
    /// Packets that never arrived.
    package private(set) var lost = 0

    package init(patience: Duration = .milliseconds(120)) { self.patience = patience }

    /// - Parameters:
    ///   - number: nil if the service does not number its packets.
    ///   - isLast: whether it ends its answer.
    package mutating func receive(_ packet: Packet, number: Int?, isLast: Bool = false, at now: Duration) -> [Step] {
        var steps: [Step] = []
        let number = min(max(0, number ?? waiting.last.map { $0.number + 1 } ?? expected ?? 1), Self.highest)
        if let expected, number < expected {
            guard begins(packet, number, expected, now) else { return release(now) }
            steps = finish(at: now)
            self.expected = nil
        }
        if expected == nil { expected = (2...Self.latestStart).contains(number) ? 1 : number }
        let place = waiting.firstIndex { $0.number >= number } ?? waiting.count
        if place == waiting.count || waiting[place].number != number {
            waiting.insert(Waiting(number: number, packet: packet, isLast: isLast, since: now), at: place)
        }
        return steps + release(now)
    }

    /// Returns what is due by `now`.
    package mutating func tick(at now: Duration) -> [Step] { waiting.isEmpty ? [] : release(now) }

    /// Ends the answer: hands over what is waiting.
    package mutating func finish(at now: Duration) -> [Step] {
        var steps = release(now, isOver: true)
        if isRunning { steps += end(now) }
        return steps
    }

    /// Whether a packet with a number already passed begins an answer.
    private func begins(_ packet: Packet, _ number: Int, _ expected: Int, _ now: Duration) -> Bool {
        if expected - number > Self.fall { return true }
        guard number == 1 else { return false }
        if packet != first { return true }
        return endedAt.map { now - $0 >= Self.echo } ?? false
    }

    private mutating func release(_ now: Duration, isOver: Bool = false) -> [Step] {
        var steps: [Step] = []
        while let next = waiting.first, let place = expected {
            let gap = next.number - place
            if gap > 0 {
                let since = waiting.reduce(next.since) { min($0, $1.since) }
                guard isOver || now - since >= patience || waiting.count > Self.mostWaiting else { break }
                lost += gap
                // Before the first packet of an answer there is nothing to conceal.
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
        assert(waiting.count <= Self.mostWaiting, "more packets wait than may")
        return steps
    }

    private mutating func end(_ now: Duration) -> [Step] {
        isRunning = false
        endedAt = now
        return [.ended]
    }
}
