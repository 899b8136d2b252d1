internal import Glibc

/// Measurements of the audio in which a word was found.
package struct WordEvidence: Equatable, Sendable {
    /// Level of the word's loudest 300 ms, in dBFS.
    package var level: Double
    /// That level relative to the room's noise, in dB.
    package var overNoise: Double
    /// Voiced time within the last 1.2 s, in milliseconds.
    package var voiceMilliseconds: Int

    package init(level: Double, overNoise: Double, voiceMilliseconds: Int) {
        self.level = level
        self.overNoise = overNoise
        self.voiceMilliseconds = voiceMilliseconds
    }
}

/// The last seconds of the microphone at 16 kHz, for a second look at a word. Bounded: the oldest samples are dropped.
package struct RecentSound {
    /// Samples in 10 ms.
    private static let frame = 160
    /// What is kept at least: 2.4 s of samples, in samples, and 6 s of levels, in frames.
    private static let longest = 240 * frame
    private static let levels = 600
    /// Length of a word with the engine's delay, and of its loudest part, in frames.
    private static let word = 120
    private static let loudest = 30

    /// At least the newest 2.4 s; the newest sample is last.
    private var samples: [Int16] = []
    /// Mean power of each 10 ms at full scale 1; the newest is last.
    private var powers: [Float] = []
    /// Number of samples not yet included in a power.
    private var unmeasured = 0

    package init() {
        samples.reserveCapacity(2 * Self.longest + Self.frame)
        powers.reserveCapacity(2 * Self.levels)
    }

    package mutating func take(_ block: UnsafeBufferPointer<Int16>) {
        samples += block
        unmeasured += block.count
        while unmeasured >= Self.frame, unmeasured <= samples.count {
            let start = samples.count - unmeasured
            let sum = samples[start..<start + Self.frame].reduce(Float(0)) { $0 + Float($1) * Float($1) }
            powers.append(sum / Float(Self.frame) / (32_768 * 32_768))
            unmeasured -= Self.frame
        }
        // Drops half at a time, so that samples are rarely moved.
        if samples.count > 2 * Self.longest { samples.removeFirst(samples.count - Self.longest) }
        if powers.count > 2 * Self.levels { powers.removeFirst(powers.count - Self.levels) }
    }

    package mutating func forget() {
        samples.removeAll(keepingCapacity: true)
        powers.removeAll(keepingCapacity: true)
        unmeasured = 0
    }

    /// Returns the newest samples, at most this many.
    func newest(_ count: Int) -> ArraySlice<Int16> { samples.suffix(count) }

    /// Measures the newest audio; nil in the first 1.2 s.
    package var evidence: WordEvidence? {
        guard powers.count >= Self.word, samples.count >= Self.word * Self.frame + unmeasured else { return nil }
        let sorted = powers.suffix(Self.levels).sorted()
        // The level in the pauses: the room, or whatever plays in it.
        let floor = max(sorted[sorted.count / 5], 1e-9)
        let word = powers.suffix(Self.word)
        let loud = word.sorted().suffix(Self.loudest).reduce(0, +) / Float(Self.loudest)
        var voiced = 0
        for (index, power) in word.enumerated() where power >= floor * SecondLook.powerOverNoise {
            if isPeriodic(frame: index) { voiced += 1 }
        }
        return WordEvidence(
            level: 10 * log10(Double(max(loud, 1e-10))),
            overNoise: 10 * log10(Double(loud / floor)),
            voiceMilliseconds: 10 * voiced
        )
    }

    /// Returns whether the 30 ms that end with a frame of the word are periodic at the pitch of a voice, 70 to 400 Hz.
    private func isPeriodic(frame index: Int) -> Bool {
        // At 4 kHz, which is enough for pitch: 120 samples, preceded by the longest lag.
        let (count, shortest, longest) = (120, 10, 57)
        let end = samples.count - unmeasured - (Self.word - 1 - index) * Self.frame
        let start = end - 4 * (count + longest)
        guard start >= 0 else { return false }
        return samples.withUnsafeBufferPointer { samples in
            withUnsafeTemporaryAllocation(of: Float.self, capacity: count + longest) { slow in
                for place in 0..<count + longest {
                    let at = start + 4 * place
                    slow[place] = Float(
                        Int(samples[at]) + Int(samples[at + 1]) + Int(samples[at + 2]) + Int(samples[at + 3])
                    )
                }
                var energy: Float = 1
                for place in longest..<count + longest { energy += slow[place] * slow[place] }
                for lag in shortest...longest {
                    var product: Float = 0
                    var other: Float = 1
                    for place in longest..<count + longest {
                        product += slow[place] * slow[place - lag]
                        other += slow[place - lag] * slow[place - lag]
                    }
                    if product > 0, product * product > 0.25 * energy * other { return true }
                }
                return false
            }
        }
    }
}
