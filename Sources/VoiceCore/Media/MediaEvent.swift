/// What happens to the media player.
package enum MediaEvent: Sendable, Equatable {
    case play(MediaItem, from: Double)
    case enqueue([MediaItem])
    case pause
    case resume
    case skip
    case previous
    case stop
    case clear
    /// Stop after so long; nil takes that back.
    case sleep(Duration?)
    /// What an item turned out to be: its title, where it begins, and what is to follow it.
    case resolved(job: Int, item: MediaItem, from: Double, more: [MediaItem])
    /// The first sound of a job is in the ring, at this position.
    case began(job: Int, position: UInt64)
    case title(job: Int, String)
    case artist(job: Int, String)
    case nowPlaying(job: Int, String)
    case duration(job: Int, Double)
    /// Nothing more comes of a job, which has decoded so many frames; `failure` nil at its regular end.
    case ended(job: Int, frames: Int, failure: String?)
    /// All frames before this position have been played.
    case played(UInt64)
    case timer(MediaTimer)
}

package enum MediaTimer: Sendable, Hashable {
    /// The pause before a stream is connected again is over.
    case reconnect
    case sleep
}

/// What the media player wants done.
package enum MediaEffect: Sendable, Equatable {
    /// Find out where the item's sound is, and decode it from this second on, behind what is in the ring.
    case prepare(job: Int, MediaItem, from: Double)
    /// End the decoder, and drop what it has decoded.
    case cut
    /// Drop what stands before this position; the decoder goes on.
    case skip(to: UInt64)
    case pause(Bool)
    case startTimer(MediaTimer, Duration)
    case cancelTimer(MediaTimer)
    /// Keep for the history: heard up to this second of it.
    case remember(MediaItem, second: Double, isDone: Bool)
    case report(MediaNews)
}

/// What the voice is told, so that it can say something about it.
package enum MediaNews: Sendable, Equatable {
    case failed(title: String, reason: String)
    case queueEnded(last: String)
    /// What follows begins.
    case itemEnded(String, next: String)
    /// Every so many items.
    case interlude(ended: String, next: String)
    case slept
}
