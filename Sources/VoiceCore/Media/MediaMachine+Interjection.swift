internal import VoiceReply

/// Sounds that interrupt the present item, which continues after them: announcements of the house.
///
/// An order during these sounds applies to the interrupted item. Pause, resume and previous end the sounds; orders that
/// change the following items do not.
extension MediaMachine {
    /// The item and queue that continue after an interjection.
    struct Interrupted: Sendable, Equatable {
        /// nil if nothing played.
        var item: MediaItem?
        var second: Double
        var duration: Double?
        var isPaused: Bool
        /// The items that waited.
        var queue: [MediaItem]
    }

    /// As long as Home Assistant waits for the end of an announcement.
    private static let longestInterjection = Duration.seconds(300)

    /// The item to which an order applies, and the second in it.
    package var meant: (item: MediaItem, second: Double)? {
        if let interrupted { return interrupted.item.map { ($0, interrupted.second) } }
        return current.map { ($0.item, second) }
    }

    /// Skips, seeks or removes in the interrupted item and its queue.
    mutating func changeInterrupted(_ event: MediaEvent) -> [MediaEffect] {
        guard var changed = interrupted else { return [] }
        switch event {
        case .order(.skip):
            if let item = changed.item, item.inputName == nil { noteLeft(item, second: changed.second, isDone: false) }
            changed.item = changed.queue.isEmpty ? nil : changed.queue.removeFirst()
            (changed.second, changed.duration, changed.isPaused) = (0, nil, false)
        case .order(.clear): changed.queue = []
        case .seek(let second):
            guard changed.item?.kind != .radio, second.isFinite else { return [] }
            changed.second = min(max(0, second), changed.duration ?? .greatestFiniteMagnitude)
        case .remove(let place): if changed.queue.indices.contains(place) { changed.queue.remove(at: place) }
        default: break
        }
        interrupted = changed
        return effects
    }

    /// Queues items behind the interrupted one; if nothing was interrupted, the first of them plays after the sounds.
    mutating func enqueueBehind(_ items: [MediaItem]) {
        guard var changed = interrupted else { return }
        changed.queue += items.prefix(max(0, options.longestQueue - changed.queue.count))
        if changed.item == nil, !changed.queue.isEmpty {
            (changed.item, changed.second, changed.isPaused) = (changed.queue.removeFirst(), 0, false)
            changed.duration = nil
        }
        interrupted = changed
    }

    mutating func interject(_ items: [MediaItem]) {
        guard let first = items.first else { return }
        guard interrupted == nil else {
            queue += items.prefix(max(0, options.longestQueue - queue.count))
            return decodeAhead()
        }
        rememberPlace()
        interjectionWasCut = false
        interrupted = Interrupted(
            item: current?.item, second: second, duration: current?.duration, isPaused: isPaused, queue: waiting
        )
        leave(isDone: false)
        queue = Array(items.dropFirst().prefix(options.longestQueue))
        cut()
        begin(first, from: 0)
        effects.append(.startTimer(.interjection, Self.longestInterjection))
    }

    /// Ends the interjection; the earlier queue waits again.
    mutating func dropInterjection() {
        guard let interrupted else { return }
        effects.append(.cancelTimer(.interjection))
        if current != nil { interjectionWasCut = true }
        leave(isDone: false)
        cut()
        unpause()
        queue = interrupted.queue
        self.interrupted = nil
    }

    /// Ends the interjection, and continues the interrupted item.
    mutating func restore() {
        guard let interrupted else { return }
        dropInterjection()
        guard let item = interrupted.item else { return }
        begin(item, from: item.kind == .radio ? 0 : interrupted.second)
        if interrupted.isPaused { pause() }
    }
}
