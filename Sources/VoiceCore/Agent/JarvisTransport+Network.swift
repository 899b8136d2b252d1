package import VoiceNetwork

extension NetworkThread: JarvisTransport {
    package func exchange(_ request: HTTPRequest) async -> JarvisResponse {
        do { return .success(try await perform(request)) } catch { return .failure(JarvisFailure(error)) }
    }

    package func open(_ request: HTTPRequest) async -> Result<any JarvisReplyStream, JarvisFailure> {
        do {
            let stream: HTTPStream = try await open(request)
            return .success(stream)
        } catch {
            return .failure(JarvisFailure(error))
        }
    }

    package func connect(_ request: WebSocketRequest) async -> Result<any JarvisSocket, JarvisFailure> {
        await AgentSocket.open(request, on: self).map { $0 }
    }
}

extension HTTPStream: JarvisReplyStream {
    package func read() async -> Result<[UInt8]?, JarvisFailure> {
        do { return .success(try await next()) } catch { return .failure(JarvisFailure(error)) }
    }
}
