import Synchronization
import Testing

@testable import StageSupport
@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

/// Any order of deltas, playback, stalls, ends and interruptions yields an exact account of what was heard.
struct TruncationPropertyTests {
    /// Draws the speech of one response after another: items and parts of a response in any mixture.
    private struct Speaker {
        private var response = 0
        /// The unfinished parts of the current response.
        var parts: [SpokenPart] = []
        var name: String { "r\(response)" }

        mutating func beginResponse(using random: inout SeededGenerator) {
            response += 1
            parts = (0..<Int.random(in: 1...3, using: &random)).flatMap { item in
                (0..<Int.random(in: 1...2, using: &random)).map {
                    SpokenPart(responseID: "r\(response)", itemID: "r\(response).i\(item)", contentIndex: $0)
                }
            }
        }
    }

    /// A pump with its rings; the test plays the audio thread.
    private final class Stage {
        let ports = AudioPorts()
        private let reports = Mutex<[[HeardPart]]>([])
        private(set) var pump: VoicePump?
        var model = NaivePlayout()
        private var flushed = 0

        init() {
            pump = VoicePump(ports, options: .init(chunk: 20, startBuffer: 0)) { [weak self] event, _ in
                if case .voiceStopped(let parts) = event { self?.reports.withLock { $0.append(parts) } }
            }
        }

        func receive() -> [[HeardPart]] {
            reports.withLock { reports in
                defer { reports = [] }
                return reports
            }
        }

        func receive(_ count: Int, of part: SpokenPart) {
            let samples = [Int16](repeating: 7, count: count)
            samples.withUnsafeBufferPointer { pump?.playout.receive($0, of: part) }
            model.receive(count, of: part)
            follow()
        }

        func finish(_ part: SpokenPart) {
            pump?.playout.finish(part)
            model.finish(part)
            follow()
        }

        var flushIsDone: Bool { ports.voice.progress.flushDone >= ports.voice.ring.writePosition }

        /// Runs the network thread once.
        func tick() {
            _ = pump?.tick()
            follow()
        }

        func follow() {
            let written = Int(ports.voice.ring.writePosition)
            if written > model.written { model.write(written - model.written) }
        }

        /// Runs one period of the audio thread; a flush can no longer take back `rest` samples.
        func cycle(_ count: Int, rest: Int) {
            let wanted = Int(ports.voice.flushRequest)
            if wanted > flushed {
                flushed = wanted
                let heard = min(wanted, model.position + rest)
                model.cut(rest: rest)
                ports.voice.ring.skip(to: UInt64(wanted))
                (ports.voice.progress.flushDone, ports.voice.progress.flushHeard) = (UInt64(wanted), UInt64(heard))
            }
            model.play(count)
            ports.voice.ring.skip(to: UInt64(model.position))
            ports.voice.progress.heard = UInt64(model.position)
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func anyInterleavingIsAccountedForToTheSample(seed: UInt64) throws {
        for round in 0..<700 {
            var random = SeededGenerator(seed: seed << 32 | UInt64(round))
            let stage = Stage()
            var speaker = Speaker()
            speaker.beginResponse(using: &random)
            var expected: [[HeardPart]] = []
            /// Number of parts at the time of a cut that is not yet reported.
            var cut: Int?
            for _ in 0..<80 {
                switch Int.random(in: 0..<16, using: &random) {
                case 0...5:
                    guard let part = speaker.parts.randomElement(using: &random) else { break }
                    stage.receive(Int.random(in: 1...300, using: &random), of: part)
                case 6:
                    guard let index = speaker.parts.indices.randomElement(using: &random) else { break }
                    stage.finish(speaker.parts.remove(at: index))
                case 7: speaker.beginResponse(using: &random)
                // The network stalls: only the loudspeaker continues.
                case 8...12: stage.cycle(Int.random(in: 0...240, using: &random), rest: 100)
                case 13, 14:
                    if let count = cut, stage.flushIsDone {
                        expected = [stage.model.report(upTo: count)]
                        cut = nil
                    }
                    stage.tick()
                default:
                    // Waiting speech is never played now; speech in the ring is played as far as the card has got.
                    stage.pump?.playout.stop(refusing: [speaker.name])
                    stage.model.forgetWaiting()
                    cut = stage.model.accountCount
                    speaker.beginResponse(using: &random)
                }
                let reported = stage.receive()
                #expect(reported == expected, "seed \(seed), round \(round)")
                guard reported == expected else { return }
                expected = []
            }
        }
    }

    @Test func voiceCutWithAnotherIsNotWaitedFor() {
        var scene = Scene.listening()
        scene.begin("r1")
        scene.speak("r1")
        scene.userTurn()
        scene.begin("r2")
        scene.speak("r2")
        let part = SpokenPart(responseID: "r2", itemID: "item_voice", contentIndex: 0)
        scene.on(.voiceStopped([HeardPart(part: part, heard: 0, received: 100)]))
        scene.done("r2")
        #expect(scene.state == .listening)
    }

    @Test func onlyAnUnheardItemIsDeletedOnce() {
        var random = SeededGenerator(seed: 9)
        for round in 0..<2000 {
            var scene = Scene.listening()
            scene.begin("r1")
            scene.speak("r1")
            var parts: [HeardPart] = []
            for item in 0..<Int.random(in: 1...4, using: &random) {
                let lengths = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    let received = Int.random(in: 0...3000, using: &random)
                    return (
                        heard: Bool.random(using: &random) ? 0 : Int.random(in: 0...received, using: &random), received
                    )
                }
                for (index, length) in lengths.enumerated() {
                    parts.append(
                        HeardPart(
                            part: SpokenPart(responseID: "r1", itemID: "i\(item)", contentIndex: index),
                            heard: length.heard,
                            received: length.1,
                            isItemHeard: lengths.contains { $0.heard > 0 }
                        )
                    )
                }
            }
            let foreign = SpokenPart(responseID: "of an earlier session", itemID: "old", contentIndex: 0)
            scene.on(.voiceStopped(parts + [HeardPart(part: foreign, heard: 5, received: 9)]))
            var deleted: [String] = []
            var truncated: [SpokenPart] = []
            for event in scene.sent(scene.latest) {
                switch event {
                case .deleteItem(let itemID, _): deleted.append(itemID)
                case .truncate(let itemID, let index, let end, _):
                    let part = SpokenPart(responseID: "r1", itemID: itemID, contentIndex: index)
                    truncated.append(part)
                    let known = parts.first { $0.part == part }
                    #expect(end >= 0 && end <= known?.heard ?? -1 && end <= known?.received ?? -1, "round \(round)")
                    #expect(end >= (known?.heard ?? 0) - 100, "round \(round)")
                default: break
                }
            }
            #expect(deleted == Set(parts.filter { !$0.isItemHeard }.map(\.part.itemID)).sorted(), "round \(round)")
            #expect(truncated == parts.filter(\.isItemHeard).map(\.part), "round \(round)")
        }
    }
}
