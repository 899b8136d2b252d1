import Glibc
import Synchronization
import Testing

@testable import VoiceActivation
@testable import VoiceConversation

struct WyomingTests {
    private static let stream =
        "{\"type\":\"info\",\"data_length\":2,\"payload_length\":5}\n{}\nabc\n"
        + "{\"type\":\"detection\",\"data\":{\"name\":\"hey_jarvis\",\"timestamp\":3}}\n"
        + "{\"type\":\"detection\",\"data_length\":16}\n{\"name\":\"alexa\"}"

    private static let messages = [
        WyomingMessage(type: "info"), WyomingMessage(type: "detection", name: "hey_jarvis"),
        WyomingMessage(type: "detection", name: "alexa"),
    ]

    @Test(arguments: [1, 2, 7, 1000]) func messagesAreReadHoweverTheyAreCut(size: Int) throws {
        var decoder = WyomingDecoder()
        var read: [WyomingMessage] = []
        let bytes = Array(Self.stream.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            read += try decoder.take(bytes[start..<min(bytes.count, start + size)])
        }
        #expect(read == Self.messages)
    }

    @Test(arguments: [
        "\n", "[]\n", "{\"type\":\"x\",\"data_length\":-1}\n", "{\"type\":\"x\",\"payload_length\":99999999}\n",
    ])
    func whatIsNoMessageEndsIt(text: String) {
        var decoder = WyomingDecoder()
        #expect(throws: WakeWordError.self) { try decoder.take(Array(text.utf8)) }
    }

    @Test func aLineWithoutEndIsNotKept() {
        var decoder = WyomingDecoder()
        #expect(throws: WakeWordError.self) {
            for _ in 0..<100 { _ = try decoder.take([UInt8](repeating: 97, count: 1000)) }
        }
    }

    @Test func anyBytesAreSurvived() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<500 {
            var bytes = Array(Self.stream.utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            var decoder = WyomingDecoder()
            _ = try? decoder.take(bytes)
        }
    }

    @Test func nobodyThereIsSaidSo() {
        #expect(throws: WakeWordError("no Wyoming server answers at 127.0.0.1:9")) {
            _ = try WyomingDetector(address: "127.0.0.1:9", words: WakeWords(wake: "a", stop: "", threshold: 0))
        }
    }

    @Test func whatTheMicrophoneHearsReachesTheServerAndItsFindsUs() throws {
        let received = Collected<UInt8>()
        let server = try LoopbackServer { socket in
            // Header, header, header + 640 samples of payload.
            while received.all.count < 1500 { received.add(socket.read(4096)) }
            socket.write(Array(Self.stream.utf8))
            while !socket.read(4096).isEmpty {}
        }
        let detector = try WyomingDetector(
            address: "127.0.0.1:\(server.port)",
            words: WakeWords(wake: "hey_jarvis", stop: "stop", threshold: 0)
        )
        let samples = (0..<640).map { Int16($0) }
        var found: [WakeCandidate] = []
        while found.isEmpty {
            found = try samples.withUnsafeBufferPointer { try detector.process($0) }
            usleep(10_000)
        }
        #expect(found.map(\.word) == ["hey_jarvis", "alexa"])
        let text = String(decoding: received.all, as: UTF8.self)
        #expect(
            text.hasPrefix("{\"type\":\"detect\",\"data\":{\"names\":[\"hey_jarvis\"]}}\n{\"type\":\"audio-start\"")
        )
        #expect(text.contains("\"payload_length\":1280}\n"))
        withExtendedLifetime(server) {}
    }

    /// It would keep its thread, and so the end of the daemon, waiting for ever.
    @Test func aServerThatNeverStopsSendingIsGivenUp() throws {
        let server = try LoopbackServer { socket in
            let line = Array(String(repeating: "{\"type\":\"info\"}\n", count: 4096).utf8)
            for _ in 0..<4096 { socket.write(line) }
        }
        let detector = try WyomingDetector(
            address: "127.0.0.1:\(server.port)",
            words: WakeWords(wake: "hey_jarvis", stop: "", threshold: 0)
        )
        let samples = [Int16](repeating: 0, count: 640)
        #expect(throws: WakeWordError.self) {
            for _ in 0..<1000 {
                _ = try samples.withUnsafeBufferPointer { try detector.process($0) }
                usleep(10_000)
            }
        }
    }
}
