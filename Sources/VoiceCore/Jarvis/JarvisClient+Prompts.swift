import Logging

/// Runs that want something of the user: an answer, or a permission.
extension JarvisClient {
    /// Answers the question the agent has put; nil dismisses it. Returns what the run says next.
    package func answer(_ answers: [String]?) async -> JarvisAnswer {
        guard let pending, case .questions = pending.prompt else { return report(.nothingPending, took: .zero) }
        guard let reply = answers.map({ pending.prompt.reply(with: $0) }) ?? pending.prompt.refusal else {
            return report(.unfitAnswer, took: .zero)
        }
        return await carryOn(pending, reply)
    }

    /// Allows or denies what the agent has asked permission for. A yes to anything but the very same action allows
    /// nothing.
    package func approve(_ command: String, _ isAllowed: Bool) async -> JarvisAnswer {
        guard let pending, case .approval = pending.prompt else { return report(.nothingPending, took: .zero) }
        guard isAllowed else { return await carryOn(pending, pending.prompt.refusal) }
        guard let reply = pending.prompt.permission(for: command) else { return report(.otherCommand, took: .zero) }
        logger.notice("the user allowed an action of Jarvis", metadata: ["id": "\(pending.prompt.id.prefix(64))"])
        return await carryOn(pending, reply)
    }

    /// Whether the user is to be asked; else the answer is no.
    func isReadAloud(_ prompt: JarvisPrompt) -> Bool {
        let isWanted =
            switch prompt {
            case .questions: settings.askUser == .aloud
            case .approval: settings.approval == .aloud
            }
        if isWanted && !prompt.isSpeakable {
            logger.notice("Jarvis asked something that cannot be read aloud; it was told no")
        }
        return isWanted && prompt.isSpeakable
    }

    /// Gives the question of the run to the user, for a limited time.
    func park(_ run: Run, _ prompt: JarvisPrompt) -> JarvisAnswer {
        logger.info("Jarvis asks the user", metadata: ["id": "\(prompt.id.prefix(64))"])
        let sleep = surroundings.sleep
        let limit = Duration.seconds(settings.humanTimeoutS)
        let timer = Task {
            await sleep(limit)
            if !Task.isCancelled { await self.silence(prompt) }
        }
        pending = Pending(run: run, prompt: prompt, timer: timer)
        return JarvisAnswer(prompt: prompt.spoken)
    }

    /// The user has said nothing: that is a no. The run goes to its end, so that the conversation can go on from it.
    private func silence(_ prompt: JarvisPrompt) async {
        guard let pending, pending.prompt == prompt else { return }
        self.pending = nil
        logger.notice("nobody answered Jarvis; it was told no", metadata: ["id": "\(prompt.id.prefix(64))"])
        _ = await transport.exchange(request.reply(prompt.refusal, session: pending.run.sessionID))
        _ = await follow(pending.run, since: surroundings.now())
    }

    private func carryOn(_ pending: Pending, _ reply: JarvisPromptReply) async -> JarvisAnswer {
        let asked = surroundings.now()
        pending.timer.cancel()
        self.pending = nil
        let result = await transport.exchange(request.reply(reply, session: pending.run.sessionID))
        switch result {
        case .response(let response) where [200, 404, 409].contains(response.status):
            // 404 and 409: somebody else was faster, or the run is over.
            return await follow(pending.run, since: asked)
        case .response(let response):
            _ = park(pending.run, pending.prompt)
            return report(response.status == 400 ? .unfitAnswer : JarvisReply.failure(of: response), took: .zero)
        case .failed(let fault):
            _ = park(pending.run, pending.prompt)
            return report(JarvisReply.failure(of: fault), took: .zero)
        }
    }
}
