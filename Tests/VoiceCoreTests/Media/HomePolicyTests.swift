import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceMedia
@testable import VoiceNetwork
@testable import VoiceReply

struct HomePolicyTests {
    private let home = NetworkAddress(text: "192.168.1.5")

    private func url(_ text: String) throws -> ServerURL { try #require(ServerURL(text)) }

    @Test func homeIsAllowedForItsOwnOrdersAlone() throws {
        let policy = MediaPolicy()
        let ofHome = policy.allowing(home)
        let text = "http://192.168.1.5:8123/api/tts_proxy/x.flac"
        #expect(throws: MediaProblem.refusedHost("192.168.1.5")) { try policy.network(text) }
        #expect(try ofHome.network(text).host == "192.168.1.5")
        let named = try url("http://homeassistant.local:8123/x")
        let addresses = [home].compactMap(\.self)
        #expect(!policy.allows(addresses, of: named, home: HomeNetwork([])))
        #expect(ofHome.allows(addresses, of: named, home: HomeNetwork([])))
        #expect(!ofHome.allowing(nil).allows(addresses, of: named, home: HomeNetwork([])), "forgotten")
    }

    @Test(arguments: ["192.168.1.6", "127.0.0.1", "10.0.0.1", "169.254.169.254"])
    func noOtherAddressOfTheHouseIsAllowed(address: String) throws {
        let policy = MediaPolicy().allowing(home)
        #expect(throws: MediaProblem.refusedHost(address)) { try policy.network("http://\(address)/") }
        let mixed = [home, NetworkAddress(text: address)].compactMap(\.self)
        #expect(!policy.allows(mixed, of: try url("http://homeassistant.local/"), home: HomeNetwork([])))
    }

    @Test func mappedAddressOfAPeerIsTheSameHome() throws {
        let policy = MediaPolicy().allowing(NetworkAddress(text: "::ffff:192.168.1.5"))
        #expect(try policy.network("http://192.168.1.5/").host == "192.168.1.5")
    }

    @Test(.enabled(if: TestSound.canPlay, "ffmpeg is not installed")) func soundOfTheHomeIsPlayedWithoutAListedHost()
        async throws
    {
        let stage = try await MediaStage { $0.policy = MediaPolicy() }
        stage.server.serve("/a", .file(type: "audio/wav", try TestSound.tone(["-f", "wav"])))
        let here = NetworkAddress(text: "127.0.0.1")
        await #expect(throws: MediaProblem.refusedHost("127.0.0.1")) {
            _ = try await stage.player.interject(addresses: [stage.address("/a")], title: "", home: nil)
        }
        _ = try await stage.player.interject(addresses: [stage.address("/a")], title: "", home: here)
        try await stage.wait("it is heard") { stage.sound.count > 4800 }
        await stage.stop()
    }
}
