internal import VoiceReply

/// Streams that end, break or never begin.
extension MediaMachine {
    mutating func ended(_ job: Int, _ frames: Int, _ failure: String?) {
        if next?.job == job { return nextEnded(frames, failure) }
        guard var running = current, running.job == job else { return }
        // The program at the other end is silent: nothing to report, and nothing to try again.
        if running.item.inputName != nil {
            leave(isDone: true)
            return advance()
        }
        if let failure = running.failure(after: frames, failure) { return broke(frames, failure) }
        running.end = (running.jobPosition ?? heard) + UInt64(frames)
        current = running
        decodeAhead()
    }

    private mutating func nextEnded(_ frames: Int, _ failure: String?) {
        guard var following = next else { return }
        if let failure = following.failure(after: frames, failure) {
            guard frames > 0, following.position != nil else {
                next = nil
                if let other = following.other {
                    queue.insert(other, at: 0)
                    return decodeAhead()
                }
                if interrupted != nil { interjectionWasCut = true }
                effects.append(.report(.failed(title: following.item.title, reason: failure)))
                return decodeAhead()
            }
            // The decoded part is still played; the item is resumed when its turn comes.
            following.broken = Broken(frames: frames, failure: failure)
        } else {
            following.end = following.position.map { $0 + UInt64(frames) }
        }
        next = following
    }

    /// Makes the item that is decoded after the current one the current one.
    mutating func takeNext() {
        guard var following = next else { return }
        let broken = following.broken
        following.broken = nil
        (current, next) = (following, nil)
        if let broken { broke(broken.frames, broken.failure) } else { decodeAhead() }
    }

    private mutating func broke(_ frames: Int, _ failure: String) {
        guard var running = current else { return }
        if frames == 0, let other = running.other {
            running.item = other
            current = running
            return again(from: 0)
        }
        let reached = running.reached(after: frames)
        // Half a minute of sound means that the last repair worked.
        if Double(frames) > 30 * Self.rate { running.failures = 0 }
        running.failures += 1
        current = running
        if running.item.kind == .radio {
            guard running.failures <= options.reconnects, frames > 0 || running.hasBegun else { return fail(failure) }
            wait(running.failures)
        } else {
            guard frames > 0, running.failures <= options.mends else { return fail(failure) }
            again(from: reached)
        }
    }

    private mutating func fail(_ reason: String) {
        let title = current?.item.title ?? ""
        if interrupted != nil { interjectionWasCut = true }
        leave(isDone: false)
        effects.append(.report(.failed(title: title, reason: reason)))
        advance()
    }

    private mutating func wait(_ failures: Int) {
        isReconnecting = true
        let pause = options.reconnectFirst * (1 << min(failures - 1, 10))
        effects.append(.startTimer(.reconnect, min(pause, options.reconnectLongest)))
    }

    mutating func reconnect() {
        guard isReconnecting else { return }
        isReconnecting = false
        guard current != nil, !isPaused else { return }
        again(from: 0)
    }

    /// Decodes the current item again, after the contents of the ring.
    mutating func again(from second: Double) {
        guard var running = current else { return }
        jobs += 1
        (running.job, running.jobStart, running.jobPosition) = (jobs, second, nil)
        // The part of a recording that is in the ring is still heard, and the rest follows without a gap.
        if running.item.kind == .radio { running.position = nil }
        running.end = nil
        current = running
        effects.append(.prepare(job: jobs, running.item, from: second))
    }

    mutating func cancelReconnect() {
        guard isReconnecting else { return }
        isReconnecting = false
        effects.append(.cancelTimer(.reconnect))
    }
}

extension MediaMachine.Running {
    /// The same item by the next address of its list; nil if something of it was decoded, or there is none.
    var other: MediaItem? {
        guard !hasBegun, item.hasOthers else { return nil }
        var other = item
        (other.tried, other.hasOthers) = (item.tried + 1, false)
        return other
    }

    /// The second of the item that its latest job reached.
    func reached(after frames: Int) -> Double { jobStart + Double(frames) / MediaMachine.rate }

    /// Why its latest job is not the end of the item; nil if it is.
    func failure(after frames: Int, _ failure: String?) -> String? {
        if item.kind == .radio { return failure ?? "the stream ended" }
        guard failure == nil, let duration, reached(after: frames) < duration * 0.98 - 3 else { return failure }
        return "the connection ended early"
    }
}
