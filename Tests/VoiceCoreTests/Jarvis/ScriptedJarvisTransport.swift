import Synchronization

@testable import VoiceCore

/// Answers with the given results in order, then with the last one. Holds requests back while its gate is closed.
final class ScriptedJarvisTransport: JarvisTransport {
    private struct State {
        var results: [JarvisHTTPResult]
        var requests: [JarvisHTTPRequest] = []
        var isOpen: Bool
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ results: [JarvisHTTPResult], isOpen: Bool = true) {
        state = Mutex(State(results: results, isOpen: isOpen))
    }

    var requests: [JarvisHTTPRequest] { state.withLock { $0.requests } }

    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func post(_ request: JarvisHTTPRequest) async -> JarvisHTTPResult {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                state.requests.append(request)
                if !state.isOpen { state.held.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
        return state.withLock {
            $0.results.count > 1 ? $0.results.removeFirst() : $0.results.first ?? .failed(.timedOut)
        }
    }
}

extension JarvisHTTPResult {
    static func content(_ text: String) -> JarvisHTTPResult {
        let body = "{\"choices\":[{\"message\":{\"content\":\"\(text)\"}}]}"
        return .response(JarvisHTTPResponse(status: 200, contentType: "application/json", body: Array(body.utf8)))
    }

    static func status(_ status: Int) -> JarvisHTTPResult {
        .response(JarvisHTTPResponse(status: status, contentType: "application/json", body: Array("{}".utf8)))
    }
}
