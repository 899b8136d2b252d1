internal import Logging
import Synchronization
internal import VoiceBase

/// What all ways of asking share: requests, and what they do about runs that are in the way or are to end.
struct JarvisConnection: Sendable {
    /// How often a session that is busy is looked at, one second apart, before the question is sent again.
    static let busyLooks = 10
    /// How long a question may be without any reply before the session is looked at.
    static let silenceBeforeLook = Duration.seconds(2)
    /// How long the server has to confirm that a run has ended.
    static let withdrawalLimit = Duration.seconds(1)
    private static let pause = Duration.milliseconds(100)

    let request: JarvisRequest
    let transport: any JarvisTransport
    let environment: JarvisClient.Environment
    let logger: Logger
    /// What the run under way is doing.
    let board = ActivityBoard()

    func state(of session: String) async -> JarvisState? {
        JarvisState(await transport.exchange(request.state(session: session)))
    }

    /// Waits until no run is active in the session, for some seconds at most. A server that does not tell is given one
    /// second, which an abandoned run needs to end.
    func waitUntilIdle(_ session: String) async -> JarvisState? {
        for _ in 0..<Self.busyLooks {
            await environment.sleep(.seconds(1))
            guard !Task.isCancelled else { return nil }
            let state = await state(of: session)
            guard let state, state.isActive else { return state }
        }
        return nil
    }

    // MARK: Ending our own run

    /// Takes a run back and waits for the server's word that nothing is at work in the session any more. Goes on when the
    /// task is cancelled, and ends within `withdrawalLimit`.
    ///
    /// - Parameters:
    ///   - run: its id; nil where it is not known, or where it ends with its connection.
    ///   - isDurable: the run goes on without its connection. One without a known id is looked for.
    ///   - others: runs that are not ours.
    /// - Returns: the state of the session once it is idle; nil where that is not sure.
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
            logger.warning("Jarvis did not confirm that it has stopped", metadata: ["ms": "\(took)"])
        } else {
            logger.info("Jarvis has stopped", metadata: ["ms": "\(took)"])
        }
        return state
    }

    private func end(_ run: String?, in session: String, isDurable: Bool, others: Set<String>) async -> JarvisState? {
        var cancelled: Set<String> = others
        if let run {
            _ = await transport.exchange(request.cancel(run: run))
            cancelled.insert(run)
        }
        // A question that was given up on its way may become a run a moment later.
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

    /// What came of a look at what keeps a question waiting.
    enum Way: Sendable, Equatable {
        /// Nothing is in the way, or nothing is any more.
        case clear
        /// Somebody else is at work in the conversation.
        case busy(run: String?)
    }

    /// Ends what keeps a question from being taken, or gives up after `busyLooks` seconds.
    ///
    /// - Parameter notice: gets what the user is to be told, as soon as it is so: the question may be answered before this
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
                    "a run was left in the conversation with Jarvis and kept it waiting; it was ended",
                    metadata: ["run": "\(run.prefix(64))", "prompts": "\(state.prompts.count)"]
                )
            }
            await environment.sleep(seen == nil ? Self.pause : .seconds(1))
            seen = run
        }
        return .busy(run: seen)
    }

    /// Ends what an earlier life of this program may have left in the session.
    ///
    /// - Returns: nil where the server did not tell.
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

/// What the user is to hear before the next answer; written by one task and read by another.
final class Notice: Sendable {
    private let state = Mutex<String?>(nil)

    var text: String? { state.withLock { $0 } }

    func set(_ text: String) { state.withLock { $0 = text } }
}
