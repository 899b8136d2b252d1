import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

struct AudioDeltaTests {
    private func find(_ text: String) -> (response: String, item: String, index: Int, audio: String)? {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { buffer in
            guard let delta = AudioDelta(buffer) else { return nil }
            func text(_ range: Range<Int>) -> String { String(decoding: buffer[range], as: UTF8.self) }
            return (text(delta.responseID), text(delta.itemID), delta.contentIndex, text(delta.audio))
        }
    }

    @Test func findsTheFieldsInAnyOrder() throws {
        let found = try #require(
            find(
                #" { "delta" : "AAEC", "event_id":"e", "meta":{"delta":"no","a":["}"]}, "content_index":2 , "#
                    + #""item_id":"i","note":"a \" quote","response_id":"r","n":-1.5e3,"type":"response.audio.delta"} "#
            )
        )
        #expect(found == ("r", "i", 2, "AAEC"))
    }

    @Test(arguments: [
        #"{"type":"response.output_audio.done","response_id":"r","item_id":"i"}"#,
        #"{"type":"response.output_audio.delta","response_id":"r","delta":"AAEC"}"#,
        #"{"type":"response.output_audio.delta","response_id":"r","item_id":"i","delta":"AA\/C"}"#,
        #"{"type":"response.output_audio.delta","response_id":"r","item_id":"i","delta":"AAEC""#,
        #"{"type":"response.output_audio.delta","response_id":"r","item_id":"i","delta":12}"#,
        #"["type","response.output_audio.delta"]"#, "",
    ])
    func leavesTheRestToTheGeneralDecoder(text: String) {
        #expect(find(text) == nil)
    }

    @Test func base64AgreesWithTheLibrary() throws {
        var generator = SeededGenerator(seed: 11)
        for count in 0..<260 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let expected = Data(bytes).base64EncodedString()
            var text = [UInt8](repeating: 0, count: Base64.encodedCount(count))
            let written = text.withUnsafeMutableBufferPointer { output in
                bytes.withUnsafeBytes { input in output.baseAddress.map { Base64.encode(input, into: $0) } ?? 0 }
            }
            #expect(written == text.count)
            #expect(String(decoding: text, as: UTF8.self) == expected)
            var back = [UInt8](repeating: 0, count: text.count)
            let decoded = back.withUnsafeMutableBufferPointer { output in
                text.withUnsafeBytes { input in output.baseAddress.flatMap { Base64.decode(input, into: $0) } ?? 0 }
            }
            #expect(decoded == count)
            #expect(Array(back.prefix(decoded)) == bytes)
        }
    }

    @Test(arguments: ["AAE", "AA=C", "A===", "AA-_", "AA C", "=AAA"])
    func base64OfAnotherKindIsRefused(text: String) {
        var output = [UInt8](repeating: 0, count: 16)
        let decoded = output.withUnsafeMutableBufferPointer { output in
            Array(text.utf8).withUnsafeBytes { input in
                output.baseAddress.flatMap { Base64.decode(input, into: $0) }
            }
        }
        #expect(decoded == nil)
    }
}
