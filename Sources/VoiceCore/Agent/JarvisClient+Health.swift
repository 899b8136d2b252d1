import Logging
internal import VoiceBase
internal import VoiceNetwork

extension JarvisClient {
    /// Checks address, token and that the server is alive; asks no question.
    package func check() async -> Result<JarvisHealth?, JarvisFailure> {
        if settings.api == .openai {
            let result = await transport.exchange(request.models())
            switch result {
            case .failure(let failure): return .failure(failure.withoutRun)
            case .success(let response) where response.status != 200:
                return .failure(JarvisReply.failure(of: response))
            case .success(let response):
                let isJSON = response.mediaType == "application/json"
                return isJSON ? .success(nil) : .failure(.wrongBasePath(hint: "something else answered at /v1/models"))
            }
        }
        let result = JarvisHealth.read(await transport.exchange(request.health())).map(Optional.some)
        // A timeout here is not the limit from the configuration.
        return result == .failure(.timedOut) ? .failure(.offline(detail: "no answer")) : result
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
        switch await check() {
        case .success(let health):
            if health?.capabilities.contains(AgentBriefing.capability) == true { advertisesVoiceMode = true }
            logger.info(
                "Jarvis is reachable",
                metadata: .event(
                    .agentReady,
                    ["version": "\(health?.version ?? "-")", "agent": "\(health?.agent ?? "-")"]
                )
            )
            if await isMistakenForPlain() {
                logger.warning("\(Self.mistakenAPI): \(Self.rightAPI)")
            }
            await sweepAtStart()
        case .failure(.cancelled): break
        case .failure(let failure): logger.warning("\(private: failure.logLine)", metadata: .event(.agentFailed))
        }
    }

    /// Ends a run that an earlier process left in the saved conversation: the server would accept nothing else.
    private func sweepAtStart() async {
        guard mayFindLeftOvers, settings.api != .openai else { return }
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
