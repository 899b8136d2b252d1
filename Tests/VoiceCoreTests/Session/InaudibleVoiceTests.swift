import Testing

@testable import StageSupport
@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

/// Audio played inaudibly was not heard, although the positions advance.
struct InaudibleVoiceTests {
    /// A pump, with the test playing the audio thread, and its reports.
    private final class Stage {
        struct Account: Equatable {
            var responseID: String
            var heard: Int
            var received: Int
        }

        private final class Reported {
            var accounts: [Account] = []
            var cut: [HeardPart] = []
        }

        let ports = AudioPorts()
        let pump: VoicePump
        private let reported = Reported()
        private var position = 0
        var accounts: [Account] { reported.accounts }
        var cut: [HeardPart] { reported.cut }

        init(hasDevices: Bool = false) {
            pump = VoicePump(ports, hasDevices: hasDevices, options: .init(startBuffer: 0)) { [reported] event, _ in
                switch event {
                case .voicePlayed(let id, let heard, let received):
                    reported.accounts.append(Account(responseID: id, heard: heard, received: received))
                case .voiceStopped(let parts): reported.cut += parts
                default: break
                }
            }
        }

        func receive(_ milliseconds: Int, of responseID: String) {
            let part = SpokenPart(responseID: responseID, itemID: "item of \(responseID)", contentIndex: 0)
            let samples = [Int16](repeating: 7, count: milliseconds * 24)
            samples.withUnsafeBufferPointer { pump.playout.receive($0, of: part) }
            pump.playout.finish(part)
        }

        /// Plays so much, with a check every 20 ms.
        func play(_ milliseconds: Int, ticks: Bool = true) {
            for _ in 0..<milliseconds / 20 {
                position += 480
                ports.voice.ring.skip(to: UInt64(position))
                ports.voice.progress.heard = UInt64(position)
                if ticks { _ = pump.tick() }
            }
        }

        func stop() {
            pump.playout.stop(refusing: [])
            let end = ports.voice.ring.writePosition
            ports.voice.ring.skip(to: end)
            (ports.voice.progress.flushDone, ports.voice.progress.flushHeard) = (end, UInt64(position))
            ports.voice.progress.heard = end
            _ = pump.tick()
        }
    }

    private static var muted: Volumes {
        var volumes = Volumes()
        volumes.isMuted = true
        return volumes
    }

    @Test func audibleVoiceCountsAsHeard() {
        let stage = Stage()
        stage.receive(2000, of: "r1")
        stage.play(2000)
        #expect(stage.accounts == [.init(responseID: "r1", heard: 2000, received: 2000)])
    }

    private static let volumes: [(Volumes, Bool, Int)] = [
        (Volumes(master: 0), false, 0), (Volumes(voice: 0), false, 0), (muted, false, 0), (muted, true, 0),
        (Volumes(master: 0), true, 0), (Volumes(master: 1), false, 0), (Volumes(master: 1), true, 2000),
        (Volumes(media: 0, earcons: 0), false, 2000), (Volumes(master: 25, voice: 50), false, 2000),
    ]

    @Test(arguments: Self.volumes)
    func zeroVolumeCountsAsUnheard(volumes: Volumes, hasMixer: Bool, heard: Int) {
        let stage = Stage()
        stage.ports.volumes.set(volumes, hardwareMaster: hasMixer)
        stage.receive(2000, of: "r1")
        stage.play(2000)
        #expect(stage.accounts == [.init(responseID: "r1", heard: heard, received: 2000)])
    }

    private static let loudspeakers: [(DeviceState, Bool, Int)] = [
        (.waiting(reason: "away"), true, 0), (.lost(reason: "has gone"), true, 0), (.running, true, 2000),
        (.silent, true, 2000), (.waiting(reason: "away"), false, 2000),
    ]

    @Test(arguments: Self.loudspeakers)
    func missingLoudspeakerCountsAsUnheard(state: DeviceState, hasDevices: Bool, heard: Int) {
        let stage = Stage(hasDevices: hasDevices)
        stage.ports.playback.state = state
        stage.receive(2000, of: "r1")
        stage.play(2000)
        #expect(stage.accounts == [.init(responseID: "r1", heard: heard, received: 2000)])
    }

    @Test func halfMutedResponseCountsHalf() throws {
        let stage = Stage()
        stage.receive(2000, of: "r1")
        stage.play(500)
        stage.ports.volumes.set(Self.muted)
        stage.play(1000)
        stage.ports.volumes.set(Volumes())
        stage.play(500)
        let account = try #require(stage.accounts.first)
        #expect((940...1000).contains(account.heard) && account.received == 2000)
    }

    /// The first part is played before any check.
    @Test func soundBeforeTheFirstTickCounts() {
        let stage = Stage()
        stage.ports.volumes.set(Self.muted)
        stage.receive(500, of: "r1")
        stage.play(480, ticks: false)
        stage.play(20)
        #expect(stage.accounts == [.init(responseID: "r1", heard: 0, received: 500)])
    }

    @Test func everyResponseIsCountedSeparately() throws {
        let stage = Stage()
        stage.ports.volumes.set(Self.muted)
        stage.receive(1000, of: "r1")
        stage.receive(1000, of: "r2")
        stage.play(1000)
        stage.ports.volumes.set(Volumes())
        stage.play(1000)
        #expect(stage.accounts.map(\.responseID) == ["r1", "r2"])
        #expect(stage.accounts.first?.heard == 0)
        #expect((960...1000).contains(stage.accounts.last?.heard ?? 0))
        // Later audio counts as well.
        stage.receive(500, of: "r3")
        stage.play(500)
        #expect(stage.accounts.last == .init(responseID: "r3", heard: 500, received: 500))
    }

    /// The service is informed of what was played, as before.
    @Test(arguments: [true, false]) func interruptionIsCutAtThePlayedPosition(isMuted: Bool) {
        let stage = Stage()
        if isMuted { stage.ports.volumes.set(Self.muted) }
        stage.receive(2000, of: "r1")
        stage.play(400)
        stage.stop()
        #expect(stage.accounts == [.init(responseID: "r1", heard: isMuted ? 0 : 400, received: 2000)])
        #expect(stage.cut.map(\.heard) == [400])
    }
}
