import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceHero365
@testable import VoiceNetwork
@testable import VoiceSession

/// Which microphone audio leaves for Hero365, and when.
struct Hero365MicrophoneTests {
    /// A microphone and its events.
    private struct Scene {
        let microphone: Hero365Microphone
        var events: [Hero365Microphone.Event] = []
        var mayListen = true
        private var phase = 0

        init(_ adjust: (inout Hero365Microphone.Options) -> Void = { _ in }) throws {
            var options = Hero365Microphone.Options()
            options.codec = .pcm16
            options.turns.hasWords = false
            options.turns.hangover = 60
            adjust(&options)
            microphone = try Hero365Microphone(options, hasVoiceDetector: false)
        }

        /// Feeds so many ms of a tone, or of the noise of a quiet room.
        mutating func hear(_ milliseconds: Int, isVoice: Bool = false) {
            for _ in 0..<milliseconds / 10 {
                let samples = (0..<240).map { index in
                    phase += 1
                    return Int16(isVoice ? (phase / 40 % 2 == 0 ? 6000 : -6000) : (phase * 31 + index) % 7 - 3)
                }
                events += samples.withUnsafeBufferPointer {
                    microphone.consume(MicrophoneChunk($0), mayListen: mayListen)
                }
            }
        }

        var packets: [[UInt8]] {
            events.compactMap { if case .packet(let bytes, _) = $0 { bytes } else { nil } }
        }

        /// The duration of the audio that left, in ms.
        var sent: Int { packets.reduce(0) { $0 + $1.count } / 32 }
        var ends: Int { events.count { if case .ended = $0 { true } else { false } } }
    }

    @Test func turnIsSentWithItsPreRoll() throws {
        var scene = try Scene()
        scene.hear(2000)
        #expect(scene.events.isEmpty)
        scene.hear(1000, isVoice: true)
        scene.hear(1000)
        #expect(scene.ends == 1)
        guard case .began(let began)? = scene.events.first, case .ended(let ended)? = scene.events.last else {
            return #expect(Bool(false), "\(scene.events)")
        }
        // 400 ms before the voice, and the silence that ended it; nothing else.
        #expect((1450...1650).contains(began), "\(began)")
        #expect((3560...3680).contains(ended), "\(ended)")
        #expect(abs(scene.sent - (ended - began)) <= 130, "\(scene.sent) ms of \(ended - began)")
        let count = scene.events.count
        scene.hear(3000)
        #expect(scene.events.count == count)
    }

    @Test func coughIsNotSent() throws {
        var scene = try Scene()
        scene.hear(2000)
        scene.hear(210, isVoice: true)
        scene.hear(2000)
        #expect(scene.packets.isEmpty && scene.ends == 0, "\(scene.events)")
    }

    @Test func speechAfterTheEndBeginsAnotherTurn() throws {
        var scene = try Scene()
        scene.hear(1000)
        for _ in 0..<2 {
            scene.hear(900, isVoice: true)
            scene.hear(800)
        }
        #expect(scene.ends == 2)
    }

    @Test func pauseWithinASentenceDoesNotEndTheTurn() throws {
        var scene = try Scene()
        scene.hear(1000)
        scene.hear(900, isVoice: true)
        scene.hear(400)
        scene.hear(900, isVoice: true)
        scene.hear(1000)
        #expect(scene.ends == 1)
    }

    @Test func continuousUplinkSendsWhileTheServiceListens() throws {
        var scene = try Scene { $0.isContinuous = true }
        scene.hear(3000)
        #expect((2900...3000).contains(scene.sent), "\(scene.sent)")
        scene.mayListen = false
        let sent = scene.sent
        scene.hear(2000)
        #expect(scene.sent - sent <= 60)
        // A talker meanwhile is heard from before the first word.
        let quiet = scene.sent
        scene.hear(1000, isVoice: true)
        scene.hear(900)
        #expect(scene.ends == 1)
        #expect((1800...2200).contains(scene.sent - quiet), "\(scene.sent - quiet)")
    }

    @Test func packetsHaveTheirConfiguredLength() throws {
        var scene = try Scene { $0.codec = .opus }
        scene.hear(1000)
        scene.hear(1200, isVoice: true)
        #expect(scene.packets.count >= 10)
        #expect(scene.packets.allSatisfy { OpusPayload.samples(in: $0, rate: 16_000) == 960 })
        scene.microphone.lengthenPackets()
        let count = scene.packets.count
        scene.hear(600, isVoice: true)
        #expect(scene.packets.count > count)
        #expect(scene.packets[count...].allSatisfy { OpusPayload.samples(in: $0, rate: 16_000) == 1920 })
        scene.hear(1000)
        #expect(scene.ends == 1)
    }
}
