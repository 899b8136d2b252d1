/// Opening, configuring, losing and closing the session.
extension ConversationMachine {
    mutating func activate() {
        guard link == .closed, budgetAllows() else { return }
        link = .opening
        attempts = 0
        effects.append(.connect)
    }

    mutating func deactivate() {
        guard link != .closed else { return }
        stopVoice()
        closeSession()
        link = .closed
        timers.remove(.reconnect).map { effects.append(.cancelTimer($0)) }
        effects.append(.disconnect)
    }

    mutating func sessionCreated(id: String?, expiresAt: Int?) {
        guard link == .opening else { return note(.unexpected("session.created")) }
        session += 1
        link = .configuring
        note(.sessionOpened(id: id, expiresAt: expiresAt))
        let settings = options.settings
        send({ .sessionUpdate(settings, eventID: $0) }, "settings")
        if !settings.dialect.confirmsSettings { settingsInForce() }
    }

    mutating func sessionUpdated(_ inForce: JSONValue) {
        guard link == .configuring else { return }
        let differences = options.settings.differences(from: inForce)
        if !differences.isEmpty { note(.settingsDiffer(differences.map(\.path))) }
        if let worst = differences.first(where: \.isFatal) {
            return refuse("the service did not take \(worst.path) as it was asked for")
        }
        settingsInForce()
    }

    private mutating func settingsInForce() {
        link = .ready
        attempts = 0
        effects.append(.openMicrophone)
    }

    /// A session ended that was not asked to.
    mutating func lost(_ failure: LinkFailure) {
        guard link != .closed, !timers.contains(.reconnect) else { return }
        if case .refused = link { return }
        closeSession()
        switch failure.kind {
        case .permanent:
            refuse(failure.reason)
        case .expired, .transient:
            link = .opening
            let pause = failure.kind == .expired && attempts == 0 ? .zero : backoff
            attempts += 1
            note(.connectionLost(reason: failure.reason, retryIn: pause))
            startReconnect(after: pause)
        }
    }

    /// The service will not have us: say so, and look again after a long pause.
    mutating func refuse(_ reason: String) {
        guard link != .closed else { return }
        let wasRefused = if case .refused = link { true } else { false }
        closeSession()
        link = .refused(reason)
        note(.refused(reason: reason))
        effects.append(.disconnect)
        if !wasRefused { effects.append(.play(.error)) }
        startReconnect(after: options.probePause)
    }

    /// What is true of a session is over with it. Calls go on, and audio that came in is played to its end.
    private mutating func closeSession() {
        if link == .ready { effects.append(.closeMicrophone) }
        userSpeaks = false
        owedResponse = false
        cancelsNext = false
        sequencer = ResponseSequencer()
        groups = []
        sessionResponses = []
        voice?.isDone = true
    }

    private mutating func startReconnect(after pause: Duration) {
        timers.insert(.reconnect)
        effects.append(.startTimer(.reconnect, pause))
    }

    private var backoff: Duration {
        var pause = options.reconnectFirst
        for _ in 0..<min(attempts, 16) where pause < options.reconnectLongest { pause *= 2 }
        return min(pause, options.reconnectLongest)
    }

    /// An error that ends the session for good, or one that only spoils an event.
    mutating func serverError(_ error: ServerError) {
        switch ErrorClass(error) {
        case .account, .configuration:
            refuse("\(error.code ?? error.type): \(error.message)")
        case .expired:
            effects.append(.disconnect)
            lost(LinkFailure(.expired, "the session reached its maximum duration"))
        case .activeResponse:
            sequencer.refused()
        case .settings:
            if link == .configuring {
                refuse("the service rejected the settings: \(error.message)")
            } else {
                note(.serverError(error))
            }
        case .race:
            break
        case .other:
            note(.serverError(error))
        }
    }
}
