internal import Synchronization

/// Echo paths on their way to the audio thread and from it, without locks: each through a fixed buffer that holds one.
///
///     RoomMemory --the path of before--> audio thread      at a start, to be tried
///     RoomMemory <--the path of now----- audio thread      when it is asked for
package final class EchoPathExchange: Sendable {
    private static let capacity = 16_384

    private let before = SampleRing<Float>(capacity: capacity, filling: 0)
    private let beforeBias = Atomic<UInt64>(0)
    private let now = SampleRing<Float>(capacity: capacity, filling: 0)
    private let nowBias = Atomic<UInt64>(0)
    private let isWanted = Atomic<Bool>(false)
    private let beginningCount = Atomic<UInt64>(0)
    private let isRecalledNow = Atomic<Bool>(false)

    package init() {}

    // MARK: Audio thread

    /// Nothing is known of the echo (any more): another device, perhaps.
    func began() { beginningCount.wrappingAdd(1, ordering: .releasing) }

    /// Takes the path of before into `path`, which holds `RememberedRoom.pathFrames`; returns the bias that belongs to it.
    func takeBefore(into path: UnsafeMutablePointer<Float>) -> Double? {
        let count = RememberedRoom.pathFrames
        guard before.availableToRead >= count else { return nil }
        let bias = Double(bitPattern: beforeBias.load(ordering: .relaxed))
        return before.read(into: path, count: count) == count ? bias : nil
    }

    /// Whether the path of now is asked for.
    var isAsked: Bool { isWanted.load(ordering: .acquiring) }

    /// Hands over the path of now.
    func handOver(_ path: UnsafePointer<Float>, bias: Double) {
        isWanted.store(false, ordering: .relaxed)
        guard now.availableToRead == 0 else { return }
        nowBias.store(bias.bitPattern, ordering: .relaxed)
        now.write(path, count: RememberedRoom.pathFrames)
    }

    /// Tells whether the path of before was found to be the right one.
    func publish(isRecalled: Bool) { isRecalledNow.store(isRecalled, ordering: .relaxed) }

    // MARK: RoomMemory

    /// How often what was known of the echo has become void, the start included.
    var beginnings: UInt64 { beginningCount.load(ordering: .acquiring) }
    var isRecalled: Bool { isRecalledNow.load(ordering: .relaxed) }

    /// Offers a path of before, unless another one has not been taken yet.
    package func offer(_ room: RememberedRoom) {
        guard before.availableToRead == 0, room.path.count == RememberedRoom.pathFrames else { return }
        beforeBias.store(room.bias.bitPattern, ordering: .relaxed)
        room.path.withUnsafeBufferPointer { path in
            if let base = path.baseAddress { before.write(base, count: path.count) }
        }
    }

    package func ask() { isWanted.store(true, ordering: .releasing) }

    /// Withdraws the question; an answer that came is dropped.
    func dropAnswer() {
        isWanted.store(false, ordering: .releasing)
        now.skip(to: now.writePosition)
    }

    /// The answer, if it has come.
    package func takeAnswer() -> (path: [Float], bias: Double)? {
        let count = RememberedRoom.pathFrames
        guard now.availableToRead >= count else { return nil }
        let bias = Double(bitPattern: nowBias.load(ordering: .relaxed))
        let path = [Float](unsafeUninitializedCapacity: count) { samples, taken in
            taken = samples.baseAddress.map { now.read(into: $0, count: count) } ?? 0
        }
        return path.count == count ? (path, bias) : nil
    }
}
