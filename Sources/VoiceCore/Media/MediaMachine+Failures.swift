internal import VoiceReply

/// Streams that end, break or never begin.
extension MediaMachine {
    mutating func ended(_ job: Int, _ frames: Int, _ failure: String?) {
        if next?.job == job { return nextEnded(frames, failure) }
        guard var running = current, running.job == job else { return }
        let reached = running.jobStart + Double(frames) / Self.rate
        var failure = failure
        if running.item.kind == .radio {
            failure = failure ?? "the stream ended"
        } else if failure == nil, let duration = running.duration, reached < duration * 0.98 - 3 {
            failure = "the connection ended early"
        }
        guard let failure else {
            running.end = (running.jobPosition ?? heard) + UInt64(frames)
            current = running
            return decodeAhead()
        }
        // Half a minute of sound means that the last repair worked.
        if Double(frames) > 30 * Self.rate { running.failures = 0 }
        running.failures += 1
        current = running
        if running.item.kind == .radio {
            guard running.failures <= options.reconnects, frames > 0 || running.position != nil || running.failures > 1
            else { return fail(failure) }
            wait(running.failures)
        } else {
            guard frames > 0, running.failures <= options.mends else { return fail(failure) }
            again(from: reached)
        }
    }

    private mutating func nextEnded(_ frames: Int, _ failure: String?) {
        guard let failure, let following = next else {
            if let position = next?.position { next?.end = position + UInt64(frames) }
            return
        }
        // What has been decoded of it is still played; its failure is not reported.
        if frames > 0, let position = following.position {
            next?.end = position + UInt64(frames)
            return
        }
        next = nil
        effects.append(.report(.failed(title: following.item.title, reason: failure)))
        decodeAhead()
    }

    private mutating func fail(_ reason: String) {
        let title = current?.item.title ?? ""
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
