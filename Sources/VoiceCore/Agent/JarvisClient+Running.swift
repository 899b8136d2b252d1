internal import Logging
internal import VoiceBase
internal import VoiceNetwork
internal import VoiceReply

/// Operations on the current request and on the last one.
extension JarvisClient {
    /// The result of a wish to forget the last turn.
    package enum Undo: Sendable, Equatable {
        case forgotten
        case nothing
        case impossible
    }

    /// Adds a remark to the request Jarvis is working on.
    ///
    /// A request is at work for this box as soon as it is sent; the server counts it only once it has begun. A remark that
    /// falls between the two is offered again for a second.
    ///
    /// - Returns: nil once the server has accepted it.
    package func add(_ remark: String) async -> JarvisFailure? {
        guard settings.api.isTermLLM, let run = active else { return .notAddable }
        var attemptsLeft = 5
        while true {
            attemptsLeft -= 1
            switch await transport.exchange(request.interrupt(remark, session: run.sessionID)) {
            case .success(let response) where response.status == 200:
                sent.append(remark)
                logger.info(
                    "a remark was added to the running request", metadata: ["bytes": .public(remark.utf8.count)]
                )
                return nil
            // Not begun yet, or ended between our look and the server's.
            case .success(let response) where [404, 405, 409].contains(response.status):
                guard attemptsLeft > 0 else { return .notAddable }
                await environment.sleep(.milliseconds(250))
                guard active?.number == run.number else { return .notAddable }
            case .success(let response): return JarvisReply.failure(of: response)
            case .failure(let failure): return failure.withoutRun
            }
        }
    }

    /// Describes the progress of the current request, shaped for speech; nil if nothing is running.
    ///
    /// The agent is asked beside its run, with the activity that is known here, because it answers that question
    /// without tools. If it cannot be asked, that activity is the answer.
    package func progress() async -> String? {
        guard let run = active else { return nil }
        if let pending { return pending.prompt.asked(as: pending.number).forModel }
        let seconds = (environment.now() - run.started).components.seconds
        let doing = activity.map { "at the moment it is \($0)" } ?? "what it does at the moment cannot be seen"
        let seen = name.told("Jarvis has been at work for \(seconds) seconds; ") + "\(doing)."
        guard settings.api.isTermLLM else { return seen }
        let question = """
            The user asks by voice how far you are with the present request. What the voice box sees: \(seen) Answer in one \
            or two short spoken sentences, without Markdown, from the conversation and this alone.
            """
        let answer = JarvisAside.text(await transport.exchange(request.aside(question, session: run.sessionID)))
        return answer.flatMap { shaper.shape($0)?.spoken } ?? seen
    }

    /// The current activity, for instance "reading your mail"; nil if nothing is running or its activity is unknown.
    package nonisolated var activity: String? { board.current.flatMap(JarvisActivity.words) }

    /// Forgets the last request and its answer, here and at the server. A request under way is withdrawn first.
    package func forgetLast() async -> Undo {
        let wasAtWork = cancelRequest()
        lastReply = nil
        reading = nil
        guard let first = sent.first else { return wasAtWork ? .forgotten : .nothing }
        let wasBriefed = AgentBriefing.isIn(first)
        if let plain = backend as? PlainBackend {
            sent = []
            if wasBriefed { introduced = nil }
            return plain.forgetLast() || wasAtWork ? .forgotten : .nothing
        }
        // Home Assistant keeps what was said.
        guard settings.api.isTermLLM else { return .impossible }
        let id = sessionID
        await departing?.value
        var undone = wasAtWork
        // Remarks added to the run are turns of their own.
        while let words = sent.last {
            guard let state = await connection.state(of: id) else { return .impossible }
            let head = JarvisHead(await transport.exchange(request.lastMessages(session: id)))
            guard let head, head.question == words, let revision = state.revision else { break }
            let order = request.undo(session: id, revision: revision, head: head.id)
            guard case .success(let response) = await transport.exchange(order), response.status == 200 else {
                return .impossible
            }
            sent.removeLast()
            undone = true
        }
        // Without its first turn the conversation has lost the briefing.
        if wasBriefed, sent.isEmpty, introduced == id { introduced = nil }
        guard id == sessionID, let state = await connection.state(of: id) else { return .impossible }
        sent = []
        goOn(from: state.lastResponseID)
        logger.info("the last turn with Jarvis was undone")
        return undone ? .forgotten : .nothing
    }
}
