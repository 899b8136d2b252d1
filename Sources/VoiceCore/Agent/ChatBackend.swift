/// Asks through `chat/completions`: one request, one reply; the server keeps the history.
///
/// Does not stream, since a server that repeats an attempt repeats its words in the stream without marking them. Closing
/// the connection ends the run. Prompts of the run appear only in the session state.
struct ChatBackend: JarvisBackend {
    /// Pause before the first look at the state and between looks.
    static let look = Duration.seconds(5)

    let connection: JarvisConnection
    let watchesPrompts: Bool

    func run(_ question: JarvisQuestion, onSign: @escaping @Sendable (JarvisSign) -> Void) async -> JarvisOutcome {
        let notice = Notice()
        var outcome = await withTaskGroup(of: JarvisOutcome?.self) { group in
            group.addTask { await ask(question, onSign) }
            if watchesPrompts {
                group.addTask {
                    await watch(question.sessionID, onSign)
                    return nil
                }
                group.addTask {
                    await clear(question, notice)
                    return nil
                }
            }
            defer { group.cancelAll() }
            while let ended = await group.next() {
                if let outcome = ended { return outcome }
            }
            return JarvisOutcome(.failure(.cancelled))
        }
        outcome.notice = notice.text
        guard Task.isCancelled else { return outcome }
        outcome.result = .failure(.cancelled)
        outcome.mayGoOn = await connection.withdraw(nil, in: question.sessionID, isDurable: false) == nil
        return outcome
    }

    private func ask(
        _ question: JarvisQuestion,
        _ onSign: @Sendable (JarvisSign) -> Void
    ) async -> JarvisOutcome {
        let message = connection.request.make(query: question.query, sessionID: question.sessionID)
        let first = JarvisReply.content(of: await connection.transport.exchange(message))
        guard first == .failure(.busy), !Task.isCancelled else { return JarvisOutcome(first) }
        _ = await connection.waitUntilIdle(question.sessionID)
        guard !Task.isCancelled else { return JarvisOutcome(.failure(.cancelled)) }
        onSign(.askedAgain)
        return JarvisOutcome(JarvisReply.content(of: await connection.transport.exchange(message)))
    }

    /// Clears the way for a question. Runs of this backend have no id, so one that has an id is in the way.
    private func clear(_ question: JarvisQuestion, _ notice: Notice) async {
        await connection.environment.expire(JarvisConnection.silenceBeforeLook)
        if !Task.isCancelled { _ = await connection.clearTheWay(for: question, notice) }
    }

    /// Watches the session state for prompts; ends when the server does not report its state.
    private func watch(_ session: String, _ onSign: @Sendable (JarvisSign) -> Void) async {
        var seen: Set<String> = []
        while true {
            await connection.environment.sleep(Self.look)
            guard !Task.isCancelled, let state = await connection.state(of: session) else { return }
            for prompt in state.prompts where state.activeRun == nil && seen.insert(prompt.id).inserted {
                onSign(.prompt(prompt))
            }
        }
    }
}
