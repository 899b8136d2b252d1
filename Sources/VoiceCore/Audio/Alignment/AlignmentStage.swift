internal import CDSP
internal import VoiceBase

/// The search for the delay: takes the blocks the audio thread sent, looks for the echo, hands back corrections.
///
/// When it looks depends on the blocks alone, every half second of them, sooner while the alignment is not sure; so the
/// results are the same whichever thread calls `step`, as long as it is called as often. One thread at a time.
package struct AlignmentStage: ~Copyable {
    /// Blocks between two searches: half a second; a tenth while nothing is known; a quarter when an estimate waits for
    /// another one that agrees, or the echo seems to be elsewhere, or is not where it was (two peaks of a jump in the same
    /// second say nothing).
    private static let usual = 50
    private static let eager = 10
    private static let doubting = 25
    /// Eager searches without success, 3 s of sound, after which it is not worth the effort (headphones).
    private static let effort = 30
    /// The same for an echo that was confirmed and is not found any more.
    private static let retries = 4
    /// Below -70 dBFS the far end is silent.
    private static let silence: Float = 3e-4

    /// Blocks with sound that an echo is found by: 0.25 s.
    private static let leastSound = 25
    /// Correlation at the expected place from which the echo still is there, as a fraction of the peak.
    private static let still = 0.15

    private static let capacity = DelayEstimator.reference
    private static let windowBlocks = DelayEstimator.window / AlignmentBlock.samples

    private var estimator = DelayEstimator()
    package private(set) var tracker = DelayTracker()

    // The newest samples without a gap or a step: `count` of them, up to `end`.
    private let microphone = SampleBuffer(count: 2 * capacity)
    private let reference = SampleBuffer(count: 2 * capacity)
    private var count = 0
    private var end = 0
    /// What the newest blocks were corrected by, by block number.
    private let offsets: UnsafeMutablePointer<Double>
    private var blocks = 0

    private var last: AlignmentBlock?
    private var wait = 0
    private var failures = 0
    /// The last search found an echo elsewhere that may be none.
    private var isContradicted = false

    package init() {
        offsets = .allocate(capacity: Self.windowBlocks)
        offsets.initialize(repeating: 0, count: Self.windowBlocks)
    }

    deinit { offsets.deallocate() }

    /// Works through everything that was sent; returns what the estimates changed, oldest first.
    @discardableResult
    package mutating func step(_ feed: AlignmentFeed) -> [DelayTracker.Change] {
        var changes: [DelayTracker.Change] = []
        while let block = take(feed) {
            wait -= 1
            guard wait <= 0, count >= DelayEstimator.shortest else { continue }
            if let change = search(block, feed) { changes.append(change) }
        }
        return changes
    }

    private mutating func take(_ feed: AlignmentFeed) -> AlignmentBlock? {
        let samples = AlignmentBlock.samples
        if end + samples > microphone.count {
            // The newest go to the front.
            let kept = min(count, Self.capacity - samples)
            microphone.base.update(from: microphone.base + end - kept, count: kept)
            reference.base.update(from: reference.base + end - kept, count: kept)
            end = kept
            count = kept
        }
        guard let block = feed.pop(microphone: microphone.base + end, reference: reference.base + end)
        else { return nil }
        let isNewEpoch = last?.epoch != block.epoch
        if isNewEpoch || last.map({ $0.position + AudioFormat.periodFrames }) != block.position {
            begin(block, isNewEpoch: isNewEpoch)
        }
        last = block
        offsets[blocks % Self.windowBlocks] = block.offset
        blocks += 1
        end += samples
        count = min(count + samples, Self.capacity)
        return block
    }

    /// Samples from before a gap or a step are of no use any more.
    private mutating func begin(_ block: AlignmentBlock, isNewEpoch: Bool) {
        count = 0
        blocks = 0
        wait = 0
        guard isNewEpoch, block.isUnsure else { return }
        // Another line, perhaps another card: its clocks have a drift of their own.
        if let last, block.position < last.position { tracker = DelayTracker() }
        tracker.restart(offset: block.offset, at: block.position)
        failures = 0
    }

    private mutating func search(_ block: AlignmentBlock, _ feed: AlignmentFeed) -> DelayTracker.Change? {
        wait = Self.eager
        guard cdsp_rms(reference.base + end - count, count) > Self.silence else { return nil }
        defer { wait = interval }
        let window = min(count, DelayEstimator.window)
        guard
            let lag = estimator.lag(
                microphone: microphone.base + end - window,
                count: window,
                reference: reference.base + end - count,
                referenceCount: count
            )
        else {
            failures += 1
            return nil
        }
        failures = 0
        // What was heard in the middle of the window.
        let place = block.position + AudioFormat.periodFrames - window * AlignmentBlock.decimation / 2
        let lead = meanOffset(window / AlignmentBlock.samples) + Double(block.lead)
        let offset = lead - lag
        isContradicted = !isEvidence(lag, against: lead - tracker.offset(at: place), window: window)
        guard !isContradicted else { return nil }
        let change = tracker.update(offset, at: place)
        publish(change, epoch: block.epoch, at: place, feed)
        return change
    }

    /// Whether an echo that was found may be one: a word of somebody in the room can be like a word of the loudspeaker's.
    ///
    /// There must have been sound for it. And it says something against where the echo is taken to be only if there was
    /// sound for that too, and no echo of it.
    private func isEvidence(_ lag: Double, against expected: Double, window: Int) -> Bool {
        let (found, sounding) = heard(at: lag, window: window)
        guard sounding >= Self.leastSound else { return false }
        guard tracker.isConfirmed, (lag - expected).magnitude > DelayTracker.jump else { return true }
        return heard(at: expected, window: window).power > found * 0.25 && estimator.height(at: expected) < Self.still
    }

    /// The reference that would have its echo within the window after a lag: its mean power, and how many blocks of it
    /// hold sound.
    private func heard(at lag: Double, window: Int) -> (power: Float, sounding: Int) {
        let samples = AlignmentBlock.samples
        let shift = Int((lag / Double(AlignmentBlock.decimation)).rounded())
        var power: Float = 0
        var sounding = 0
        var start = end - shift - window
        while start + samples <= end - shift {
            if start >= end - count && start + samples <= end {
                let level = cdsp_rms(reference.base + start, samples)
                power += level * level
                if level > Self.silence { sounding += 1 }
            }
            start += samples
        }
        return (power * Float(samples) / Float(window), sounding)
    }

    private var interval: Int {
        if !tracker.isConfirmed { return failures < Self.effort ? Self.eager : Self.usual }
        return tracker.isDoubting || isContradicted || (1...Self.retries).contains(failures)
            ? Self.doubting : Self.usual
    }

    private func meanOffset(_ newest: Int) -> Double {
        // Relative to one of them: the difference of large figures is exact.
        let base = offsets[(blocks - 1) % Self.windowBlocks]
        var sum = 0.0
        for index in blocks - newest..<blocks { sum += offsets[index % Self.windowBlocks] - base }
        return base + sum / Double(newest)
    }

    private func publish(_ change: DelayTracker.Change?, epoch: UInt64, at place: Int, _ feed: AlignmentFeed) {
        switch change {
        case nil, .doubted: return
        case .confirmed, .refined, .moved, .jumped: break
        }
        var correction = AlignmentCorrection()
        correction.epoch = epoch
        correction.position = place
        correction.offset = tracker.offset(at: place)
        correction.drift = tracker.drift
        feed.publish(correction)
    }
}
