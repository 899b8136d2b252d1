import VoiceBase
import VoiceNetwork

/// Measures the cost of sending and receiving a text message of 7 kB, the size of 100 ms of audio in base64.
enum FrameCost {
    private static let size = 7000
    private static let rounds = 20_000

    static func measure() {
        let text = [UInt8](repeating: 0x61, count: size)
        var frame: [UInt8] = [0x81, 126, UInt8(size >> 8), UInt8(size & 0xff)]
        frame += text

        var session = WebSocketSession()
        report("encode, copied") {
            text.withUnsafeBytes { _ = session.send(text: $0) }
            if let bytes = session.nextToSend() { session.sent(bytes.count) }
        }
        report("encode, in place") {
            _ = session.send(textOfAtMost: size) { $0.count }
            if let bytes = session.nextToSend() { session.sent(bytes.count) }
        }
        report("decode, whole") { frame.withUnsafeBytes { _ = received(&session, $0) } }
        report("decode, cut in two") {
            frame.withUnsafeBytes { bytes in
                _ = received(&session, UnsafeRawBufferPointer(rebasing: bytes[..<3000]))
                _ = received(&session, UnsafeRawBufferPointer(rebasing: bytes[3000...]))
            }
        }
    }

    private static func received(_ session: inout WebSocketSession, _ bytes: UnsafeRawBufferPointer) -> Int {
        var input = bytes
        var total = 0
        while case .text(let text)? = session.next(&input) { total += text.count }
        return total
    }

    /// The median of 21 batches, so that load on the machine has little effect.
    private static func report(_ name: String, _ body: () -> Void) {
        let batch = rounds / 21
        let times = (0..<21).map { _ in
            ContinuousClock().measure { for _ in 0..<batch { body() } } / batch
        }
        let median = times.sorted().quantile(0.5) ?? .zero
        print("\(name): \(median.components.attoseconds / 1_000_000_000) ns for \(size) bytes")
    }
}
