internal import Glibc
internal import VoiceAudio
internal import VoiceBase

/// espeak-ng, the voice of last resort: a program started for each sentence. Blocks; call it on a thread of its own.
enum EspeakVoice {
    /// Mono sound.
    struct Sound: Sendable {
        var rate: Int
        var samples: [Int16]
    }

    private static let program = "espeak-ng"
    /// In bytes: two minutes of speech.
    private static let longest = 6 << 20
    private static let limit = Duration.seconds(10)

    /// Whether espeak-ng is in PATH.
    static var isInstalled: Bool {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    /// Returns the spoken text; nil if espeak-ng is missing or fails.
    ///
    /// The text goes into a private file, because program arguments are readable by every user.
    static func speak(_ text: String, language: String) -> Sound? {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let path = folder + "/jv-espeak-\(UInt64.random(in: 0 ... .max))"
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        defer { unlink(path) }
        let bytes = Array(text.utf8)
        let isWritten = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) == $0.count }
        close(file)
        guard isWritten else { return nil }
        let words = [program, "--stdout", "-v", language, "-f", path]
        let wave = Command.run(words, environment: ["LC_ALL=C.UTF-8"], limit: limit, maximumBytes: longest)
        return wave.flatMap(sound)
    }

    /// Parses a WAV file of 16 bits and one channel. Ignores its length fields: it was written to a pipe.
    static func sound(_ wave: [UInt8]) -> Sound? {
        func number(_ at: Int, _ bytes: Int) -> Int {
            (0..<bytes).reduce(0) { $0 | Int(wave[at + $1]) << (8 * $1) }
        }
        guard wave.count > 44, wave.starts(with: Array("RIFF".utf8)), number(20, 2) == 1, number(22, 2) == 1,
            number(34, 2) == 16, (8000...48_000).contains(number(24, 4))
        else { return nil }
        var samples: [Int16] = []
        samples.reserveCapacity((wave.count - 44) / 2)
        for at in stride(from: 44, to: wave.count - 1, by: 2) {
            samples.append(Int16(truncatingIfNeeded: number(at, 2)))
        }
        return samples.isEmpty ? nil : Sound(rate: number(24, 4), samples: samples)
    }
}
