internal import VoiceAudio
package import VoiceBase

/// Converts a WAV file to the format in which words are recognised: 16 kHz, mono.
package enum WakeRecording {
    package static let rate = 16_000
    /// Silence to put before and behind a recording: an engine ignores its first second, and reports a word a little after
    /// its end.
    package static let padding = [Int16](repeating: 0, count: rate * 3 / 2)
    private static let longest = 256 << 20

    /// Reads the samples of a file with 16 bits at 16 or 48 kHz; multiple channels are averaged.
    ///
    /// - Throws: why the file cannot be read, with the fix.
    package static func read(_ path: String, files: FileReader = .system) throws(WakeWordError) -> [Int16] {
        let bytes: [UInt8]
        do throws(FileReader.Fault) { bytes = try files.read(path, longest).bytes } catch {
            throw WakeWordError("\(path): \(error)")
        }
        return try parse(bytes, path: path)
    }

    static func parse(_ bytes: [UInt8], path: String) throws(WakeWordError) -> [Int16] {
        func number(_ at: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
        }
        func isNamed(_ name: StaticString, at place: Int) -> Bool {
            bytes[place..<place + 4].elementsEqual("\(name)".utf8)
        }
        guard bytes.count >= 12, isNamed("RIFF", at: 0), isNamed("WAVE", at: 8) else {
            throw WakeWordError("\(path) is no WAV file")
        }
        let advice = "sox \(path) -r 16000 -c 1 -b 16 OUT.wav makes one that is"
        var place = 12
        var (channels, rate) = (0, 0)
        while place + 8 <= bytes.count {
            let body = place + 8
            let length = min(number(place + 4, 4), bytes.count - body)
            if isNamed("fmt ", at: place), length >= 16 {
                (channels, rate) = (number(body + 2, 2), number(body + 4, 4))
                guard number(body + 14, 2) == 16, 1...8 ~= channels, rate == Self.rate || rate == 3 * Self.rate else {
                    throw WakeWordError("\(path) is not of 16 bits at 16 or 48 kHz: \(advice)")
                }
            } else if isNamed("data", at: place), channels > 0 {
                let samples = (0..<length / (2 * channels)).map { frame in
                    let sum = (0..<channels).reduce(0) { sum, channel in
                        let at = body + 2 * (frame * channels + channel)
                        return sum + Int(Int16(truncatingIfNeeded: number(at, 2)))
                    }
                    return Int16(clamping: sum / channels)
                }
                return rate == Self.rate ? samples : third(samples)
            }
            place = body + length + length % 2
        }
        throw WakeWordError("\(path) has no sound in it: \(advice)")
    }

    /// Converts 48 kHz to 16 kHz.
    private static func third(_ samples: [Int16]) -> [Int16] {
        let taps = KaiserDesign.lowPass(taps: 96, cutoff: 7600.0 / 48_000, beta: 6)
        let sum = taps.reduce(0, +)
        return stride(from: 0, to: samples.count, by: 3).map { place in
            var value = 0.0
            for (index, tap) in taps.enumerated() where place >= index { value += Double(samples[place - index]) * tap }
            return Int16(clamping: Int((value / sum).rounded()))
        }
    }
}
