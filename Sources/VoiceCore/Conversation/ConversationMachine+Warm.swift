/// The session that is kept open, without audio, while there is no conversation, so that a call need not wait for one.
///
/// It is the one that would be opened beside a session that ages (`Standby`), with nothing beside it: no microphone, no
/// state of the conversation. A call takes it over, however far it has come. It is replaced before its end, and when it
/// has become as old as a session may.
extension ConversationMachine {
    mutating func settleWarm() {
        guard link == .closed else { return }
        guard keepsWarm, hold.until == nil else {
            rotateAt = nil
            return dropStandby()
        }
        guard standby == nil, rotateAt == nil else { return }
        standby = Standby()
        effects.append(.connectBeside)
    }

    /// The service has it ready: it may stay so until it is too old.
    mutating func warmReady() {
        guard link == .closed, let standby, standby.phase == .ready else { return }
        standbyBackoff.reset()
        forgetTrouble()
        rotationTold = false
        rotateAt = rotation(opened: standby.opened, ends: standby.ends)
    }

    /// A call: the session that is kept ready, or on its way, carries the conversation.
    ///
    /// - Returns: false where there is none.
    mutating func adoptWarm() -> Bool {
        guard let warm = standby else { return false }
        standby = nil
        rotateAt = nil
        effects.append(.adopt)
        guard warm.phase != .opening else {
            link = .opening
            return true
        }
        session += 1
        opened = warm.opened
        ends = warm.ends
        note(.sessionOpened(id: warm.id, expiresAt: nil))
        guard warm.phase == .ready else {
            link = .configuring
            return true
        }
        settingsInForce()
        return true
    }

    /// It has become too old, or the pause after a failure is over: `settleWarm` opens another.
    mutating func renewWarm() {
        rotateAt = nil
        dropStandby()
    }

    /// Told once, until one is ready again.
    mutating func warmFailed(_ failure: LinkFailure) {
        dropStandby()
        let pause = standbyBackoff.next()
        switch failure.kind {
        case .permanent:
            failed(failure.reason, isRefusal: true)
            rotateAt = now + options.probePause
        case .limited: rotateAt = now + min(failure.retryAfter ?? options.limitedPause, options.limitedLongest) + pause
        case .expired, .transient: rotateAt = now + max(.seconds(1), pause)
        }
        guard !rotationTold else { return }
        rotationTold = true
        note(.warmFailed(reason: failure.reason))
    }
}
