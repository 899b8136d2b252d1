internal import VoiceBase
internal import VoiceNetwork

/// What the server reports about itself. It discloses its version only to a client with the token, which makes this the
/// cheapest check of address and token. It says nothing about the model behind the server.
package struct JarvisHealth: Sendable, Equatable {
    package var version: String
    package var agent: String?
    /// What the server supports: "api", "web", "jobs", ...
    package var capabilities: [String] = []

    static func read(_ result: JarvisResponse) -> Result<JarvisHealth, JarvisFailure> {
        let response: HTTPResponse
        switch result {
        case .failure(let failure): return .failure(failure.withoutRun)
        case .success(let reply): response = reply
        }
        guard response.status == 200 else { return .failure(JarvisReply.failure(of: response).withoutRun) }
        guard response.mediaType == "application/json",
            let body = OutsideJSON.decode(Body.self, from: response.body, atMost: JarvisRequest.maximumReplyBytes),
            body.status != nil
        else { return .failure(.wrongBasePath(hint: "something else answered at /healthz")) }
        guard let version = body.version else { return .failure(.authentication) }
        return .success(
            JarvisHealth(version: String(version.prefix(40)), agent: body.agent, capabilities: body.capabilities ?? [])
        )
    }

    private struct Body: Decodable {
        let status: String?
        let version: String?
        let agent: String?
        let capabilities: [String]?
    }
}
