package import VoiceBase

/// Runs the timer book: supplies the time and performs its effects.
///
///     tools, control socket, stop --> book --> bell, file, journal, inbox
package actor TimerController {
    /// What the effects act on; none of it may block.
    package struct Parts: Sendable {
        /// Starts or stops the ringing.
        package var ring: @Sendable (Bool) -> Void = { _ in }
        package var remember: @Sendable (SavedTimers) -> Void = { _ in }
        package var tell: @Sendable (TimerNews) -> Void = { _ in }
        package var clock: @Sendable () -> ClockInstant = { .now() }
        package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

        package init() {}
    }

    private let parts: Parts
    private var book: TimerBook
    private var next = NextLook()
    private var isOver = false

    package init(_ parts: Parts, boot: String = "") {
        self.parts = parts
        book = TimerBook(boot: boot)
    }

    /// Starts with the saved timers and alarms.
    package func start(_ saved: SavedTimers) { handle(.restored(saved)) }

    /// Stops without a change: what rings or is set continues after the next start.
    package func end() {
        isOver = true
        next.cancel()
        if book.isRinging { parts.ring(false) }
    }

    package func set(_ wish: TimerWish) throws(TimerProblem) -> SetTimer {
        for effect in handle(.set(wish)) {
            switch effect {
            case .set(let set): return set
            case .refused(let problem): throw problem
            default: break
            }
        }
        // Only a controller that has ended does nothing.
        throw .stopping
    }

    /// - Returns: how many timers and alarms were cancelled; `what`: the alarm in words, where only its day was said.
    package func cancel(_ choice: TimerChoice) throws(TimerProblem) -> (count: Int, what: String?) {
        for effect in handle(.cancel(choice)) {
            switch effect {
            case .cancelled(let count, let what): return (count, what)
            case .refused(let problem): throw problem
            default: break
            }
        }
        throw .stopping
    }

    /// Stops the ringing; returns false if nothing rang.
    @discardableResult
    package func stop() -> Bool {
        let rang = book.isRinging
        handle(.stop)
        return rang
    }

    /// One line per entry, in the order in which they are due.
    package var list: [String] { book.list(at: parts.clock()) }
    package var count: Int { book.count }
    package var isRinging: Bool { book.isRinging }

    @discardableResult
    private func handle(_ event: TimerEvent) -> [TimerEffect] {
        guard !isOver else { return [] }
        let effects = book.handle(event, at: parts.clock())
        for effect in effects {
            switch effect {
            case .ring(let rings): parts.ring(rings)
            case .remember(let saved): parts.remember(saved)
            case .tell(let news): parts.tell(news)
            case .lookAfter(let pause):
                next.plan(after: pause, sleep: parts.sleep) { [weak self] in await self?.handle(.look) }
            case .set, .refused, .cancelled: break
            }
        }
        return effects
    }
}
