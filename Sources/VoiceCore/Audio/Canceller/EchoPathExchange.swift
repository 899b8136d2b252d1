internal import Synchronization

/// Lock-free exchange of echo paths with the audio thread: one fixed buffer for one path in each direction.
///
///     RoomMemory --earlier path--> audio thread      at a start, for a trial
///     RoomMemory <--present path-- audio thread      on request
package final class EchoPathExchange: Sendable {
    private static let capacity = 16_384

    private let before = SampleRing<Float>(capacity: capacity, filling: 0)
    private let now = SampleRing<Float>(capacity: capacity, filling: 0)
    /// The bias of each path, written before it.
    private let beforeBias = Published(0.0)
    private let nowBias = Published(0.0)
    private let isWanted = Atomic<Bool>(false)

    // MARK: Audio thread

    /// Takes the earlier path into `path`, which holds `RememberedRoom.pathFrames`; returns its bias, or nil if there is
    /// none.
    func takeBefore(into path: UnsafeMutablePointer<Float>) -> Double? {
        let count = RememberedRoom.pathFrames
        guard before.availableToRead >= count else { return nil }
        let bias = beforeBias.value
        return before.read(into: path, count: count) == count ? bias : nil
    }

    /// Whether the present path is requested.
    var isAsked: Bool { isWanted.load(ordering: .acquiring) }

    /// Hands over the present path.
    func handOver(_ path: UnsafePointer<Float>, bias: Double) {
        isWanted.store(false, ordering: .relaxed)
        guard now.availableToRead == 0 else { return }
        nowBias.value = bias
        now.write(path, count: RememberedRoom.pathFrames)
    }

    // MARK: RoomMemory

    /// Offers an earlier path, unless another one has not been taken yet.
    package func offer(_ room: RememberedRoom) {
        guard before.availableToRead == 0, room.path.count == RememberedRoom.pathFrames else { return }
        beforeBias.value = room.bias
        room.path.withUnsafeBufferPointer { path in
            if let base = path.baseAddress { before.write(base, count: path.count) }
        }
    }

    package func ask() { isWanted.store(true, ordering: .releasing) }

    /// Withdraws the request and drops an answer that has arrived.
    func dropAnswer() {
        isWanted.store(false, ordering: .releasing)
        now.skip(to: now.writePosition)
    }

    /// Takes the answer, if it has arrived.
    package func takeAnswer() -> (path: [Float], bias: Double)? {
        let count = RememberedRoom.pathFrames
        guard now.availableToRead >= count else { return nil }
        let bias = nowBias.value
        let path = [Float](unsafeUninitializedCapacity: count) { samples, taken in
            taken = samples.baseAddress.map { now.read(into: $0, count: count) } ?? 0
        }
        return path.count == count ? (path, bias) : nil
    }
}
