package import Logging
internal import VoiceBase

/// Runs the delay search off the audio thread: ten times a second while the loudspeaker sounds and for two seconds after, once a
/// second otherwise, when there is nothing to find. The results are the same, because the search goes by the blocks alone.
///
/// Only one may run on a feed. It survives the loss of a card: the next card begins a new epoch.
package actor EchoAligner {
    private let feed: AlignmentFeed
    private let bell: Doorbell
    private let logger: Logger
    private let interval: Duration
    private let mayRest: Bool
    private var stage = AlignmentStage()

    /// - Parameters:
    ///   - bell: rings when sound begins.
    ///   - speed: how much faster than real time the sound flows.
    package init(feed: AlignmentFeed, bell: Doorbell, logger: Logger, speed: Double = 1) {
        interval = .milliseconds(100) / speed
        // The feed holds 2.5 s.
        mayRest = speed <= 1
        self.feed = feed
        self.bell = bell
        self.logger = logger
    }

    /// Runs until cancelled.
    package func run() async {
        var seen = bell.rings
        var alertUntil = Duration.zero
        while !Task.isCancelled {
            look()
            let (known, now) = (seen, Monotonic.now())
            await bell.wait(&seen, until: now < alertUntil ? now + interval : nextLook(at: now))
            // It rings with the first sound; the reference holds that only once it is about to be heard.
            if seen != known { alertUntil = Monotonic.now() + .seconds(1) }
        }
    }

    /// Works through what the audio thread has sent.
    func look() {
        for change in stage.step(feed) { log(change) }
    }

    /// When to look again, unless sound begins before.
    func nextLook(at now: Duration) -> Duration {
        mayRest && stage.isQuiet ? Doorbell.beat(after: now) : now + interval
    }

    private func log(_ change: DelayTracker.Change) {
        switch change {
        case .refined:
            break
        case .doubted(let frames):
            logger.trace(
                "echo measured elsewhere, not confirmed", metadata: ["by_ms": .public(Self.milliseconds(frames))]
            )
        case .confirmed(let frames):
            logger.debug("echo found", metadata: ["by_ms": .public(Self.milliseconds(frames))])
        case .moved(let frames):
            logger.debug("echo moved", metadata: ["by_ms": .public(Self.milliseconds(frames))])
        case .jumped(let frames):
            logger.debug("echo jumped", metadata: ["by_ms": .public(Self.milliseconds(frames))])
        }
    }

    private static func milliseconds(_ frames: Double) -> Double {
        (frames * 1000 / Double(AudioFormat.deviceRate) * 100).rounded() / 100
    }
}
