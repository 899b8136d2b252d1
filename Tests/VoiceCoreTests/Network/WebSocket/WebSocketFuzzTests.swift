import Testing

@testable import TestSupport
@testable import VoiceConversation
@testable import VoiceNetwork

struct WebSocketFuzzTests {
    private typealias Frames = WebSocketFrames

    /// A valid stream of messages, some fragmented, with control frames anywhere.
    private static func stream(_ random: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let isText = Bool.random(using: &random)
            let size = [0, 1, 20, 125, 126, 700, 7000, 65_535, 65_536].randomElement(using: &random) ?? 0
            let payload: [UInt8] =
                isText
                ? Array(String(repeating: "\u{e4}b\u{20ac}\u{1f600}", count: size / 10 + 1).utf8)
                : (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            let fragments = Int.random(in: 1...4, using: &random)
            let step = payload.count / fragments + 1
            var start = 0
            repeat {
                let end = min(start + step, payload.count)
                let opcode: UInt8 = start > 0 ? 0 : isText ? 1 : 2
                bytes += Frames.frame(opcode, Array(payload[start..<end]), fin: end == payload.count)
                start = end
                if Bool.random(using: &random) { bytes += Frames.frame(0x9, [UInt8](repeating: 5, count: 5)) }
            } while start < payload.count
        }
        return bytes + Frames.frame(0x8, [0x03, 0xe9])
    }

    @Test(arguments: 0..<12 as Range<UInt64>) func anyCutGivesTheSameEvents(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = Self.stream(&random)
        let whole = Frames.events(bytes)
        #expect(whole.last == .close(1001, ""))
        for largest in [1, 3, 100, 5000] {
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let size = min(Int.random(in: 1...largest, using: &random), rest.count)
                pieces.append(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            #expect(Frames.events(pieces) == whole)
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>) func damagedStreamsEndInOneViolationAtMost(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<8 {
            var bytes = Array(Self.stream(&random).prefix(3000))
            for _ in 0..<Int.random(in: 1...10, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let events = Frames.events(bytes)
            let violations = events.indices.filter { if case .violation = events[$0] { true } else { false } }
            #expect(violations.isEmpty || violations == [events.count - 1])
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>) func noiseDoesNotTrap(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let noise = (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = Frames.events(noise, maximumMessageBytes: 1000)
            var handshake = WebSocketHandshake(host: "h", path: "/", headers: [], key: noise.suffix(16))
            for bytes in [noise, Array("HTTP/1.1 ".utf8) + noise] {
                bytes.withUnsafeBytes { bytes in
                    var input = bytes
                    _ = handshake.receive(&input)
                }
                _ = handshake.end()
            }
        }
    }
}
