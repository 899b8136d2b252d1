import Logging
internal import VoiceBase
internal import VoiceNetwork
internal import VoiceReply

/// Runs that need something from the user: an answer or a permission.
extension JarvisClient {
    /// Answers the agent's pending question; nil dismisses it. Returns what the run says next.
    ///
    /// - Parameter heard: the number of the prompt the user heard before speaking. An answer to any other prompt is not the
    ///   user's: the question is dismissed.
    package func answer(_ answers: [String]?, heard: Int?, inParts: Bool) async -> AgentReply {
        guard let pending, case .questions = pending.prompt else { return turnDown(.nothingPending) }
        guard answers == nil || heard == pending.number else { return await refuse(pending) }
        guard let reply = answers.map({ pending.prompt.reply(with: $0) }) ?? pending.prompt.refusal else {
            return turnDown(.unfitAnswer)
        }
        return await carryOn(pending, reply, note: "the user answered Jarvis", inParts: inParts)
    }

    /// Allows or denies the action for which the agent asked permission. A yes to anything but that exact action allows
    /// nothing.
    ///
    /// - Parameter heard: the number of the prompt the user heard before speaking. A yes to any other prompt is not the
    ///   user's: the agent gets a no.
    package func approve(_ command: String, _ isAllowed: Bool, heard: Int?, inParts: Bool) async -> AgentReply {
        guard let pending, case .approval = pending.prompt else { return turnDown(.nothingPending) }
        guard isAllowed else {
            let note: Logger.Message = "the user denied an action of Jarvis"
            return await carryOn(pending, pending.prompt.refusal, note: note, inParts: inParts)
        }
        guard heard == pending.number else { return await refuse(pending) }
        guard let reply = pending.prompt.permission(for: command) else { return turnDown(.otherCommand) }
        return await carryOn(pending, reply, note: "the user allowed an action of Jarvis", inParts: inParts)
    }

    private func turnDown(_ failure: JarvisFailure) -> AgentReply { .ended(report(failure, took: .zero)) }

    /// Refuses because the model answered for the user, and informs the user.
    private func refuse(_ pending: Pending) async -> AgentReply {
        logger.warning(
            "the model answered Jarvis before the user could; the answer counts as no",
            metadata: ["id": "\(pending.prompt.id.prefix(64))"]
        )
        // Not in parts, because other words come first.
        return await carryOn(
            pending, pending.prompt.refusal, note: "Jarvis was answered with no", opening: JarvisPrompt.unheard,
            inParts: false
        )
    }

    /// Asks the user, after an earlier prompt that still waits. What is not asked is refused.
    func receive(_ prompt: JarvisPrompt, of run: Run) {
        guard isReadAloud(prompt), run.later.count < Self.maximumPrompts else {
            let refusal = request.reply(prompt.refusal, session: run.sessionID)
            Task { [transport] in _ = await transport.exchange(refusal) }
            return
        }
        guard let pending else { return park(prompt) }
        active?.later.append(prompt)
        // Tools that run side by side ask side by side; but the earlier prompt may also have been answered elsewhere.
        Task {
            guard let state = await connection.state(of: run.sessionID), self.pending?.number == pending.number else {
                return
            }
            guard !state.prompts.contains(where: { $0.id == pending.prompt.id }) else { return }
            settleElsewhere(pending)
            askNext()
        }
    }

    /// Asks what waited for the end of an earlier prompt; false if nothing did.
    @discardableResult
    private func askNext() -> Bool {
        guard pending == nil, active?.later.isEmpty == false, let next = active?.later.removeFirst() else {
            return false
        }
        park(next)
        return true
    }

    /// Whether to ask the user; otherwise the answer is no.
    private func isReadAloud(_ prompt: JarvisPrompt) -> Bool {
        let isWanted =
            switch prompt {
            case .questions: true
            case .approval: settings.approval == .aloud
            }
        if isWanted && !prompt.isSpeakable {
            logger.notice("Jarvis asked something that cannot be read aloud; the answer is no")
        }
        return isWanted && prompt.isSpeakable
    }

    /// Parks the run and puts its prompt to the user, for a limited time.
    private func park(_ prompt: JarvisPrompt) {
        prompts += 1
        let asked = wait(for: prompt, number: prompts)
        guard let run = active else { return }
        active?.call = nil
        deliver(JarvisAnswer(prompt: asked), of: run)
    }

    /// - Parameter number: the number of the prompt, also if it waits again because the server did not take the answer.
    private func wait(for prompt: JarvisPrompt, number: Int) -> AgentPrompt {
        logger.info("Jarvis asks the user", metadata: Self.name(prompt))
        stopTime()
        let vigil = Task {
            await environment.sleep(.seconds(settings.humanTimeoutS))
            if !Task.isCancelled { await endVigil(number) }
        }
        pending = Pending(number: number, prompt: prompt, vigil: vigil)
        let asked = prompt.asked(as: number)
        onNews(.asks(asked))
        // A crash must not lose the conversation in which the agent waits.
        Task { self.save() }
        return asked
    }

    /// Withdraws the prompt from the user, if there is one.
    func settle() {
        guard let pending else { return }
        pending.vigil.cancel()
        self.pending = nil
        onNews(.settled)
    }

    /// A run that continues without the user's answer was answered elsewhere, or its time was over. Its result is news.
    func wentOn(_ number: Int) {
        guard active?.number == number else { return }
        active?.later = []
        if let pending { settleElsewhere(pending) }
    }

    private func settleElsewhere(_ pending: Pending) {
        settle()
        logger.notice("Jarvis's question was answered elsewhere", metadata: Self.name(pending.prompt))
        follow(nil)
    }

    /// Silence counts as a no. The run's result is news.
    private func endVigil(_ number: Int) async {
        guard let pending, pending.number == number, let run = active else { return }
        settle()
        follow(nil)
        // Not in this task, which `settle` has cancelled.
        let result = await Task { [transport, request] in
            await transport.exchange(request.reply(pending.prompt.refusal, session: run.sessionID))
        }.value
        if isSettledElsewhere(result, pending.prompt) == false {
            logger.notice("nobody answered Jarvis; the answer is no", metadata: Self.name(pending.prompt))
        }
        if active?.number == run.number { askNext() }
    }

    /// - Parameter note: the log message once the server has accepted the answer.
    private func carryOn(
        _ pending: Pending,
        _ reply: JarvisPromptReply,
        note: Logger.Message,
        opening: String? = nil,
        inParts: Bool
    ) async -> AgentReply {
        guard let run = active else { return turnDown(.nothingPending) }
        let (call, answer) = makeCall(inParts: inParts, opening: opening)
        settle()
        follow(call)
        let result = await transport.exchange(request.reply(reply, session: run.sessionID))
        let settledElsewhere = isSettledElsewhere(result, pending.prompt)
        if settledElsewhere == false { logger.notice(note, metadata: Self.name(pending.prompt)) }
        // The run may be over, or ask something else meanwhile; what the server did not take is then asked again.
        guard active?.call?.number == call.number else {
            if settledElsewhere == nil, active?.number == run.number { active?.later.append(pending.prompt) }
            return answer
        }
        // A run that has spoken into this call has taken the answer.
        guard settledElsewhere == nil, active?.hasBegun != true else {
            if !askNext() { keepTime() }
            return answer
        }
        active?.call = nil
        _ = wait(for: pending.prompt, number: pending.number)
        switch result {
        case .failure(let failure): call.end(report(failure.withoutRun, took: .zero))
        case .success(let response):
            call.end(report(response.status == 400 ? .unfitAnswer : JarvisReply.failure(of: response), took: .zero))
        }
        return answer
    }

    /// Returns false if the server accepted our reply, true if another client was faster or the run is over, and nil if it
    /// did not accept the reply.
    private func isSettledElsewhere(_ result: JarvisResponse, _ prompt: JarvisPrompt) -> Bool? {
        guard case .success(let response) = result else { return nil }
        switch response.status {
        case 200: return false
        case 404, 409:
            logger.notice("Jarvis's question was answered elsewhere", metadata: Self.name(prompt))
            return true
        default: return nil
        }
    }

    private static func name(_ prompt: JarvisPrompt) -> Logger.Metadata { ["id": "\(prompt.id.prefix(64))"] }
}
