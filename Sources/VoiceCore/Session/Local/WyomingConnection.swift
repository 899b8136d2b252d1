internal import VoiceBase
package import VoiceNetwork

/// Why a connection to a Wyoming server ended that was not closed here.
package struct WyomingEnd: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: Equatable, Sendable {
        /// Nothing answers at the address.
        case away
        /// The server accepted the connection but did not answer in time.
        case late
        /// The server closed.
        case closed
        /// The server sends unreadable or oversized messages, or does not take what it is sent.
        case garbage
        /// The address is outside the local network.
        case exposed
    }

    package var kind: Kind
    package var description: String
}

/// A connection to a Wyoming server of the house; confined to the network thread.
///
/// Bounds: data the server does not take is kept up to `longestUnsent`, and incoming messages are bounded by
/// `WyomingDecoder`; beyond that the connection ends. In a round it reads once and handles at most `mostMessages`, so a
/// server that floods us does not keep the others waiting. Every wait has a limit, set by the owner.
package final class WyomingConnection: NetworkSocket {
    package enum Event {
        case message(WyomingEvent)
        /// Reported as the last event.
        case ended(WyomingEnd)
    }

    /// In bytes: thirty seconds of sound at 16 kHz, four times over.
    private static let longestUnsent = 4 << 20
    private static let mostMessages = 64

    private let address: WyomingAddress
    private let allowsPublic: Bool
    private let connectLimit: Duration
    /// nil once the connection is closed or has ended.
    private var report: ((Event) -> Void)?
    package private(set) var socket: CurlSocket?
    private var isOpen = false
    private var decoder = WyomingDecoder()
    /// Whether the decoder may hold another whole message.
    private var hasMessages = false
    private var unsent = RawBuffer()
    private var isOverfull = false
    private var deadline: ContinuousClock.Instant?
    /// The limit set before the connection was open: its requests leave when it opens.
    private var limitOnceOpen: Duration?
    private var hasNewLimit = false

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - limit: for connecting; the first answer has a limit of its own (`limit`).
    ///   - report: called by the loop of the network thread, never from within another call.
    package init(
        to address: WyomingAddress,
        allowsPublic: Bool,
        within limit: Duration = .seconds(2),
        on network: NetworkThread,
        report: @escaping (Event) -> Void
    ) {
        self.address = address
        self.allowsPublic = allowsPublic
        self.report = report
        connectLimit = limit
        deadline = .now + limit
        network.serve(self)
    }

    /// Sends a request; may be called before the connection is established.
    package func send(_ request: WyomingRequest) { send(request.frame.bytes) }

    package func send(_ bytes: [UInt8]) {
        guard report != nil, !isOverfull else { return }
        isOverfull = unsent.count + bytes.count > Self.longestUnsent
        if !isOverfull { bytes.withUnsafeBytes { unsent.append($0) } }
    }

    /// Ends the connection unless the limit is set again within this time; nil removes the limit. While the connection is
    /// still being established, the limit counts from then on.
    package func limit(_ limit: Duration?) {
        if isOpen {
            deadline = limit.map { .now + $0 }
            hasNewLimit = true
        } else {
            limitOnceOpen = limit
        }
    }

    /// Closes the connection. Nothing more is reported of it.
    package func close() { (report, socket) = (nil, nil) }

    private func end(_ kind: WyomingEnd.Kind, _ what: String) {
        guard let report else { return }
        close()
        let text = "\(address.key): the Wyoming server at \(address.text) \(what)"
        report(.ended(WyomingEnd(kind: kind, description: text)))
    }

    // MARK: For the loop

    package func stop() { close() }

    package func abandon() { close() }

    package func begin(_ multi: UnsafeMutableRawPointer) {
        guard report != nil, let url = ServerURL("http://\(address.text)") else { return }
        socket = CurlSocket(
            url,
            within: connectLimit,
            // Its limits end it long before.
            deadPeerLimit: .seconds(120),
            staysNear: !allowsPublic,
            usesProxy: false,
            multi: multi
        )
    }

    package func connected(_ failure: WebSocketFailure?) {
        switch failure {
        case nil:
            isOpen = true
            deadline = limitOnceOpen.map { .now + $0 }
        case .exposed: end(.exposed, "is outside this network; local.allow_public = true allows that")
        case .cannotResolve: end(.away, "has no address")
        default: end(.away, "does not answer")
        }
    }

    package var hasUnsent: Bool { !unsent.isEmpty }

    package func pump(
        _ now: ContinuousClock.Instant,
        scratch: UnsafeMutableRawBufferPointer,
        between: () -> Void
    ) -> Duration? {
        receive(scratch, between)
        flush()
        if let deadline, deadline <= now {
            isOpen ? end(.late, "does not answer in time") : end(.away, "does not answer")
        }
        hasNewLimit = false
        guard report != nil else { return nil }
        return hasMessages ? .zero : deadline.map { $0 - now } ?? .seconds(60)
    }

    package func sendQueued() -> Bool {
        flush()
        return hasNewLimit || report == nil
    }

    // MARK: Bytes

    private func flush() {
        if isOverfull { end(.garbage, "does not take what it is sent") }
        while isOpen, !unsent.isEmpty, let socket {
            switch socket.send(unsent.bytes) {
            case .again: return
            case .bytes(let count): unsent.consume(count)
            case .failed: end(.closed, "has gone")
            }
        }
    }

    private func receive(_ scratch: UnsafeMutableRawBufferPointer, _ between: () -> Void) {
        guard isOpen, let socket else { return }
        if !hasMessages {
            switch socket.receive(into: scratch) {
            case .again: return
            case .closed: return end(.closed, "has closed the connection")
            case .ended: return end(.closed, "has gone")
            case .bytes(let bytes): decoder.append(bytes)
            }
        }
        hasMessages = false
        do throws(WyomingFault) {
            for _ in 0..<Self.mostMessages {
                guard let report, let frame = try decoder.next() else { return }
                report(.message(WyomingEvent(frame)))
                between()
            }
            hasMessages = true
        } catch {
            let what =
                switch error {
                case .noLines, .noMessage: "sends something that is not a Wyoming message; is it a Wyoming server?"
                case .tooLong: "sends a message that is too long"
                }
            end(.garbage, what)
        }
    }
}
