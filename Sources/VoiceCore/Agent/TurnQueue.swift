/// Lets one question through at a time. Belongs to an actor and is used only from within it.
struct TurnQueue {
    /// Resumed with nil when the turn has come, otherwise with the reason why it never will.
    typealias Waiter = CheckedContinuation<JarvisFailure?, Never>

    private var isTaken = false
    private var nextTicket = 0
    private var waiting: [(ticket: Int, continuation: Waiter)] = []
    private let maximumWaiting: Int

    init(maximumWaiting: Int) {
        self.maximumWaiting = maximumWaiting
    }

    mutating func makeTicket() -> Int {
        nextTicket += 1
        return nextTicket
    }

    /// Resumes the continuation now or when the turn comes. A caller granted a turn must `finish` it.
    mutating func enter(_ ticket: Int, isCancelled: Bool, continuation: Waiter) {
        if isCancelled {
            continuation.resume(returning: .cancelled)
        } else if !isTaken {
            isTaken = true
            continuation.resume(returning: nil)
        } else if waiting.count < maximumWaiting {
            waiting.append((ticket, continuation))
        } else {
            continuation.resume(returning: .tooManyQuestions)
        }
    }

    mutating func finish() {
        guard !waiting.isEmpty else {
            isTaken = false
            return
        }
        waiting.removeFirst().continuation.resume(returning: nil)
    }

    /// Ends the wait of a cancelled caller; does nothing if it is not waiting.
    mutating func abandon(_ ticket: Int) {
        guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return }
        waiting.remove(at: index).continuation.resume(returning: .cancelled)
    }

    /// Ends all waits; returns how many there were.
    @discardableResult
    mutating func abandonAll(as failure: JarvisFailure) -> Int {
        defer { waiting = [] }
        for caller in waiting { caller.continuation.resume(returning: failure) }
        return waiting.count
    }
}
