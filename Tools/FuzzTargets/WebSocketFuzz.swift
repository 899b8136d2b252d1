import VoiceNetwork

/// WebSocket frames, and the reply to the opening handshake.
enum WebSocketFuzz {
    private static let maximumMessage = 4096

    /// The events must not depend on how the bytes are split, nothing may follow the end, and pending output stays
    /// bounded.
    static func frames(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 1 else { return }
        let whole = events([UnsafeRawBufferPointer(rebasing: bytes.dropFirst())])
        precondition(events(Pieces.of(bytes)) == whole, "the cut changes the events")
    }

    private static func events(_ pieces: [UnsafeRawBufferPointer]) -> [String] {
        var session = WebSocketSession(maximumMessageBytes: maximumMessage, maximumPendingBytes: 1024)
        var events: [String] = []
        for piece in pieces {
            var input = piece
            while let event = session.next(&input) {
                precondition(session.state != .closed || isEnd(event), "an event after the end")
                switch event {
                case .text(let text):
                    precondition(text.count <= maximumMessage)
                    precondition(String(validating: text, as: UTF8.self) != nil, "text that is no UTF-8")
                    events.append("text \(Array(text))")
                case .binary(let data):
                    precondition(data.count <= maximumMessage)
                    events.append("binary \(Array(data))")
                case .pong: events.append("pong")
                case .closed(let code, let reason): events.append("closed \(code) \(reason)")
                case .violated(let violation): events.append("violated \(violation.code)")
                }
            }
            precondition(input.isEmpty, "bytes were left")
            precondition(session.pendingBytes <= 2048, "what is to be sent grows")
        }
        while let bytes = session.nextToSend() { session.sent(min(bytes.count, 7)) }
        precondition(session.pendingBytes == 0)
        return events
    }

    private static func isEnd(_ event: WebSocketSession.Event) -> Bool {
        switch event {
        case .closed, .violated: true
        case .text, .binary, .pong: false
        }
    }

    /// As for frames, except for how much of a refusal's body is kept. The key is the one of RFC 6455 section 1.3,
    /// "dGhlIHNhbXBsZSBub25jZQ==", so that a reply can succeed.
    static func handshake(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 1 else { return }
        let whole = progress([UnsafeRawBufferPointer(rebasing: bytes.dropFirst())])
        precondition(progress(Pieces.of(bytes)) == whole, "the cut changes the reply")
    }

    private static func progress(_ pieces: [UnsafeRawBufferPointer]) -> String {
        let key = Array("the sample nonce".utf8)
        var handshake = WebSocketHandshake(host: "localhost", path: "/", headers: [], key: key)
        for piece in pieces {
            var input = piece
            let progress = handshake.receive(&input)
            if progress != .needsMore { return withoutBody(progress) }
        }
        return withoutBody(handshake.end())
    }

    private static func withoutBody(_ progress: WebSocketHandshake.Progress) -> String {
        guard case .refused(let refusal) = progress else { return "\(progress)" }
        precondition(refusal.body.utf8.count <= 3 * 4096, "a long body")
        return "refused \(refusal.status) \(refusal.reason) \(refusal.retryAfter ?? -1)"
    }
}
