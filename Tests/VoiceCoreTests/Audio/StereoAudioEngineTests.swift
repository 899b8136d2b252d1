import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation

/// Voice in the middle, media at the sides, and one reference for both.
struct StereoAudioEngineTests {
    private struct Rig: ~Copyable {
        let card: SimulatedCard
        let ports: AudioPorts
        var engine: AudioEngine<SimulatedDevice>

        // Swift 6.2 miscompiles a noncopyable type's initializer that throws when half is initialized.
        init(media: [StereoFrame]) throws {
            let card = SimulatedCard()
            let ports = AudioPorts()
            var configuration = AudioConfiguration()
            configuration.duplex = .full
            engine = try AudioEngine(device: SimulatedDevice(card: card), ports: ports, configuration: configuration)
            self.card = card
            self.ports = ports
            ports.volumes.set(Volumes(media: 100))
            ports.media.ring.write(media, count: media.count)
            engine.start()
        }

        mutating func run(_ periods: Int) {
            for _ in 0..<periods { _ = engine.cycle() }
        }

        func speak(_ samples: [Int16]) {
            let written = ports.voice.ring.write(samples, count: samples.count)
            #expect(written == samples.count)
        }
    }

    private static func noise(_ count: Int) -> [StereoFrame] {
        var random = SeededGenerator(seed: 3)
        return (0..<count).map { _ in
            StereoFrame(
                left: Float.random(in: -0.5...0.5, using: &random), right: Float.random(in: -0.2...0.2, using: &random)
            )
        }
    }

    @Test func voiceIsCentredAndDuckedMediaKeepsItsSides() throws {
        let media = StereoFrame(left: 0.25, right: -0.125)
        var rig = try Rig(media: [StereoFrame](repeating: media, count: 96_000))
        rig.run(20)
        #expect(rig.card.frames.suffix(480).allSatisfy { $0 == media })

        rig.speak((0..<12_000).map { Int16(6000 * sinf(2 * .pi * 500 * Float($0) / 24_000)) })
        rig.run(30)
        let ducked = rig.card.frames.suffix(4800)
        let left = ducked.map { $0.left - 0.6 * media.left }
        let right = ducked.map { $0.right - 0.6 * media.right }
        #expect(zip(left, right).allSatisfy { abs($0 - $1) < 1e-6 }, "the same voice, and the same gain on media")
        #expect(abs((left.max() ?? 0) - 6000 / 32_768) < 1e-3)
    }

    @Test func earconsAreInTheMiddle() throws {
        var rig = try Rig(media: [])
        rig.ports.earcons.play(.woken)
        rig.run(20)
        #expect(rig.card.frames.contains { $0.peak > 0.01 })
        #expect(rig.card.frames.allSatisfy { $0.left == $0.right })
    }

    @Test func referenceIsTheMeanOfBothChannels() throws {
        var rig = try Rig(media: Self.noise(96_000))
        rig.speak((0..<9600).map { Int16(9000 * sinf(2 * .pi * 700 * Float($0) / 24_000)) })
        var served: [[Float]] = []
        var (microphone, reference) = ([Float](repeating: 0, count: 80), [Float](repeating: 0, count: 80))
        for _ in 0..<80 {
            rig.run(1)
            let block = rig.ports.alignment.pop(microphone: &microphone, reference: &reference)
            #expect(block != nil)
            served.append(reference)
        }
        // As seen by the tap: a sixth of the rate.
        var decimator = SixthDecimator()
        let means = rig.card.frames.map { ($0.left + $0.right) / 2 }
        let heard = stride(from: 0, to: means.count, by: 480).map { start in
            var block = [Float](repeating: 0, count: 80)
            decimator.process(Array(means[start..<start + 480]), into: &block)
            return block
        }
        // It leads what is heard by whole periods here, and all blocks by the same number.
        let leads = (0..<8).filter { lead in zip(served, heard.dropFirst(lead)).allSatisfy { $0 == $1 } }
        #expect(leads.count == 1)
        #expect(served.suffix(20).allSatisfy { rms($0) > 0.02 })
    }

    @Test func oppositePhasesArePlayed() throws {
        let wide = StereoFrame(left: 0.25, right: -0.25)
        var rig = try Rig(media: [StereoFrame](repeating: wide, count: 48_000))
        rig.run(20)
        #expect(rig.card.frames.last == wide)
        #expect(rig.card.played.allSatisfy { $0 == 0 })
        let isPlaying = rig.ports.gauges.echo.isPlaying
        #expect(isPlaying)
    }

    @Test func theCutHasNoClickOnEitherSide() throws {
        var rig = try Rig(media: [StereoFrame](repeating: StereoFrame(left: 0.3, right: -0.3), count: 96_000))
        rig.speak([Int16](repeating: 12_000, count: 9600))
        rig.run(10)
        let before = rig.card.frames.count
        rig.ports.voice.requestFlush()
        rig.run(10)
        let after = rig.card.frames[(before - 1)...]
        let silent = try #require(after.firstIndex(of: .silence))
        let cut = after[...silent]
        let steps = zip(cut, cut.dropFirst()).map { max(abs($0.left - $1.left), abs($0.right - $1.right)) }
        #expect(abs((cut.first?.left ?? 0) - (cut.first?.right ?? 0)) > 0.3)
        #expect((steps.max() ?? 1) < 0.01)
    }
}
