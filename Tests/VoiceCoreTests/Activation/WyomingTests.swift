import Glibc
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceNetwork

struct WyomingTests {
    private static let stream =
        "{\"type\":\"info\",\"data_length\":2,\"payload_length\":5}\n{}\nabc\n"
        + "{\"type\":\"detection\",\"data\":{\"name\":\"hey_jarvis\",\"timestamp\":3}}\n"
        + "{\"type\":\"detection\",\"data_length\":16}\n{\"name\":\"alexa\"}"

    @Test func missingServerIsNamed() {
        #expect(throws: WakeWordError("no Wyoming server answers at 127.0.0.1:9")) {
            _ = try WyomingDetector(address: "127.0.0.1:9", words: WakeWords(wake: "a", stop: "", threshold: 0))
        }
    }

    @Test func anAddressIsNamedAsItWasWritten() {
        let words = WakeWords(words: [])
        #expect(throws: WakeWordError("no Wyoming server answers at [::1]:9")) {
            _ = try WyomingDetector(address: "[::1]:9", words: words)
        }
        #expect(throws: WakeWordError("activation.wyoming_address \(HostAndPort.wanted)")) {
            _ = try WyomingDetector(address: "::1:10400", words: words)
        }
    }

    @Test func microphoneReachesTheServerAndItsFindsReturn() throws {
        let received = Collected<UInt8>()
        let server = try LoopbackServer { socket in
            // Header, header, header + 640 samples of payload.
            while received.all.count < 1500 { received.add(socket.read(4096)) }
            socket.write(Array(Self.stream.utf8))
            while !socket.read(4096).isEmpty {}
        }
        let detector = try WyomingDetector(
            address: "127.0.0.1:\(server.port)", words: WakeWords(wake: "hey_jarvis", stop: "stop", threshold: 0)
        )
        let samples = (0..<640).map { Int16($0) }
        var found: [WakeCandidate] = []
        while found.isEmpty {
            found = try samples.withUnsafeBufferPointer { try detector.process($0) }
            usleep(10_000)
        }
        // "alexa" is not configured.
        #expect(found.map(\.word) == ["hey_jarvis"])
        var decoder = WyomingDecoder()
        let frames = try decoder.consume(received.all)
        #expect(frames.prefix(2).map(\.type) == ["detect", "audio-start"])
        #expect(frames.first?.data == ["names": ["hey_jarvis"]])
        let chunk = try #require(frames.first { $0.type == "audio-chunk" })
        #expect(
            WyomingEvent(chunk) == .audioChunk(.microphone, samples.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        )
        withExtendedLifetime(server) {}
    }

    /// Otherwise it would block its thread, and so the end of the daemon, forever.
    @Test func endlessServerIsAbandoned() throws {
        let server = try LoopbackServer { socket in
            let line = Array(String(repeating: "{\"type\":\"info\"}\n", count: 4096).utf8)
            for _ in 0..<4096 { socket.write(line) }
        }
        let detector = try WyomingDetector(
            address: "127.0.0.1:\(server.port)", words: WakeWords(wake: "hey_jarvis", stop: "", threshold: 0)
        )
        let samples = [Int16](repeating: 0, count: 640)
        #expect(throws: WakeWordError.self) {
            for _ in 0..<1000 {
                _ = try samples.withUnsafeBufferPointer { try detector.process($0) }
                usleep(10_000)
            }
        }
    }

    @Test(arguments: [
        ("hey_jarvis", "hey_jarvis"), ("hey jarvis", "hey_jarvis"), ("Hey_Jarvis", "hey_jarvis"),
        ("hey_jarvis_v0.1", "hey_jarvis"), ("computer", "computer"), ("", ""), ("alexa", nil), ("hey_jarvis_stop", nil),
        ("hey", nil), ("jarvis", nil), ("computers", nil), ("stop", nil),
    ])
    func configuredWordIsReportedAsConfigured(name: String, word: String?) throws {
        let sent = Atomic<Bool>(false)
        let server = try LoopbackServer { socket in
            _ = socket.read(4096)
            socket.write("{\"type\":\"detection\",\"data\":{\"name\":\"\(name)\"}}\n")
            sent.store(true, ordering: .releasing)
            while !socket.read(4096).isEmpty {}
        }
        let detector = try WyomingDetector(
            address: "127.0.0.1:\(server.port)",
            words: WakeWords(wake: "hey_jarvis, computer", stop: "stop", threshold: 0)
        )
        let samples = [Int16](repeating: 0, count: 640)
        var found: [WakeCandidate] = []
        var rounds = 0
        while rounds < 20 {
            found += try samples.withUnsafeBufferPointer { try detector.process($0) }
            usleep(5_000)
            if sent.load(ordering: .acquiring) { rounds += 1 }
        }
        #expect(found.map(\.word) == [word].compactMap { $0 })
        withExtendedLifetime(server) {}
    }
}
