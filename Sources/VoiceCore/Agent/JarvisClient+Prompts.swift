import Logging
internal import VoiceBase
internal import VoiceConfiguration
internal import VoiceNetwork

/// Runs that need something from the user: an answer or a permission.
extension JarvisClient {
    /// Answers the agent's pending question; nil dismisses it. Returns what the run says next.
    ///
    /// - Parameter heard: the number of the prompt the user heard before speaking. An answer to any other prompt is not the
    ///   user's: the question is dismissed.
    package func answer(_ answers: [String]?, heard: Int?) async -> JarvisAnswer {
        guard let pending, case .questions = pending.prompt else { return report(.nothingPending, took: .zero) }
        guard answers == nil || heard == pending.number else { return await refuse(pending) }
        guard let reply = answers.map({ pending.prompt.reply(with: $0) }) ?? pending.prompt.refusal else {
            return report(.unfitAnswer, took: .zero)
        }
        return await carryOn(pending, reply, note: "the user answered Jarvis")
    }

    /// Allows or denies the action for which the agent asked permission. A yes to anything but that exact action allows
    /// nothing.
    ///
    /// - Parameter heard: the number of the prompt the user heard before speaking. A yes to any other prompt is not the
    ///   user's: the agent gets a no.
    package func approve(_ command: String, _ isAllowed: Bool, heard: Int?) async -> JarvisAnswer {
        guard let pending, case .approval = pending.prompt else { return report(.nothingPending, took: .zero) }
        guard isAllowed else {
            return await carryOn(pending, pending.prompt.refusal, note: "the user denied an action of Jarvis")
        }
        guard heard == pending.number else { return await refuse(pending) }
        guard let reply = pending.prompt.permission(for: command) else { return report(.otherCommand, took: .zero) }
        return await carryOn(pending, reply, note: "the user allowed an action of Jarvis")
    }

    /// Refuses because the model answered for the user, and informs the user.
    private func refuse(_ pending: Pending) async -> JarvisAnswer {
        logger.warning(
            "the model answered Jarvis before the user could; the answer counts as no",
            metadata: ["id": "\(pending.prompt.id.prefix(64))"]
        )
        let note: Logger.Message = "Jarvis was answered with no"
        // Without streaming, because other words come first.
        let answer = await CallTrace.$current.withValue(nil) {
            await carryOn(pending, pending.prompt.refusal, note: note)
        }
        return answer.after(JarvisPrompt.unheard)
    }

    /// Whether to ask the user; otherwise the answer is no.
    func isReadAloud(_ prompt: JarvisPrompt) -> Bool {
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
    ///
    /// - Parameter number: the number of a prompt that waits again because the server did not take the answer.
    func park(_ run: Run, _ prompt: JarvisPrompt, number: Int? = nil) -> JarvisAnswer {
        logger.info("Jarvis asks the user", metadata: Self.name(prompt))
        let sleep = environment.sleep
        let limit = Duration.seconds(settings.humanTimeoutS)
        prompts += number == nil ? 1 : 0
        let number = number ?? prompts
        let vigil = Task {
            let wentOn = await TimeLimit.run(limit, sleep: sleep) { await run.steps.hasNext() }
            if !Task.isCancelled { await self.endVigil(number, wentOn: wentOn != nil) }
        }
        pending = Pending(number: number, run: run, prompt: prompt, vigil: vigil)
        let asked = prompt.asked(as: number)
        onNews(.asks(asked))
        // A crash must not lose the conversation in which the agent waits.
        Task { self.save() }
        return withNotice(behindWhatWasSaid(JarvisAnswer(prompt: asked), of: run))
    }

    /// Withdraws the prompt from the user; false if there was none.
    @discardableResult
    func settle() -> Bool {
        guard let pending else { return false }
        pending.vigil.cancel()
        forgetPending()
        return true
    }

    private func forgetPending() {
        pending = nil
        onNews(.settled)
    }

    /// Ends the wait of a prompt that was not answered here; the run's result is reported as news. If the run has not gone
    /// on, silence counts as a no. If it has, somebody answered elsewhere or nobody could any more.
    private func endVigil(_ number: Int, wentOn: Bool) async {
        guard let pending, pending.number == number else { return }
        // Not `settle`: the vigil is the task that called this, and carries on.
        forgetPending()
        if wentOn {
            logger.notice("Jarvis's question was answered elsewhere", metadata: Self.name(pending.prompt))
        } else {
            let refusal = request.reply(pending.prompt.refusal, session: pending.run.sessionID)
            if isSettledElsewhere(await transport.exchange(refusal), pending.prompt) == false {
                logger.notice("nobody answered Jarvis; the answer is no", metadata: Self.name(pending.prompt))
            }
        }
        // No call follows the run any more.
        let answer = await CallTrace.$current.withValue(nil) { await follow(pending.run, since: environment.now()) }
        if answer.failure?.isWithdrawal != true { onNews(.answered(answer, query: pending.run.query)) }
    }

    /// - Parameter note: the log message once the server has accepted the answer.
    private func carryOn(_ pending: Pending, _ reply: JarvisPromptReply, note: Logger.Message) async -> JarvisAnswer {
        let asked = environment.now()
        settle()
        let result = await transport.exchange(request.reply(reply, session: pending.run.sessionID))
        switch isSettledElsewhere(result, pending.prompt) {
        case false?: logger.notice(note, metadata: Self.name(pending.prompt))
        case true?: break
        case nil:
            _ = park(pending.run, pending.prompt, number: pending.number)
            switch result {
            case .failure(let failure): return report(failure.withoutRun, took: .zero)
            case .success(let response):
                return report(response.status == 400 ? .unfitAnswer : JarvisReply.failure(of: response), took: .zero)
            }
        }
        return await follow(pending.run, since: asked)
    }

    /// Returns false if the server accepted our reply, true if somebody else was faster or the run is over, and nil if it
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
