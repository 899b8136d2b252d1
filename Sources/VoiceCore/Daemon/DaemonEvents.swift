internal import Synchronization
package import VoiceBase
package import VoiceConversation

/// An event for observers of the daemon. Never contains what was said.
package struct DaemonEvent: Sendable, Equatable {
    package var name: JournalEvent
    package var values: [String: JSONValue]

    package init(_ name: JournalEvent, _ values: [String: JSONValue] = [:]) {
        self.name = name
        self.values = values
    }

    /// The events that are published.
    static let published: [JournalEvent] = [
        .state, .turn, .toolCall, .sessionOpened, .sessionRotated, .connectionLost, .serviceRefused, .serviceReplaced,
        .budgetSpent, .timer, .health,
    ]

    /// The public form of an effect of the conversation; nil for internal ones.
    package init?(_ effect: ConversationEffect) {
        switch effect {
        case .stateChanged(let from, let to):
            self.init(.state, ["from": .string(from.name), "to": .string(to.name)])
            if case .error(let reason) = to { values["reason"] = .string(reason) }
        case .turnEnded(let report):
            self.init(.turn, ["turn": .integer(report.number), "calls": .integer(report.calls)])
            for (name, time) in [
                ("dispatched_ms", report.dispatched), ("acknowledged_ms", report.acknowledged),
                ("answered_ms", report.answered), ("first_delta_ms", report.firstDelta),
                ("first_sample_ms", report.firstSample), ("cut_ms", report.cut),
            ] {
                if let time { values[name] = .integer(Int(time.fractionalMilliseconds.rounded())) }
            }
            if report.interrupted { values["interrupted"] = true }
            if let failure = report.failure { values["failed"] = .string(failure.rawValue) }
            let segments = report.segments.map { ($0.kind.rawValue, JSONValue.integer($0.milliseconds)) }
            if !segments.isEmpty { values["wait"] = .object(Dictionary(segments) { one, _ in one }) }
        case .startCall(let call, _):
            self.init(.toolCall, ["call": .string(call.callID), "tool": .string(call.name)])
        case .note(.sessionOpened): self.init(.sessionOpened)
        case .note(.sessionSwapped): self.init(.sessionRotated)
        case .note(.serviceReplaced(let name, let other, let reason)):
            self.init(.serviceReplaced, ["from": .string(name), "by": .string(other)])
            if let reason { values["reason"] = .string(reason) }
        case .note(.connectionLost(let failure, let pause)):
            let milliseconds = JSONValue.integer(Int(pause.milliseconds))
            self.init(.connectionLost, ["reason": .string(failure.reason), "retry_in_ms": milliseconds])
        case .note(.refused(let reason)): self.init(.serviceRefused, ["reason": .string(reason)])
        case .note(.budgetSpent(let until)): self.init(.budgetSpent, ["until": .string(until)])
        default: return nil
        }
    }
}

/// Distributes events to all subscribers. A slow subscriber loses its oldest events.
package final class DaemonEvents: Sendable {
    private struct Subscribers {
        var next = 0
        var lastTrouble: DaemonEvent?
        var history = DaemonHistory()
        var streams: [Int: AsyncStream<DaemonEvent>.Continuation] = [:]
    }

    /// One subscriber's stream of events.
    package struct Subscription: Sendable {
        package let stream: AsyncStream<DaemonEvent>
        fileprivate let end: @Sendable () -> Void

        /// Ends the stream.
        package func cancel() { end() }
    }

    private let subscribers = Mutex(Subscribers())

    package init() {}

    package func post(_ event: DaemonEvent) {
        let streams = subscribers.withLock { subscribers in
            if event.name.isTrouble { subscribers.lastTrouble = event }
            subscribers.history.note(event, at: ClockInstant.awake())
            return Array(subscribers.streams.values)
        }
        for stream in streams { stream.yield(event) }
    }

    /// Updates the history without an event.
    package func note(_ body: (inout DaemonHistory, ClockInstant) -> Void) {
        let now = ClockInstant.awake()
        subscribers.withLock { body(&$0.history, now) }
    }

    package var history: DaemonHistory { subscribers.withLock { $0.history } }

    /// The latest event that reported a problem.
    package var lastTrouble: DaemonEvent? { subscribers.withLock { $0.lastTrouble } }

    /// - Parameter capacity: maximum number of events waiting for the subscriber.
    package func subscribe(capacity: Int) -> Subscription {
        let (stream, continuation) = AsyncStream<DaemonEvent>.makeStream(bufferingPolicy: .bufferingNewest(capacity))
        let id = subscribers.withLock { subscribers in
            subscribers.next += 1
            subscribers.streams[subscribers.next] = continuation
            return subscribers.next
        }
        return Subscription(stream: stream) { [weak self] in
            self?.subscribers.withLock { $0.streams[id] = nil }
            continuation.finish()
        }
    }
}
