internal import VoiceReply

/// Sounds that interrupt what plays, which continues after them: announcements of the house.
///
/// An order about what plays ends them: it means what they have interrupted.
extension MediaMachine {
    /// What continues after an interjection.
    struct Interrupted: Sendable, Equatable {
        /// nil if nothing played.
        var item: MediaItem?
        var second: Double
        var isPaused: Bool
        /// What waited.
        var queue: [MediaItem]
    }

    /// As long as Home Assistant waits for the end of an announcement.
    private static let longestInterjection = Duration.seconds(300)

    mutating func interject(_ items: [MediaItem]) {
        guard let first = items.first else { return }
        guard interrupted == nil else {
            queue += items.prefix(max(0, options.longestQueue - queue.count))
            return decodeAhead()
        }
        rememberPlace()
        interrupted = Interrupted(item: current?.item, second: second, isPaused: isPaused, queue: waiting)
        leave(isDone: false)
        queue = Array(items.dropFirst().prefix(options.longestQueue))
        cut()
        begin(first, from: 0)
        effects.append(.startTimer(.interjection, Self.longestInterjection))
    }

    /// Ends the interjection; what waited before waits again.
    mutating func dropInterjection() {
        guard let interrupted else { return }
        effects.append(.cancelTimer(.interjection))
        leave(isDone: false)
        cut()
        unpause()
        queue = interrupted.queue
        self.interrupted = nil
    }

    /// Ends the interjection, and lets what it has interrupted continue.
    mutating func restore() {
        guard let interrupted else { return }
        dropInterjection()
        guard let item = interrupted.item else { return }
        begin(item, from: item.kind == .radio ? 0 : interrupted.second)
        if interrupted.isPaused { pause() }
    }
}
