import Logging
internal import VoiceBase
internal import VoiceNetwork

/// Why the agent cannot be asked.
package struct JarvisTrouble: Equatable, Sendable {
    package var failure: JarvisFailure
    /// Seconds until it is tried again; nil: with the next question.
    package var retryIn: Int?
}

extension JarvisClient {
    /// Pause between two checks of the server.
    static let lookPause = Duration.seconds(10)

    /// Why the agent cannot be asked now; nil if it can, as far as is known.
    package var trouble: JarvisTrouble? {
        let now = environment.now()
        // An agent that waits for the user or uses a tool has answered.
        if isAtWork, pending != nil || board.current != nil || active?.said.isEmpty == false { return nil }
        return breaker.trouble.map { failure in
            let pause = failure.isSeenByCheck ? nextLook.map { $0 - now } : .seconds(breaker.pauseLeft(at: now))
            let seconds = pause.map { Int((max(.zero, $0) + .milliseconds(999)).components.seconds) } ?? 0
            return JarvisTrouble(failure: failure, retryIn: seconds > 0 ? seconds : nil)
        }
    }

    /// Checks the server if it is time. Call it about once a second.
    ///
    /// A plain server, which may charge for every request, is checked only while it is in trouble.
    package func look() async {
        let now = environment.now()
        guard let due = nextLook else {
            nextLook = now + Self.lookPause
            return
        }
        let isInTrouble = breaker.trouble?.isSeenByCheck == true
        guard now >= due, isInTrouble || settings.api != .openai, !isAtWork else { return }
        // Home Assistant bans an address that shows a wrong token too often.
        if settings.api == .homeAssistant, breaker.trouble == .authentication { return }
        nextLook = now + Self.lookPause
        let result = await check()
        learn(result)
        // A check that was cut off has no result.
        nextLook = result == .failure(.cancelled) ? now : environment.now() + Self.lookPause
    }

    /// Records the result of a check of the server.
    func learn(_ result: Result<JarvisHealth?, JarvisFailure>) {
        switch result {
        case .success: checked(nil)
        case .failure(.cancelled): break
        case .failure(let failure): checked(failure)
        }
    }

    /// Checks address, token and that the server is alive; asks no question.
    package func check() async -> Result<JarvisHealth?, JarvisFailure> {
        if settings.api == .openai {
            let result = await transport.exchange(request.models())
            switch result {
            case .failure(let failure): return .failure(failure.withoutRun)
            case .success(let response) where response.status != 200:
                return .failure(JarvisReply.failure(of: response).withoutRun)
            case .success(let response):
                let isJSON = response.mediaType == "application/json"
                return isJSON ? .success(nil) : .failure(.wrongBasePath(hint: "something else answered at /v1/models"))
            }
        }
        if settings.api == .homeAssistant { return await checkHomeAssistant() }
        let result = JarvisHealth.read(await transport.exchange(request.health())).map(Optional.some)
        // A timeout here is not the limit from the configuration.
        return result == .failure(.timedOut) ? .failure(.offline(detail: "no answer")) : result
    }

    private func checkHomeAssistant() async -> Result<JarvisHealth?, JarvisFailure> {
        guard request.secret != nil else { return .failure(.authentication) }
        switch await transport.exchange(request.control("/api/")) {
        case .failure(let failure):
            return .failure(failure == .timedOut ? .offline(detail: "no answer") : failure.withoutRun)
        case .success(let response) where response.status != 200:
            return .failure(JarvisReply.failure(of: response).withoutRun)
        case .success(let response):
            let body = OutsideJSON.decode(JSONValue.self, from: response.body, atMost: JarvisRequest.maximumReplyBytes)
            return body?["message"]?.stringValue == "API running."
                ? .success(nil) : .failure(.wrongBasePath(hint: "something else answered at /api/"))
        }
    }

    /// Whether a term-llm server answers although `jarvis.api` names a plain OpenAI-compatible one: it would store every
    /// question as a conversation of its own. It is recognised by the version in its health answer.
    package func isMistakenForPlain() async -> Bool {
        guard settings.api == .openai else { return false }
        guard case .success = JarvisHealth.read(await transport.exchange(request.health())) else { return false }
        return true
    }

    package static let mistakenAPI =
        "jarvis.api = \"openai\" leads to a term-llm, which stores each question as a conversation"
    package static let rightAPI = "set jarvis.api to \"responses\" or \"chat\""

    /// Runs the check at startup and logs the result, so that a wrong address or token shows before the first question.
    package func checkAtStart() async {
        let result = await check()
        learn(result)
        switch result {
        case .success(let health):
            if health?.capabilities.contains(AgentBriefing.capability) == true { advertisesVoiceMode = true }
            logger.info(
                "Jarvis is reachable",
                metadata: .event(
                    .agentReady, ["version": "\(health?.version ?? "-")", "agent": "\(health?.agent ?? "-")"]
                )
            )
            if await isMistakenForPlain() {
                logger.warning("\(Self.mistakenAPI): \(Self.rightAPI)")
            }
            await sweepAtStart()
        case .failure(.cancelled): break
        case .failure(let failure): logger.warning("\(private: line(failure))", metadata: .event(.agentFailed))
        }
    }

    /// Ends a run that an earlier process left in the saved conversation: the server would accept nothing else.
    private func sweepAtStart() async {
        guard mayFindLeftOvers, settings.api.isTermLLM else { return }
        await withTurn {
            let found = Notice()
            guard await connection.sweep(session.currentID, found) != nil else { return }
            mayFindLeftOvers = false
            guard let text = found.text else { return }
            notice = text
            logger.notice("ended a run that was left over in the conversation with Jarvis")
        }
    }
}
