import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

struct AssistServiceTests {
    private func service() throws -> AssistService {
        var configuration = Configuration()
        configuration.service.use = [.homeAssistant]
        let secrets = try Secrets(configuration: configuration, environment: [:])
        return try AssistService(configuration, secrets: secrets, instructions: "", tools: [])
    }

    /// A box in the mode `always` opens sessions for days.
    @Test(arguments: [true, false]) func endedSessionReleasesItsMemory(isFollowed: Bool) async throws {
        let service = try service()
        let follower = isFollowed ? service.exchange.follow() : nil
        #expect(try await service.releasesAnEndedSession())
        follower?.cancel()
    }

    @Test func sessionWithoutAFollowerIsNotReachableAndOneLineSaysWhy() async throws {
        let service = try service()
        let failures = Collected<LinkFailure>()
        let end = Promise<Bool>()
        try await NetworkThread.with { network in
            let pump = NetworkConfined(VoicePump(AudioPorts(), options: .init(chunk: 10)) { _, _ in }, on: network)
            _ = service.connect(on: network, pump: pump) { event, _ in
                guard case .disconnected(let failure) = event else { return }
                failures.add([failure])
                end.give(true)
            }
            _ = await TimeLimit.run(.seconds(10)) { await end.wait() }
            end.give(false)
        }
        #expect(failures.all.map(\.kind) == [.transient])
        #expect(failures.all.first?.reason.contains("no Home Assistant is connected") == true)
    }

    @Test func soundIsFetchedFromAddressesOfHTTPOnlyAndInTheClearFromNearby() {
        #expect(HTTPRequest.assistSound("http://192.168.1.5:8123/api/tts_proxy/a.wav")?.staysNear == true)
        #expect(HTTPRequest.assistSound("https://home.example/api/tts_proxy/a.wav")?.staysNear == false)
        for address in ["file:///etc/passwd", "ws://home/a.wav", "media-1", "", "http://user:word@home/a.wav"] {
            #expect(HTTPRequest.assistSound(address) == nil)
        }
    }
}
