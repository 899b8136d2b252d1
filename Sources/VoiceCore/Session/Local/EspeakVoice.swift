internal import Glibc
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation

/// espeak-ng, the voice of last resort: a program started for each sentence. Blocks; call it on a thread of its own.
package enum EspeakVoice {
    private static let program = "espeak-ng"
    /// In bytes: two minutes of speech.
    private static let longest = 6 << 20
    private static let limit = Duration.seconds(10)

    /// Whether espeak-ng is in PATH.
    package static var isInstalled: Bool {
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }

    /// Returns the spoken text; nil if espeak-ng is missing or fails.
    ///
    /// The text goes into a private file, because program arguments are readable by every user.
    static func speak(_ text: String, language: String) -> WaveBytes? {
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
        return wave.flatMap(WaveBytes.init).flatMap { $0.samples.isEmpty ? nil : $0 }
    }
}
