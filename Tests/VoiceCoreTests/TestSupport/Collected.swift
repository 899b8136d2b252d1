import Synchronization

/// Elements passed on by other threads, in order.
final class Collected<Element: Sendable>: Sendable {
    private let list = Mutex<[Element]>([])

    var all: [Element] { list.withLock { $0 } }

    func add(_ elements: [Element]) { list.withLock { $0 += elements } }
}
