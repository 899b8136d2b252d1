import Glibc
import Testing
import VoiceSimulator

@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConfiguration
@testable import VoiceCore

/// The recogniser of the local voice reads calls.
struct WyomingCallReaderTests {
    private static func reader(port: Int) throws -> WyomingCallReader {
        var configuration = Configuration()
        configuration.local.recogniser = "127.0.0.1:\(port)"
        return WyomingCallReader(try LocalSettings(configuration))
    }

    private func result(_ reader: WyomingCallReader) async throws -> Result<String, WakeWordError>? {
        for _ in 0..<1000 where reader.result == nil { try await Task.sleep(for: .milliseconds(5)) }
        return reader.result
    }

    private static let sound = (0..<23_200).map { Int16(800 * sin(Double($0) / 10)) }

    /// It has silence around it and the level that recognisers prefer.
    @Test func itReadsOneCallAfterTheOther() async throws {
        let servers = WyomingSimulator(.init(["Hey Janice.", "Hey Jarvis."]))
        let reader = try Self.reader(port: await servers.start())
        #expect(reader.result == nil)
        reader.read(Self.sound)
        #expect(try await result(reader) == .success("Hey Janice."))
        reader.read(Self.sound)
        #expect(try await result(reader) == .success("Hey Jarvis."))
        await servers.stop()
        #expect(servers.utterances.map(\.milliseconds) == [2150, 2150])
        #expect(servers.utterances.allSatisfy { $0.language == "en" && (-25 ... -18).contains($0.level) })
    }

    @Test func whatWasAbandonedIsNotTakenForTheNext() async throws {
        let servers = WyomingSimulator(.init(["Hey Janice.", "Hey Jarvis."], recognisingMilliseconds: 60))
        let reader = try Self.reader(port: await servers.start())
        reader.read(Self.sound)
        for _ in 0..<1000 where servers.utterances.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        reader.abandon()
        #expect(reader.result == nil)
        reader.read(Self.sound)
        #expect(try await result(reader) == .success("Hey Jarvis."))
        await servers.stop()
    }

    @Test(arguments: [
        (
            WyomingSimulator.Fault.silent,
            "local.recogniser: the Wyoming server at 127.0.0.1:PORT does not answer in time"
        ),
        (.closes, "local.recogniser: the Wyoming server at 127.0.0.1:PORT has closed the connection"),
        (.textless, "local.recogniser sends a transcript without text"),
    ]) func whoDoesNotReadSaysWhy(fault: WyomingSimulator.Fault, why: String) async throws {
        let servers = WyomingSimulator(.init(recogniser: fault))
        let port = try await servers.start()
        let reader = try Self.reader(port: port)
        reader.read(Self.sound)
        let told = why.split(separator: "PORT").joined(separator: "\(port)")
        #expect(try await result(reader) == .failure(WakeWordError(told)))
        await servers.stop()
    }

    /// A recogniser that repeats itself: each of its words is compared with each similar word.
    @Test func aTextWithoutEndIsCut() async throws {
        let text = String(repeating: "bye ", count: 3000)
        let servers = WyomingSimulator(.init([text]))
        let reader = try Self.reader(port: await servers.start())
        reader.read(Self.sound)
        #expect(try await result(reader) == .success(String(text.prefix(1024))))
        await servers.stop()
    }

    @Test func aServerThatIsAwayIsNamed() async throws {
        let servers = WyomingSimulator()
        let port = try await servers.start()
        await servers.stop()
        let reader = try Self.reader(port: port)
        reader.read(Self.sound)
        let why = "local.recogniser: the Wyoming server at 127.0.0.1:\(port) does not answer"
        #expect(try await result(reader) == .failure(WakeWordError(why)))
    }
}
