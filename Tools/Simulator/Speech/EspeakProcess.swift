internal import Glibc
internal import VoiceBase

/// Runs `espeak-ng` and reads the WAV it writes.
enum EspeakProcess {
    /// Longest text that is spoken, in characters.
    static let longestText = 4000

    /// The bytes of a WAV file that speaks `text`; nil if the program is missing or fails.
    static func wave(_ text: String) -> [UInt8]? {
        var ends: [Int32] = [0, 0]
        // A socket pair can be made close-on-exec in one step: no other child may keep our end open.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        defer { close(ends[0]) }
        let words = ["espeak-ng", "--stdout", "-v", "en-us", "--", String(text.prefix(longestText))]
        let child = try? ChildProcess(words, environment: ["LC_ALL=C.UTF-8"], output: ends[1])
        close(ends[1])
        guard let child else { return nil }
        let bytes = drain(ends[0])
        return child.wait() == .exited(0) && bytes.count > 44 ? bytes : nil
    }

    private static func drain(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                bytes.append(contentsOf: buffer[..<count])
            } else if count == 0 || errno != EINTR {
                return bytes
            }
        }
    }
}
