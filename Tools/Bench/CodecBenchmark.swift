import FoundationEssentials
import VoiceConversation
import VoiceCore
import VoiceSession

/// Audio messages in and out, compared with the general decoder and encoder.
enum CodecBenchmark {
    static let benchmark = Benchmark(
        name: "codec", title: "Audio messages (delta of 100 ms in, append of 20 ms out)", run: run
    )

    private struct Delta: Decodable {
        var type: String
        var response_id: String
        var item_id: String
        var content_index: Int
        var delta: String
    }

    private struct Append: Encodable {
        var type = "input_audio_buffer.append"
        var audio: String
    }

    private static func run(_ isQuick: Bool) async throws -> [Figure] {
        let rounds = isQuick ? 30 : 200
        let message = DeltaMessage(milliseconds: 100)
        let data = Data(message.text)
        let room = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 4096)
        defer { room.deallocate() }
        guard DeltaMessage.decode(message.text, into: room) == 2400 else { throw BenchProblem("a delta is not read") }
        let scan = TightLoop.microseconds(rounds: rounds, repeats: 20) {
            keep(DeltaMessage.decode(message.text, into: room))
        }
        let decoder = JSONDecoder()
        let general = TightLoop.microseconds(rounds: rounds, repeats: 20) {
            let delta = try? decoder.decode(Delta.self, from: data)
            keep(delta.flatMap { Data(base64Encoded: $0.delta) }?.count)
        }

        let uplink = Base64Uplink(RealtimeWire.audioMessage)
        let chunk = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(room)[..<480])
        let size = uplink.longestMessage(samples: chunk.count)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        let write = TightLoop.microseconds(rounds: rounds, repeats: 50) {
            keep(uplink.write(chunk, into: buffer))
        }
        let encoder = JSONEncoder()
        let encode = TightLoop.microseconds(rounds: rounds, repeats: 50) {
            let audio = Data(UnsafeRawBufferPointer(chunk)).base64EncodedString()
            keep(try? encoder.encode(Append(audio: audio)).count)
        }
        return [
            Figure("delta: scan + base64", scan, unit: "us"),
            Figure("delta: JSONDecoder + Data(base64Encoded:)", general, unit: "us"),
            Figure("delta: general / ours", general.median / scan.median, unit: ""),
            Figure("append: in place", write, unit: "us"),
            Figure("append: base64EncodedString + JSONEncoder", encode, unit: "us"),
            Figure("append: general / ours", encode.median / write.median, unit: ""),
        ]
    }
}
