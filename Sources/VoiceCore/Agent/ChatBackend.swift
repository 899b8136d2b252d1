internal import VoiceNetwork

/// Asks through `chat/completions`: one request, one reply; the server keeps the history.
///
/// Does not stream, since a server that repeats an attempt repeats its words in the stream without marking them. Closing
/// the connection ends the run. Prompts of the run appear only in the session state.
struct ChatBackend: JarvisBackend {
    /// Pause before the first look at the state and between looks.
    static let look = Duration.seconds(5)

    let connection: JarvisConnection

    private enum Step: Sendable {
        case replied(JarvisResponse)
        /// The session that was busy is idle.
        case idle
        /// The state of the session; nil if the server does not report it.
        case seen(JarvisState?)
        case cleared
    }

    nonisolated(nonsending) func run(_ question: JarvisQuestion, onSign: (JarvisSign) -> Void) async -> JarvisOutcome {
        let notice = Notice()
        var outcome = await ask(question, notice, onSign)
        outcome.notice = notice.text
        if outcome.mayBeLength { outcome.hasWorked = await connection.hasWorked(on: question) }
        guard Task.isCancelled else { return outcome }
        outcome.result = .failure(.cancelled)
        outcome.mayGoOn = await connection.withdraw(nil, in: question.sessionID, isDurable: false) == nil
        return outcome
    }

    nonisolated(nonsending) private func ask(
        _ question: JarvisQuestion,
        _ notice: Notice,
        _ onSign: (JarvisSign) -> Void
    ) async -> JarvisOutcome {
        let message = connection.request.make(query: question.query, sessionID: question.sessionID)
        let post: @Sendable () async -> Step = { .replied(await connection.transport.exchange(message)) }
        // Prompts show in the state only.
        let watch: @Sendable () async -> Step = {
            await connection.environment.sleep(Self.look)
            return .seen(Task.isCancelled ? nil : await connection.state(of: question.sessionID))
        }
        return await withTaskGroup(of: Step.self) { group in
            group.addTask(operation: post)
            group.addTask(operation: watch)
            group.addTask { await clear(question, notice) }
            defer { group.cancelAll() }
            var hasWaited = false
            var seen: Set<String> = []
            for await step in group {
                switch step {
                case .replied(let reply):
                    let outcome = connection.outcome(of: reply, runsTools: true, onSign)
                    guard case .failure(let failure) = outcome.result, !hasWaited, !Task.isCancelled else {
                        return outcome
                    }
                    let pause = failure.pauseBeforeRepeating
                    guard failure == .busy || pause != nil else { return outcome }
                    hasWaited = true
                    group.addTask {
                        if let pause {
                            await connection.environment.sleep(pause)
                        } else {
                            _ = await connection.waitUntilIdle(question.sessionID)
                        }
                        return .idle
                    }
                case .idle:
                    onSign(.askedAgain)
                    group.addTask(operation: post)
                case .seen(let state?):
                    for prompt in state.prompts where state.activeRun == nil && seen.insert(prompt.id).inserted {
                        onSign(.prompt(prompt))
                    }
                    group.addTask(operation: watch)
                case .seen(nil), .cleared: break
                }
            }
            return JarvisOutcome(.failure(.cancelled))
        }
    }

    /// Clears the way for a question. Runs of this backend have no id, so one that has an id is in the way.
    private func clear(_ question: JarvisQuestion, _ notice: Notice) async -> Step {
        await connection.environment.expire(JarvisConnection.silenceBeforeLook)
        if !Task.isCancelled { _ = await connection.clearTheWay(for: question, notice) }
        return .cleared
    }
}
