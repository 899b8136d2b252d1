internal import Logging
import Synchronization
internal import VoiceBase
internal import VoiceNetwork

/// What all backends share: requests, and the handling of runs that are in the way or must end.
struct JarvisConnection: Sendable {
    /// How often a busy session is polled, one second apart, before the question is sent again.
    static let busyLooks = 10
    /// How long a question may go without any reply before the session is checked.
    static let silenceBeforeLook = Duration.seconds(2)
    /// How long the server has to confirm that a run has ended.
    static let withdrawalLimit = Duration.seconds(1)
    private static let pause = Duration.milliseconds(100)

    let request: JarvisRequest
    let transport: any JarvisTransport
    let environment: JarvisClient.Environment
    let logger: Logger
    /// The activity of the current run.
    let board = ActivityBoard()

    func state(of session: String) async -> JarvisState? {
        JarvisState(await transport.exchange(request.state(session: session)))
    }

    /// Waits until no run is active in the session, for some seconds at most. A server that does not report its state is
    /// given one second, which an abandoned run needs to end.
    func waitUntilIdle(_ session: String) async -> JarvisState? {
        for _ in 0..<Self.busyLooks {
            await environment.sleep(.seconds(1))
            guard !Task.isCancelled else { return nil }
            let state = await state(of: session)
            guard let state, state.isActive else { return state }
        }
        return nil
    }

    /// The outcome of a question whose reply came as a whole.
    func outcome(
        of reply: JarvisResponse,
        runsTools: Bool = false,
        _ onSign: (JarvisSign) -> Void
    ) -> JarvisOutcome {
        var outcome = JarvisOutcome(JarvisReply.content(of: reply, runsTools: runsTools))
        if case .success(let response) = reply, let timings = response.timings {
            let (now, present) = (Monotonic.now(), ContinuousClock.now)
            onSign(.sent(at: now - (present - timings.requestSent)))
            outcome.replied = now - (present - timings.finished)
        }
        return outcome
    }

    /// Whether the server's record shows that a question led to more than words.
    func hasWorked(on question: JarvisQuestion) async -> Bool {
        let record = JarvisRecord(await transport.exchange(request.messages(session: question.sessionID)))
        return record.showsWork(on: question.query)
    }

    // MARK: Ending our own run

    /// Withdraws a run and waits for the server to confirm that nothing is active in the session any more. Continues when
    /// the task is cancelled, and ends within `withdrawalLimit`.
    ///
    /// - Parameters:
    ///   - run: its id; nil if it is unknown or the run ends with its connection.
    ///   - isDurable: whether the run outlives its connection. One without a known id is searched for.
    ///   - others: runs that are not ours.
    /// - Returns: the state of the session once it is idle; nil if that is uncertain.
    func withdraw(
        _ run: String?,
        in session: String,
        isDurable: Bool,
        others: Set<String> = []
    ) async -> JarvisState? {
        let started = environment.now()
        let work = Task.detached {
            await TimeLimit.run(Self.withdrawalLimit, sleep: environment.expire) {
                await end(run, in: session, isDurable: isDurable, others: others)
            }
        }
        let state = await work.value ?? nil
        let took = (environment.now() - started).milliseconds
        if state == nil {
            logger.warning("Jarvis did not confirm that it has stopped", metadata: ["ms": .public(took)])
        } else {
            logger.info("Jarvis has stopped", metadata: ["ms": .public(took)])
        }
        return state
    }

    private func end(_ run: String?, in session: String, isDurable: Bool, others: Set<String>) async -> JarvisState? {
        var cancelled: Set<String> = others
        if let run {
            _ = await transport.exchange(request.cancel(run: run))
            cancelled.insert(run)
        }
        // A question abandoned in transit may become a run a moment later.
        var quietLooks = run == nil && isDurable ? 2 : 1
        for _ in 0..<10 {
            guard let state = await state(of: session) else { return nil }
            if let active = state.activeRun, !isDurable || others.contains(active) { return state }
            if !state.isActive {
                quietLooks -= 1
                if quietLooks == 0 { return state }
            } else if let active = state.activeRun, isDurable, cancelled.insert(active).inserted {
                _ = await transport.exchange(request.cancel(run: active))
                continue
            } else if state.activeRun == nil, !isDurable {
                await refuse(state.prompts, in: session)
            }
            await environment.sleep(Self.pause)
            if Task.isCancelled { return nil }
        }
        return nil
    }

    // MARK: Runs in the way

    /// The reason why a question waits.
    enum Way: Sendable, Equatable {
        /// The question need not wait.
        case clear
        /// Another client is active in the conversation.
        case busy(run: String?)
    }

    /// Ends what keeps a question from being accepted, or gives up after `busyLooks` seconds.
    ///
    /// - Parameter notice: receives the notice for the user first, since the question may be answered before this
    ///   returns.
    func clearTheWay(for question: JarvisQuestion, _ notice: Notice) async -> Way {
        var seen: String?
        for _ in 0..<Self.busyLooks {
            guard !Task.isCancelled, let state = await state(of: question.sessionID), let run = state.activeRun else {
                return .clear
            }
            // The first look may show our own run, whose reply is on its way.
            if run == seen, case .cancel(let run) = StrayRun(state, isLeftOver: question.mayFindLeftOvers) {
                _ = await transport.exchange(request.cancel(run: run))
                notice.set(StrayRun.notice(hadPrompt: !state.prompts.isEmpty))
                logger.notice(
                    "a run left over in the conversation with Jarvis blocked it and was ended",
                    metadata: ["run": "\(run.prefix(64))", "prompts": .public(state.prompts.count)]
                )
            }
            await environment.sleep(seen == nil ? Self.pause : .seconds(1))
            seen = run
        }
        return .busy(run: seen)
    }

    /// Ends what an earlier process may have left in the session.
    ///
    /// - Returns: nil if the server did not report its state.
    func sweep(_ session: String, _ notice: Notice) async -> Way? {
        guard let state = await state(of: session) else { return nil }
        switch StrayRun(state, isLeftOver: true) {
        case .none: return .clear
        case .wait: return .busy(run: state.activeRun)
        case .cancel(let run):
            guard await withdraw(run, in: session, isDurable: true) != nil else { return nil }
            notice.set(StrayRun.notice(hadPrompt: !state.prompts.isEmpty))
            return .clear
        case .refuse(let prompts):
            await refuse(prompts, in: session)
            notice.set(StrayRun.notice(hadPrompt: true))
            return .clear
        }
    }

    private func refuse(_ prompts: [JarvisPrompt], in session: String) async {
        for prompt in prompts { _ = await transport.exchange(request.reply(prompt.refusal, session: session)) }
    }
}

/// A notice for the user, to be heard before the next answer; written by one task and read by another.
final class Notice: Sendable {
    private let state = Mutex<String?>(nil)

    var text: String? { state.withLock { $0 } }

    func set(_ text: String) { state.withLock { $0 = text } }
}
