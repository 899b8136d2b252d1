internal import Glibc
internal import Synchronization

/// Turns text into 24 kHz mono PCM16.
package enum SpokenVoice: Sendable {
    /// A speech synthesiser if `espeak-ng` is installed, tones otherwise.
    case natural
    /// One marker tone per word. Each begins with a burst of noise, like a plosive: echo cancellers that estimate their
    /// delay learn nothing from pure tones. The same text always yields the same samples.
    case tones

    /// Speaks a text; empty for a text without words.
    ///
    /// `natural` runs a child process and blocks for some ten milliseconds per sentence; recent texts are cached.
    package func samples(_ text: String) -> [Int16] {
        switch self {
        case .tones: return Self.tones(text)
        case .natural:
            if let known = Self.kept.withLock({ $0[text] }) { return known }
            guard let bytes = EspeakProcess.wave(text), let wave = MonoWave.parse(bytes), !wave.samples.isEmpty else {
                return Self.tones(text)
            }
            let samples = Self.resample(wave.samples, from: wave.rate, to: 24000)
            Self.kept.withLock { kept in
                if kept.count >= Self.keptTexts { kept.removeAll() }
                kept[text] = samples
            }
            return samples
        }
    }

    /// Whether a synthesiser is installed, so that `natural` speaks in words.
    package static var hasSynthesiser: Bool { EspeakProcess.wave("yes") != nil }

    /// Cached texts, and their largest number: a long conversation repeats the same sentences.
    private static let keptTexts = 32
    private static let kept = Mutex<[String: [Int16]]>([:])

    /// The frequency of the tone that marks a word, in hertz: 300 to 2690 in steps of 10. Case and punctuation do not
    /// count.
    package static func markerFrequency(_ word: some StringProtocol) -> Double {
        // FNV-1a, 32 bits (draft-eastlake-fnv section 2).
        var hash: UInt32 = 2_166_136_261
        for byte in word.lowercased().utf8 where (97...122).contains(byte) || (48...57).contains(byte) {
            hash = (hash ^ UInt32(byte)) &* 16_777_619
        }
        return 300 + Double(hash % 240) * 10
    }

    private static func tones(_ text: String) -> [Int16] {
        var samples: [Int16] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            let frequency = markerFrequency(word)
            let length = 24 * (120 + 60 * (syllables(word) - 1))
            for index in 0..<length {
                let ramp = min(1, Double(min(index, length - index)) / 240)
                let tone = 9000 * ramp * sin(2 * .pi * frequency * Double(index) / 24000)
                samples.append(Int16(tone + (index < burst ? 9000 * noise(index) : 0)))
            }
            samples.append(contentsOf: repeatElement(0, count: 24 * 40))
        }
        return samples
    }

    /// Samples of noise at the beginning of a word: 5 ms, within the ramp of its tone.
    private static let burst = 120

    /// White noise, -1 ... 1, the same for every word (the finaliser of MurmurHash3).
    private static func noise(_ index: Int) -> Double {
        var mixed = UInt32(truncatingIfNeeded: index &+ 1) &* 0x9E37_79B9
        mixed = (mixed ^ mixed >> 16) &* 0x85EB_CA6B
        mixed = (mixed ^ mixed >> 13) &* 0xC2B2_AE35
        mixed ^= mixed >> 16
        return Double(mixed) / Double(UInt32.max) * 2 - 1
    }

    private static func syllables(_ word: some StringProtocol) -> Int {
        var groups = 0
        var inVowel = false
        for letter in word.lowercased() {
            let vowel = "aeiouy".contains(letter)
            if vowel && !inVowel { groups += 1 }
            inVowel = vowel
        }
        return max(1, min(8, groups))
    }

    /// Resamples by cubic (Catmull-Rom) interpolation, which is enough for the simulator's speech.
    package static func resample(_ input: [Int16], from source: Int, to target: Int) -> [Int16] {
        guard source > 0, target > 0, source != target, !input.isEmpty else { return input }
        let count = input.count * target / source
        func at(_ index: Int) -> Double { Double(input[max(0, min(input.count - 1, index))]) }
        return (0..<count).map { index in
            let position = Double(index) * Double(source) / Double(target)
            let whole = Int(position)
            let t = position - Double(whole)
            let (a, b, c, d) = (at(whole - 1), at(whole), at(whole + 1), at(whole + 2))
            let cubic = (3 * (b - c) + d - a) * t * t * t
            let square = (2 * a - 5 * b + 4 * c - d) * t * t
            let value = b + 0.5 * (cubic + square + (c - a) * t)
            return Int16(max(-32768, min(32767, value.rounded())))
        }
    }
}
