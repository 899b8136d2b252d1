import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase

struct EchoAlignerTests {
    /// A feed that the test fills in simulated time, and how often the search looks at it.
    private final class Scene {
        let feed = AlignmentFeed()
        let aligner: EchoAligner
        private var now = Duration.seconds(1000)
        private var next = 0
        private(set) var dropped = 0

        init(speed: Double = 1) {
            aligner = EchoAligner(feed: feed, bell: Doorbell(), logger: LineLog().logger, speed: speed)
        }

        /// Runs the search for so long, with a reference of this level; returns how often it looked.
        func run(_ length: Duration, level: Float) async -> Int {
            let end = now + length
            let samples = [Float](repeating: level, count: AlignmentBlock.samples)
            var looks = 0
            while now < end {
                await aligner.look()
                looks += 1
                let due = min(await aligner.nextLook(at: now), end)
                while now < due {
                    var block = AlignmentBlock()
                    (block.position, block.epoch) = (next * AudioFormat.periodFrames, 1)
                    next += 1
                    if !feed.push(block, microphone: samples, reference: samples) { dropped += 1 }
                    now += .milliseconds(10)
                }
            }
            return looks
        }
    }

    @Test func searchRestsWhileNothingSoundsAndLosesNoBlock() async {
        let scene = Scene()
        let looks = await scene.run(.seconds(60), level: 0)
        #expect(looks <= 61)
        #expect(scene.dropped == 0)
    }

    /// Nothing rings here: sound is found within a second, and followed for two seconds after its end.
    @Test func searchLooksTenTimesASecondWhileTheBoxSounds() async {
        let scene = Scene()
        _ = await scene.run(.seconds(5), level: 0)
        let sounding = await scene.run(.seconds(10), level: 0.1)
        #expect((90...101).contains(sounding))
        let after = await scene.run(.seconds(60), level: 0)
        #expect((58 + 10...61 + 21).contains(after))
        #expect(scene.dropped == 0)
    }

    @Test func fastSoundIsAlwaysFollowed() async {
        let looks = await Scene(speed: 20).run(.seconds(1), level: 0)
        #expect(looks >= 100)
    }
}
