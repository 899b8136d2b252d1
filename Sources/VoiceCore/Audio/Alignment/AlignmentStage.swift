internal import CDSP
internal import VoiceBase

/// Delay search: takes the blocks sent by the audio thread, looks for the echo and returns corrections.
///
/// The schedule depends on the blocks alone: every half second of them, sooner while the alignment is unsure. Results are
/// therefore the same whichever thread calls `step`, as long as it calls as often. One thread at a time.
package struct AlignmentStage: ~Copyable {
    /// Blocks between two searches: half a second normally; 0.1 s while nothing is known; 0.25 s if an estimate awaits a
    /// second one that agrees, or if the echo seems to be elsewhere or is missing (two peaks of a jump within the same second
    /// prove nothing).
    private static let usual = 50
    private static let eager = 10
    private static let doubting = 25
    /// Eager searches without success, 3 s of sound, after which the search slows down (headphones).
    private static let effort = 30
    /// Failed searches for a previously confirmed echo after which the search slows down.
    private static let retries = 4
    /// The far end counts as silent below -70 dBFS.
    private static let silence: Float = 3e-4
    /// Blocks of silence after which there is nothing to search in: 2 s, more than an echo takes.
    private static let rest = 200

    /// Blocks with sound that an echo needs as evidence: 0.25 s.
    private static let leastSound = 25
    /// Searches that must find the same echo, within 1 ms, among the last eight, if each of them alone is a guess. Strong
    /// reflections are nearly as high as the direct path in every search, and the highest peak is one of two or three; rivals
    /// of tones and repetitions are as high, and do not stay.
    private static let agreeing = 3
    private static let agreement = Double(AudioFormat.deviceRate) * 1e-3

    /// Least correlation at the expected lag, as a fraction of the peak, at which the echo is still there.
    private static let still = 0.15

    private static let capacity = DelayEstimator.reference
    private static let windowBlocks = DelayEstimator.window / AlignmentBlock.samples

    private var estimator = DelayEstimator()
    package private(set) var tracker = DelayTracker()

    // The newest samples without a gap or a step: `count` of them, ending at `end`.
    private let microphone = SampleBuffer(count: 2 * capacity)
    private let reference = SampleBuffer(count: 2 * capacity)
    private var count = 0
    private var end = 0
    /// Offsets of the newest blocks, by block number.
    private let offsets: UnsafeMutablePointer<Double>
    private var blocks = 0
    /// Blocks since the loudspeaker last sounded.
    private var quietBlocks = Self.rest

    private var last: AlignmentBlock?
    private var wait = 0
    private var failures = 0
    /// Offsets of the last eight searches, those that found nothing as infinity.
    private var candidates = SIMD8<Double>(repeating: .infinity)
    private var searches = 0
    /// Whether the last search found an echo elsewhere without enough evidence.
    private var isContradicted = false

    package init() {
        offsets = .allocate(capacity: Self.windowBlocks)
        offsets.initialize(repeating: 0, count: Self.windowBlocks)
    }

    deinit { offsets.deallocate() }

    /// Whether the loudspeaker has not sounded for two seconds.
    package var isQuiet: Bool { quietBlocks >= Self.rest }

    /// Works through all blocks sent; returns the changes that the estimates caused, oldest first.
    @discardableResult
    package mutating func step(_ feed: AlignmentFeed) -> [DelayTracker.Change] {
        var changes: [DelayTracker.Change] = []
        while let block = consume(feed) {
            wait -= 1
            guard wait <= 0, count >= DelayEstimator.shortest else { continue }
            if let change = search(block, feed) { changes.append(change) }
        }
        return changes
    }

    private mutating func consume(_ feed: AlignmentFeed) -> AlignmentBlock? {
        let samples = AlignmentBlock.samples
        if end + samples > microphone.count {
            // Moves the newest samples to the front.
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
        quietBlocks = cdsp_rms(reference.base + end, samples) > Self.silence ? 0 : min(quietBlocks + 1, Self.rest)
        end += samples
        count = min(count + samples, Self.capacity)
        return block
    }

    /// Starts over: samples from before a gap or a step are useless.
    private mutating func begin(_ block: AlignmentBlock, isNewEpoch: Bool) {
        count = 0
        blocks = 0
        candidates = SIMD8(repeating: .infinity)
        wait = 0
        guard isNewEpoch, block.isUnsure else { return }
        // Another line, perhaps another card, has its own clock drift.
        if let last, block.position < last.position { tracker = DelayTracker() }
        tracker.restart(offset: block.offset, at: block.position)
        failures = 0
    }

    private mutating func search(_ block: AlignmentBlock, _ feed: AlignmentFeed) -> DelayTracker.Change? {
        wait = Self.eager
        guard cdsp_rms(reference.base + end - count, count) > Self.silence else { return nil }
        defer { wait = interval }
        let window = min(count, DelayEstimator.window)
        let lead = meanOffset(window / AlignmentBlock.samples) + Double(block.lead)
        let clear = estimator.lag(
            microphone: microphone.base + end - window, count: window, reference: reference.base + end - count,
            referenceCount: count
        )
        let repeated = agreedLag(lead: lead)
        guard let lag = clear ?? repeated else {
            failures += 1
            return nil
        }
        failures = 0
        // The middle of the window, in microphone frames.
        let place = block.position + AudioFormat.periodFrames - window * AlignmentBlock.decimation / 2
        let offset = lead - lag
        isContradicted = !isEvidence(lag, against: lead - tracker.offset(at: place), window: window)
        guard !isContradicted else { return nil }
        let change = tracker.update(offset, at: place)
        publish(change, epoch: block.epoch, at: place, feed)
        return change
    }

    /// Returns the lag of the last search if enough of the last eight agree with it.
    private mutating func agreedLag(lead: Double) -> Double? {
        let offset = estimator.candidate.map { lead - $0 } ?? .infinity
        candidates[searches % candidates.scalarCount] = offset
        searches += 1
        guard offset.isFinite else { return nil }
        let votes = candidates.indices.count { (candidates[$0] - offset).magnitude <= Self.agreement }
        return votes >= Self.agreeing ? estimator.candidate : nil
    }

    /// Returns whether an echo found may be real: a word spoken in the room can resemble one from the loudspeaker.
    ///
    /// It needs sound in the reference at its lag. It contradicts a confirmed echo path only if the reference also had sound
    /// at the expected lag and no echo of that was found.
    private func isEvidence(_ lag: Double, against expected: Double, window: Int) -> Bool {
        let (found, sounding) = heard(at: lag, window: window)
        guard sounding >= Self.leastSound else { return false }
        guard tracker.isConfirmed, (lag - expected).magnitude > DelayTracker.jump else { return true }
        return heard(at: expected, window: window).power > found * 0.25 && estimator.height(at: expected) < Self.still
    }

    /// Returns the mean power, and the number of blocks with sound, of the reference whose echo at `lag` falls into the
    /// window.
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
        // Relative to the newest offset, so that differences of large values stay exact.
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
