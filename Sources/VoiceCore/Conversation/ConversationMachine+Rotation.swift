internal import VoiceConfiguration

/// The session that is opened beside the one that ages, to take over in a quiet moment.
///
///     rotate --> opening --> configuring --> ready --> promoted
///        ^-------- pause <------ failed <------'
extension ConversationMachine {
    struct Standby: Equatable, Sendable {
        enum Phase: Equatable, Sendable {
            case opening, configuring, ready
        }

        var phase = Phase.opening
        var id: String?
        var opened = Duration.zero
        var ends: Duration?
    }

    /// A session younger than this is not replaced, whatever the service says of its end: the clock may be wrong.
    private static let youngest = Duration.seconds(30)
    private static let leastPause = Duration.seconds(1)

    /// When to open the next session; nil for never.
    func rotation(opened: Duration, ends: Duration?) -> Duration? {
        let byAge = options.sessionAge.map { opened + $0 }
        let byEnd = ends.map { max($0 - options.rotationMargin, opened + Self.youngest) }
        guard let byAge, let byEnd else { return byAge ?? byEnd }
        return min(byAge, byEnd)
    }

    mutating func openStandby() {
        guard link == .ready, standby == nil else { return }
        standby = Standby()
        effects.append(.connectBeside)
    }

    mutating func dropStandby() {
        guard standby != nil else { return }
        standby = nil
        effects.append(.dropBeside)
    }

    mutating func happenedBeside(_ event: ConversationEvent) {
        guard standby != nil else { return }
        switch event {
        case .disconnected(let failure):
            link == .closed ? warmFailed(failure) : standbyFailed(failure.reason)
        case .lifetime(let left):
            guard left > .zero else { return }
            standby?.ends = now + left
            warmReady()
        case .server(.sessionCreated(let id, _)) where standby?.phase == .opening:
            standby?.phase = .configuring
            standby?.id = id
            standby?.opened = now
            standby?.ends = options.sessionLifetime.map { now + $0 }
            effects.append(.sendBeside(.sessionUpdate(options.settings, eventID: eventID("settings"))))
            if !options.settings.dialect.confirmsSettings { standby?.phase = .ready }
            warmReady()
        case .server(.sessionUpdated(let inForce)) where standby?.phase == .configuring:
            let worst = options.settings.differences(from: inForce).first(where: \.isFatal)
            if let worst {
                return standbyFailed("the service did not take \(worst.path) as it was asked for", .permanent)
            }
            standby?.phase = .ready
            warmReady()
        case .server(.error(let error)):
            switch ErrorClass(error) {
            case .account, .configuration, .settings:
                standbyFailed("\(error.code ?? error.type): \(error.message)", .permanent)
            case .expired, .limited, .service:
                standbyFailed("\(error.code ?? error.type): \(error.message)")
            case .activeResponse, .noActiveResponse, .race, .other: break
            }
        default: break
        }
    }

    /// The present session goes on; the next is tried again after a pause that grows. Told once.
    ///
    /// - Parameter kind: how soon it is worth another try where there is no present session.
    mutating func standbyFailed(_ reason: String, _ kind: LinkFailure.Kind = .transient) {
        if link == .closed { return warmFailed(LinkFailure(kind, reason)) }
        dropStandby()
        mustSwap = false
        rotateAt = now + max(Self.leastPause, standbyBackoff.next())
        guard !rotationTold else { return }
        rotationTold = true
        note(.rotationFailed(reason: reason))
    }

    /// Nothing would be lost if the session ended now; calls may be out.
    var nobodySpeaks: Bool {
        link == .ready && standby?.phase == .ready && !userSpeaks && !owedResponse && sequencer.isIdle
    }

    /// The session beside takes over.
    mutating func promote() {
        guard let next = standby, next.phase == .ready else { return }
        standby = nil
        closeSession(keepsMicrophone: true)
        standbyBackoff.reset()
        rotationTold = false
        session += 1
        opened = next.opened
        ends = next.ends
        effects.append(.promote)
        note(.sessionSwapped(id: next.id))
        sessionReady()
    }

    /// Tells the new session what was said last.
    mutating func carryOver() {
        var memory = memory
        if let question, question.text != nil { memory.forget(question.items) }
        switch options.carry {
        case .none: break
        case .summary:
            guard let summary = memory.summary else { return }
            send({ .userMessage(text: Self.note(summary), eventID: $0) }, "carry")
        case .turns:
            for line in memory.lines {
                let text = line.heard
                switch line.speaker {
                case .user: send({ .userMessage(text: text, eventID: $0) }, "carry")
                case .assistant: send({ .assistantMessage(text: text, eventID: $0) }, "carry")
                }
            }
        }
    }
}
