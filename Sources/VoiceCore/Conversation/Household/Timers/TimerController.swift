package import VoiceBase

/// Runs the timer book: supplies the time and performs its effects.
///
///     tools, control socket, stop --> book --> bell, file, journal, inbox
package actor TimerController {
    /// The parts that the effects act on; none may block.
    package struct Parts: Sendable {
        /// Starts or stops the ringing.
        package var ring: @Sendable (Bool) -> Void = { _ in }
        package var remember: @Sendable (SavedTimers) -> Void = { _ in }
        package var tell: @Sendable (TimerNews) -> Void = { _ in }
        package var clock: @Sendable () -> ClockInstant = { .now() }
        package var sleep: @Sendable (Duration) async throws -> Void = { try await Sleep.for($0) }

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

    /// Sets all of them or none.
    package func set(_ wishes: [TimerWish]) throws(TimerProblem) -> [SetTimer] {
        guard book.count + wishes.count <= TimerBook.most else { throw .full }
        var set: [SetTimer] = []
        for wish in wishes {
            do throws(TimerProblem) {
                set.append(
                    try perform(.set(wish)) { if case .set(let set) = $0 { set } else { nil } }
                )
            } catch {
                for done in set { handle(.cancel(.named("\(done.number)"))) }
                throw error
            }
        }
        return set
    }

    /// - Returns: how many timers and alarms were cancelled; `what`: the alarm in words, where only its day was said.
    package func cancel(_ choice: TimerChoice) throws(TimerProblem) -> (count: Int, what: String?) {
        try perform(.cancel(choice)) { if case .cancelled(let count, let what) = $0 { (count, what) } else { nil } }
    }

    /// - Returns: what was changed, as it is now.
    package func change(_ choice: TimerChoice, _ change: TimerChange) throws(TimerProblem) -> [SetTimer] {
        try perform(.change(choice, change)) { if case .changed(let all) = $0 { all } else { nil } }
    }

    private func perform<Result>(_ event: TimerEvent, _ result: (TimerEffect) -> Result?) throws(TimerProblem) -> Result
    {
        for effect in handle(event) {
            if case .refused(let problem) = effect { throw problem }
            if let result = result(effect) { return result }
        }
        // Only a controller that has ended does nothing.
        throw .stopping
    }

    /// Checks the time now.
    package func look() { handle(.look) }

    /// Stops the ringing; returns false if nothing rang.
    @discardableResult
    package func stop() -> Bool {
        let rang = book.isRinging
        handle(.stop)
        return rang
    }

    /// One line per entry, in the order in which they are due.
    package var list: [String] { book.list(at: parts.clock()) }
    package var entries: [ListedTimer] { book.entries(at: parts.clock()) }
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
            case .set, .changed, .refused, .cancelled: break
            }
        }
        return effects
    }
}
