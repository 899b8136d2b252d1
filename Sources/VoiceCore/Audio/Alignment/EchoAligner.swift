package import Logging
internal import VoiceBase

/// Runs the delay search ten times a second, off the audio thread.
///
/// Only one may run on a feed. It survives the loss of a card: the next card begins a new epoch.
package actor EchoAligner {
    private let feed: AlignmentFeed
    private let logger: Logger
    private let interval: Duration
    private var stage = AlignmentStage()

    /// - Parameter speed: how much faster than real time the sound flows.
    package init(feed: AlignmentFeed, logger: Logger, speed: Double = 1) {
        interval = .milliseconds(100) / speed
        self.feed = feed
        self.logger = logger
    }

    /// Runs until cancelled.
    package func run() async {
        while !Task.isCancelled {
            for change in stage.step(feed) { log(change) }
            try? await Task.sleep(for: interval)
        }
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
