internal import VoiceBase

/// The timers the facts require, and what happens when they fire.
extension ConversationMachine {
    /// Starts and cancels timers, so that the wanted ones run.
    mutating func watch() {
        watchSession()
        watchResponse()
        let isSilentTurn = turn.clock.map { !$0.hadVoice && !$0.hadTone } ?? false
        let isWaiting = calls.isWaiting && !turn.isUserSpeaking || turn.isWaitingEarly
        let isSilent = link.isReady && isWaiting && voice.isSilent && isSilentTurn
        if let pause = options.thinkingAfter {
            let waited = turn.clock.map { now - $0.ended } ?? .zero
            // The service may be waiting for more words.
            let wanted = turn.isWaitingEarly ? options.longestPause + pause : pause
            want(.thinking, isSilent, after: max(.zero, wanted - waited))
        }
        if let limit = options.idleLimit { want(.idle, derivedState == .listening, after: limit) }
        want(.budget, hold.isClosing, after: options.budgetGrace)
        want(.greeting, link.isReady && isQuiet && remarks.greeting.isKnown, after: options.greetAfter)
    }

    private mutating func watchSession() {
        want(.setUp, link.isSettingUp, after: setUpLimit)
        want(.proven, link.isUnproven, after: options.provenAfter)
        let renewal = link.renewal(at: now)
        want(.rotate, renewal != nil, after: renewal ?? .zero)
        want(.standbySetUp, link.standby.map { $0.phase != .ready } ?? false, after: options.sessions.setUpLimit)
        let isHandedBack = roster.beside != roster.current
        let quiet = isHandedBack ? options.handBackQuiet : options.swapQuiet
        let isDue = link.mayChange || link.isEndingBeforeNext
        want(.quiet, isDue && derivedState == .listening, after: quiet)
        let preferred = link.isReady && link.standby == nil ? roster.handBack : nil
        want(.preferred, preferred != nil, after: preferred.map { max(.zero, $0 - now) } ?? .zero)
        let swap = link.ends.map { max(.zero, $0 - options.swapMargin - now) }
        want(.swapBy, link.mayChange && swap != nil && !link.mustSwap, after: swap ?? .zero)
    }

    /// How long a session may take to become ready: if another service can replace it, no longer than a person waits.
    private var setUpLimit: Duration {
        roster.substitute(at: now) == nil
            ? options.sessions.setUpLimit : min(options.takeOverAfter, options.sessions.setUpLimit)
    }

    private mutating func watchResponse() {
        want(.speech, turn.isHeard && link.isReady, after: options.speechLongest)
        let isAwaited = turn.owesResponse || turn.isWaitingEarly || turn.awaitsUnwanted
        let limit = options.capabilities.turns == .silent ? options.silentTurnLimit : options.responseLimit
        want(.serverResponse, isAwaited && link.isReady, after: limit)
        var isRequested = false
        var isActive = false
        var isUnknown = false
        var isCancelling = false
        switch sequencer.phase {
        case .idle: break
        case .requested: isRequested = true
        case .active(nil): isUnknown = true
        case .active: isActive = true
        case .cancelling: isCancelling = true
        }
        want(.requestedResponse, isRequested, after: options.responseLimit)
        want(.activeResponse, isActive, after: options.responseLongest)
        want(.unknownResponse, isUnknown, after: options.retryPause)
        want(.cancelledResponse, isCancelling, after: options.responseLimit)
        want(.retryResponse, turn.retryAfter != nil, after: turn.retryAfter ?? .zero)
    }

    /// The service may be right to make no response to noise, and an unwanted one is not missed.
    private mutating func responseNeverCame() {
        defer { turn.responseNeverCame() }
        guard turn.owesResponse || turn.isWaitingEarly, !turn.isVoiceless, options.capabilities.turns != .silent else {
            return
        }
        note(.noAnswer(after: options.responseLimit))
        missAnswer()
    }

    mutating func fired(_ timer: ConversationTimer) {
        switch timer {
        case .setUp: setUpTimedOut(after: setUpLimit)
        case .reconnect: reconnect()
        case .proven:
            link.proved()
            roster.proved()
        case .thinking:
            turn.clock?.hadTone = true
            emit(.play(.thinking))
        case .speech:
            note(.unexpected("a turn of the user that does not end"))
            send(.clearInput)
            turn.speechTimedOut()
        case .serverResponse: responseNeverCame()
        case .requestedResponse: requestFailed()
        case .activeResponse, .cancelledResponse:
            note(.unexpected("a response that does not end"))
            sequencer.lostTrack()
        case .unknownResponse: sequencer.isBlocked ? endUnknownResponse() : sequencer.lostTrack()
        case .retryResponse: turn.retryIsDue()
        case .greeting: sayGreeting()
        case .idle: deactivate()
        case .budget: closeSpent()
        case .rotate: openStandby()
        case .standbySetUp:
            standbyFailed(LinkFailure(.transient, "the session was not ready within \(options.sessions.setUpLimit)"))
        case .quiet: link.isEndingBeforeNext ? replaceSession() : promote()
        case .preferred: tryPreferred()
        case .swapBy: link.swapIsDue()
        }
    }
}
