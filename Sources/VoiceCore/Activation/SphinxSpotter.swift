internal import CSphinx
internal import VoiceBase

/// Keyword spotting with PocketSphinx, loaded at run time: any words of its dictionary.
package final class SphinxSpotter: WakeWordDetector {
    /// How far below its threshold a word is still reported, in powers of ten.
    static let doubt = 6.0
    /// Samples to wait after a find below its threshold: its score may still grow with the rest of the word.
    private static let patience = 3840
    /// Samples after the end of a word in which its talker may still be noticed: 0.5 s.
    private static let late = 8000

    /// Peak of the noise added to the sound, with a power of -66 dBFS, as in a quiet room. PocketSphinx measures every
    /// word against the mean of the earlier sound. Behind the canceller that may be almost nothing for half a minute,
    /// such as the residual of a ringing at -85 dBFS, and then PocketSphinx recognises no word at all.
    private static let noise = 28

    private let spotter: OpaquePointer
    private var seed: UInt64 = 1
    /// Buffer for the phrase found.
    private let phrase = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 128)
    private var words: WakeWords
    /// Whether the box plays sound, or has until a moment ago.
    private var hasPlayed = false
    /// Whether a talker is heard, or the box is silent.
    private var isTalkerHeard = true
    private var gate = TalkerGate()
    /// The words that the dictionary does not have.
    package private(set) var gaps: [WordGap] = []
    /// Samples since the first find below its threshold.
    private var waited = 0

    /// - Parameter model: folder that holds "en-us" and "cmudict-en-us.dict".
    package init(_ words: WakeWords, model: String) throws(WakeWordError) {
        var error = [CChar](repeating: 0, count: 512)
        guard let opened = csphinx_open(model, "en-us", &error, error.count) else {
            phrase.deallocate()
            throw WakeWordError(String(decoding: error.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        spotter = opened
        self.words = words
        // All properties are initialised: if this throws, `deinit` cleans up.
        try listen(words)
    }

    deinit {
        csphinx_close(spotter)
        phrase.deallocate()
    }

    /// The accepted thresholds of words, as powers of ten. A clear voice scores up to 40.
    private static let thresholds = -60.0...60

    /// - Throws: for a threshold outside `thresholds`.
    static func check(_ word: WakeWords.Word) throws(WakeWordError) {
        if let sensitivity = word.sensitivity?.rawValue {
            throw WakeWordError(
                "\"\(word.text):\(sensitivity)\" is for microWakeWord models: PocketSphinx wants a power of ten, for "
                    + "instance \"\(word.text):-25\""
            )
        }
        guard let own = word.ownThreshold, !thresholds.contains(own) else { return }
        throw WakeWordError(
            "\"\(word.text):\(own)\" wants a power of ten between -60 and 60 for PocketSphinx: for instance -25"
        )
    }

    /// A word that the dictionary does not have is left out, if there is another of its kind: a typing error must not switch
    /// all of them off.
    private func listen(_ all: WakeWords) throws(WakeWordError) {
        for word in all.words { try Self.check(word) }
        func unknownPart(of word: WakeWords.Word) -> Substring? {
            word.text.split(separator: " ").first { !csphinx_knows(spotter, String($0)) }
        }
        let words = WakeWords(words: all.words.filter { unknownPart(of: $0) == nil })
        for word in all.words {
            guard let part = unknownPart(of: word) else { continue }
            let problem = WakeWordError("PocketSphinx's dictionary does not have \"\(part)\": choose another word")
            // Without any wake word the engine is of no use, however many stop words there are.
            guard word.isStop ? !words.words.isEmpty : !words.calls.words.isEmpty else { throw problem }
            gaps.append(WordGap(words: [word.text], areStops: word.isStop, why: problem))
        }
        self.words = words
        guard setThresholds() else { throw WakeWordError("PocketSphinx does not take the words") }
    }

    /// - Returns: false if PocketSphinx fails; it then processes nothing.
    private func setThresholds() -> Bool {
        let list = words.words.map { "\($0.text) /1e\(Int((needed(of: $0) - Self.doubt).rounded(.down)))/\n" }.joined()
        return csphinx_listen(spotter, list, list.utf8.count)
    }

    /// The score at which a word is reported immediately.
    private func needed(of word: WakeWords.Word) -> Double {
        word.threshold - (word.isStop && hasPlayed ? WakeRule.stopMargin : 0)
    }

    /// Lowers the thresholds of stop words only while the box plays sound: each doubtful find begins the search anew, and may
    /// cost a word. So does a new list: "Stop." often ends the sound before it is recognised.
    package func note(hasPlayed: Bool, isTalkerHeard: Bool) {
        self.isTalkerHeard = isTalkerHeard
        guard hasPlayed != self.hasPlayed else { return }
        self.hasPlayed = hasPlayed
        guard words.words.contains(where: \.isStop) else { return }
        waited = 0
        // A failure shows in `process`.
        _ = setThresholds()
    }

    package func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
        // Wake words count without a talker, too.
        let hasCalls = words.words.contains { !$0.isStop }
        let admitted = gate.admit(samples, isTalkerHeard: isTalkerHeard || hasCalls)
        if admitted.followsGap { beginSearch() }
        var found: [WakeCandidate] = []
        for start in stride(from: 0, to: admitted.sound.count, by: max(1, samples.count)) {
            let block = admitted.sound[start...].prefix(samples.count)
            let candidate = try search(block)
            // A word that ended long before the talker was heard is the box's own.
            if let candidate, admitted.sound.count - start <= Self.late + samples.count { found.append(candidate) }
        }
        return found
    }

    private func search(_ block: ArraySlice<Int16>) throws(WakeWordError) -> WakeCandidate? {
        let sound = block.map(withNoise)
        guard csphinx_process(spotter, sound, sound.count) else { throw WakeWordError("PocketSphinx fails") }
        var score = 0.0
        guard let room = phrase.baseAddress, csphinx_found(spotter, room, phrase.count, &score) else { return nil }
        var word = String(cString: room)
        while word.last == " " { word.removeLast() }
        if score < words[word].map(needed) ?? 0, waited < Self.patience {
            waited += sound.count
            return nil
        }
        beginSearch()
        return WakeCandidate(word, .score(score))
    }

    private func withNoise(_ sample: Int16) -> Int16 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int16(clamping: Int(sample) + Int(seed >> 33) % (2 * Self.noise + 1) - Self.noise)
    }

    package func reset() {
        gate = TalkerGate()
        beginSearch()
    }

    private func beginSearch() {
        waited = 0
        csphinx_restart(spotter)
    }
}
