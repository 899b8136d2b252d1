import Logging

extension JarvisClient {
    /// Looks whether address and token are right and the server lives; asks no question.
    package func check() async -> Result<JarvisHealth?, JarvisFailure> {
        if let refusal { return .failure(refusal) }
        if settings.api == .openai {
            let result = await transport.exchange(request.models())
            switch result {
            case .failed(let fault): return .failure(JarvisReply.failure(of: fault))
            case .response(let response) where response.status != 200:
                return .failure(JarvisReply.failure(of: response))
            case .response(let response):
                let isJSON = response.mediaType == "application/json"
                return isJSON ? .success(nil) : .failure(.wrongBasePath(hint: "something else answered at /v1/models"))
            }
        }
        return JarvisHealth.read(await transport.exchange(request.health())).map { $0 }
    }

    /// The same, told in the log: a wrong address or token shows at the start, not with the first question.
    package func checkAtStart() async {
        switch await check() {
        case .success(let health):
            logger.info(
                "Jarvis is there",
                metadata: .event(
                    .agentReady,
                    ["version": "\(health?.version ?? "-")", "agent": "\(health?.agent ?? "-")"]
                )
            )
        case .failure(.cancelled): break
        case .failure(let failure): logger.warning("\(failure.logLine)", metadata: .event(.agentFailed))
        }
    }
}
