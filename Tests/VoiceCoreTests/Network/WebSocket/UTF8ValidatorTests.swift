import Testing

@testable import TestSupport
@testable import VoiceConversation
@testable import VoiceNetwork

struct UTF8ValidatorTests {
    /// Whether the bytes, in pieces of this size, are a complete text.
    private static func isText(_ bytes: [UInt8], pieces: Int) -> Bool {
        var validator = UTF8Validator()
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            let piece = Array(bytes[start..<min(start + pieces, bytes.count)])
            guard piece.withUnsafeBytes({ validator.accept($0) }) else { return false }
        }
        return validator.isComplete
    }

    @Test(arguments: 1...9) func agreesWithTheStandardLibrary(pieces: Int) {
        var random = SeededGenerator(seed: UInt64(pieces))
        for _ in 0..<500 {
            var bytes = [UInt8]("kosme \u{3ba}\u{1f79} \u{10ffff} \u{d7ff}\u{e000} end of the text".utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            #expect(Self.isText(bytes, pieces: pieces) == (String(validating: bytes, as: UTF8.self) != nil))
        }
    }

    /// RFC 3629 section 4: overlong forms, surrogates, beyond U+10FFFF, stray bytes.
    @Test(
        arguments: [
            [0xc0, 0xaf], [0xe0, 0x80, 0xaf], [0xf0, 0x80, 0x80, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80],
            [0xf5, 0x80, 0x80, 0x80], [0x80], [0xff], [0xfe], [0xe2, 0x28, 0xa1],
        ] as [[UInt8]]
    )
    func invalidSequencesAreRefused(bytes: [UInt8]) {
        #expect(!Self.isText(bytes, pieces: 1))
        #expect(!Self.isText(bytes, pieces: bytes.count))
    }

    /// The second byte already decides: F4 90 can never become a character.
    @Test func failsAtTheFirstImpossibleByte() {
        var validator = UTF8Validator()
        #expect(([0x61, 0xf4] as [UInt8]).withUnsafeBytes { validator.accept($0) })
        #expect(!validator.isComplete)
        #expect(!([0x90] as [UInt8]).withUnsafeBytes { validator.accept($0) })
    }
}
