/// An order about the current and the waiting items.
package enum MediaOrder: String, Sendable, CaseIterable {
    case pause, resume, skip
    /// Back to the beginning of the current item, or to the item played before it.
    case previous
    case stop
    /// Empty the queue.
    case clear
}

/// An input of the media player's machine.
package enum MediaEvent: Sendable, Equatable {
    case play(MediaItem, from: Double)
    case enqueue([MediaItem])
    /// Play these now, one after the other, and then continue the present item.
    case interject([MediaItem])
    case order(MediaOrder)
    /// Go to this second of the current item; nothing for a live stream.
    case seek(Double)
    /// Remove the item at this place among the waiting ones, from 0.
    case remove(Int)
    /// Stop after this delay; nil cancels the timer.
    case sleep(Duration?)
    /// The item behind an address: its title, where it begins, and what follows it.
    case resolved(job: Int, item: MediaItem, from: Double, more: [MediaItem])
    /// The first sound of a job is in the ring, at this position.
    case began(job: Int, position: UInt64)
    case title(job: Int, String)
    case artist(job: Int, String)
    case nowPlaying(job: Int, String)
    case duration(job: Int, Double)
    /// A job is over after decoding this many frames; `failure` is nil at its regular end.
    case ended(job: Int, frames: Int, failure: String?)
    /// All frames before this position have been played.
    case played(UInt64)
    case timer(MediaTimer)
}

package enum MediaTimer: Sendable, Hashable {
    /// The pause before a stream is reconnected is over.
    case reconnect
    case sleep
    /// An interjection has lasted as long as one may: a stream has no end.
    case interjection
}

/// An output of the media player's machine.
package enum MediaEffect: Sendable, Equatable {
    /// Resolve the item and decode it from this second on, after the contents of the ring.
    case prepare(job: Int, MediaItem, from: Double)
    /// End the decoder and drop what it has decoded.
    case cut
    /// Drop everything before this position; the decoder continues.
    case skip(to: UInt64)
    case pause(Bool)
    case startTimer(MediaTimer, Duration)
    case cancelTimer(MediaTimer)
    /// Add the item to the history, as heard up to this second.
    case remember(MediaItem, second: Double, isDone: Bool)
    case report(MediaNews)
}

/// News for the model, so that the voice can mention it.
package enum MediaNews: Sendable, Equatable {
    case failed(title: String, reason: String)
    case queueEnded(last: String)
    /// The item ended, and the next one begins.
    case itemEnded(String, next: String)
    /// The same, once every `interludeEvery` items.
    case interlude(ended: String, next: String)
    case slept
}
