import Synchronization
import VoiceBase

/// A caller waiting for one HTTP exchange; the only part of it shared between two threads.
final class HTTPCall: Sendable {
    typealias Reply = Result<HTTPResponse, HTTPFailure>

    let request: HTTPRequest
    /// Receives the body if it is read while it arrives.
    let inflow: HTTPInflow?
    private let cancelled = Atomic(false)
    let reply = Promise<Reply>()

    init(_ request: HTTPRequest, inflow: HTTPInflow? = nil) {
        self.request = request
        self.inflow = inflow
    }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }

    /// Only the first result counts.
    func finish(_ result: Reply) {
        if let inflow {
            if case .failure(let failure) = result { inflow.end(failure) } else { inflow.end(nil) }
        }
        reply.give(result)
    }
}
