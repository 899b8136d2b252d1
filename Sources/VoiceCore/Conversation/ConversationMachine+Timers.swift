internal import VoiceBase

/// The timers that the facts ask for, and what their end means.
extension ConversationMachine {
    /// Starts and cancels timers, so that those run that are wanted.
    mutating func watch() {
        watchSession()
        watchResponse()
        let isSilentTurn = turn.map { !$0.hadVoice && !$0.hadTone } ?? false
        let silentCall = link == .ready && calls.isWaiting && voice == nil && !userSpeaks && isSilentTurn
        if let pause = options.thinkingAfter { want(.thinking, silentCall, after: pause) }
        if let limit = options.idleLimit { want(.idle, derivedState == .listening, after: limit) }
        want(.budget, hold.isClosing, after: options.budgetGrace)
    }

    private mutating func watchSession() {
        let isSettingUp = link == .opening && !timers.contains(.reconnect) || link == .configuring
        want(.setUp, isSettingUp, after: options.setUpLimit)
        want(.proven, link == .ready && backoff.attempts > 0, after: options.provenAfter)
        let rotation = rotateAt ?? .zero
        let isAgeing = link == .ready && standby == nil || link == .closed
        want(.rotate, isAgeing && rotateAt != nil, after: max(.zero, rotation - now))
        want(.standbySetUp, standby.map { $0.phase != .ready } ?? false, after: options.setUpLimit)
        let mayChange = link == .ready && standby?.phase == .ready
        want(.quiet, mayChange && derivedState == .listening, after: options.swapQuiet)
        let swap = (ends ?? .zero) - options.swapMargin
        want(.swapBy, mayChange && ends != nil && !mustSwap, after: max(.zero, swap - now))
    }

    private mutating func watchResponse() {
        want(.speech, hearsUser && link == .ready, after: options.speechLongest)
        want(.serverResponse, (owedResponse || awaitsUnwanted) && link == .ready, after: options.responseLimit)
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
        want(.unknownResponse, isUnknown, after: options.responseLimit)
        want(.cancelledResponse, isCancelling, after: options.responseLimit)
        want(.retryResponse, retryAfter != nil, after: retryAfter ?? .zero)
    }

    private mutating func want(_ timer: ConversationTimer, _ wanted: Bool, after pause: Duration) {
        if wanted, timers.insert(timer).inserted {
            effects.append(.startTimer(timer, pause))
        } else if !wanted, timers.remove(timer) != nil {
            effects.append(.cancelTimer(timer))
        }
    }

    mutating func fired(_ timer: ConversationTimer) {
        switch timer {
        case .setUp:
            effects.append(.disconnect)
            lost(LinkFailure(.transient, "the session was not ready within \(options.setUpLimit)"))
        case .reconnect:
            guard link == .opening || link == .refused else { return }
            link = .opening
            effects.append(.connect)
        case .proven: backoff.reset()
        case .thinking:
            turn?.hadTone = true
            effects.append(.play(.thinking))
        case .speech:
            note(.unexpected("a turn of the user that does not end"))
            send({ .clearInput(eventID: $0) }, "clear")
            hearsUser = false
            if userSpeaks { question = nil }
            userSpeaks = false
        case .serverResponse:
            // The server heard a turn and made no response of it, noise perhaps.
            owedResponse = false
            awaitsUnwanted = false
            question = nil
        case .requestedResponse: requestFailed()
        case .activeResponse, .cancelledResponse:
            note(.unexpected("a response that does not end"))
            sequencer.lostTrack()
        case .unknownResponse: endUnknownResponse()
        case .retryResponse: retryAfter = nil
        case .idle: deactivate()
        case .budget: closeSpent()
        case .rotate: link == .closed ? renewWarm() : openStandby()
        case .standbySetUp: standbyFailed("the session was not ready within \(options.setUpLimit)")
        case .quiet: promote()
        case .swapBy: mustSwap = true
        }
    }
}
