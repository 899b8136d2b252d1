import Synchronization

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceBase
@testable import VoiceNetwork

/// A scripted agent: determines the reply to each request.
final class ScriptedJarvisTransport: JarvisTransport {
    /// The reply to one request.
    enum Reply: Sendable {
        case whole(JarvisResponse)
        /// An event stream of these pieces with this end.
        case stream([String], End = .complete, runID: String? = "resp_1")
        /// A reply held back until the test opens the gate.
        case held(JarvisResponse)
        /// An immediate reply that opens the gate.
        case opening(JarvisResponse)

        enum End: Sendable {
            case complete
            case broken
            /// Nothing more arrives, and the connection stays open.
            case silent
        }
    }

    private struct State {
        var requests: [HTTPRequest] = []
        var isOpen = false
        var held: [Int: CheckedContinuation<Void, Never>] = [:]
        var cancelled = 0
    }

    private let silences = Atomic(0)

    private let answer: @Sendable (_ request: HTTPRequest, _ number: Int) -> Reply
    private let state = Mutex(State())

    /// - Parameter answer: receives the request and the number of earlier ones of its kind (method and route).
    init(_ answer: @escaping @Sendable (_ request: HTTPRequest, _ number: Int) -> Reply) {
        self.answer = answer
    }

    /// Answers questions with the results in order, then with the last one; everything else gets 404.
    convenience init(_ results: [JarvisResponse], isOpen: Bool = true) {
        self.init { request, number in
            guard request.method == "POST" else { return .whole(.status(404)) }
            let result = results[min(number, results.count - 1)]
            return isOpen ? .whole(result) : .held(result)
        }
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    /// Number of requests that the client gave up while they were held.
    var cancelled: Int { state.withLock { $0.cancelled } }
    /// Number of streams whose reader waits for data that never arrives.
    var silentStreams: Int { silences.load(ordering: .acquiring) }

    /// Method and path of every request, such as "POST /v1/responses", without the base path.
    var routes: [String] { requests.map(\.route) }

    func requests(_ route: String) -> [HTTPRequest] { requests.filter { $0.route == route } }

    func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [:] }
            return state.held
        }
        for continuation in held.values { continuation.resume() }
    }

    func exchange(_ request: HTTPRequest) async -> JarvisResponse {
        switch await reply(request) {
        case .whole(let result), .held(let result), .opening(let result): result
        case .stream: .failure(.cutOff(detail: "a stream"))
        }
    }

    func open(_ request: HTTPRequest) async -> Result<any JarvisReplyStream, JarvisFailure> {
        switch await reply(request) {
        case .whole(.failure(let failure)), .held(.failure(let failure)), .opening(.failure(let failure)):
            return .failure(failure)
        case .whole(.success(let response)), .held(.success(let response)), .opening(.success(let response)):
            return .success(ScriptedStream(head: response, pieces: [response.body], end: .complete))
        case .stream(let pieces, let end, let runID):
            let head = HTTPResponse(status: 200, contentType: "text/event-stream", runID: runID)
            let bytes = pieces.map { Array($0.utf8) }
            return .success(
                ScriptedStream(head: head, pieces: bytes, end: end) { [self] in
                    silences.add(1, ordering: .acquiringAndReleasing)
                }
            )
        }
    }

    private func reply(_ request: HTTPRequest) async -> Reply {
        let (number, id, isOpen) = state.withLock { state in
            let number = state.requests.count { $0.route == request.route }
            state.requests.append(request)
            return (number, state.requests.count, state.isOpen)
        }
        let reply = answer(request, number)
        if case .opening = reply { open() }
        guard case .held = reply, !isOpen else { return reply }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard !state.isOpen, !Task.isCancelled else { return false }
                    state.held[id] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                state.cancelled += 1
                return state.held.removeValue(forKey: id)
            }?.resume()
        }
        return Task.isCancelled ? .whole(.failure(.cancelled)) : reply
    }
}

/// A reply that arrives in pieces.
private final class ScriptedStream: JarvisReplyStream {
    let head: HTTPResponse
    private let pieces: Mutex<[[UInt8]]>
    private let end: ScriptedJarvisTransport.Reply.End
    private let closed = Promise<Void>()
    private let onSilence: @Sendable () -> Void

    init(
        head: HTTPResponse,
        pieces: [[UInt8]],
        end: ScriptedJarvisTransport.Reply.End,
        onSilence: @escaping @Sendable () -> Void = {}
    ) {
        var head = head
        head.body = []
        self.head = head
        self.pieces = Mutex(pieces)
        self.end = end
        self.onSilence = onSilence
    }

    func read() async -> Result<[UInt8]?, JarvisFailure> {
        if let piece = pieces.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return .success(piece) }
        switch end {
        case .complete: return .success(nil)
        case .broken: return .failure(.cutOff(detail: "reset"))
        case .silent:
            onSilence()
            await withTaskCancellationHandler {
                await closed.wait()
            } onCancel: {
                closed.give(())
            }
            return .failure(.cancelled)
        }
    }

    func close() { closed.give(()) }
}

extension HTTPResponse {
    init(status: Int, contentType: String?, location: String? = nil, runID: String? = nil, body: [UInt8] = []) {
        let headers = [("Content-Type", contentType), ("Location", location), ("x-response-id", runID)]
        self.init(status: status, headers: headers.compactMap { name, value in value.map { (name, $0) } }, body: body)
    }
}

extension HTTPRequest {
    /// Method and path, such as "POST /v1/responses", with ids and without the query.
    var route: String {
        let path = url.split(separator: "/ui", maxSplits: 1).last.map(String.init) ?? url
        return "\(method) \(path.prefix { $0 != "?" })"
    }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    var text: String { String(decoding: body, as: UTF8.self) }
}

extension JarvisResponse {
    static func content(_ text: String) -> JarvisResponse {
        .json("{\"choices\":[{\"message\":{\"content\":\"\(text)\"}}]}")
    }

    static func json(_ text: String, status: Int = 200) -> JarvisResponse {
        .success(HTTPResponse(status: status, contentType: "application/json", body: Array(text.utf8)))
    }

    static func status(_ status: Int) -> JarvisResponse { .json("{}", status: status) }

    static func error(_ status: Int, _ type: String, _ message: String) -> JarvisResponse {
        .json("{\"error\":{\"message\":\"\(message)\",\"type\":\"\(type)\"}}", status: status)
    }
}
