import Testing

@testable import StageSupport
@testable import TestSupport
@testable import VoiceConversation

struct PlayoutQueueTests {
    /// A queue, its ring and a loudspeaker that plays on demand.
    private struct Stage {
        var queue = PlayoutQueue(startBuffer: 60)
        var ring: [Int16] = []
        var capacity = 4800
        /// Ring positions.
        var written: UInt64 = 0
        var heard: UInt64 = 0
        var now = Duration.zero

        mutating func receive(_ milliseconds: Int, _ part: SpokenPart, value: Int16 = 1) -> PlayoutQueue.Admission {
            let samples = [Int16](repeating: value, count: milliseconds * 24)
            return samples.withUnsafeBufferPointer { queue.enqueue($0, of: part, written: written, at: now) }
        }

        mutating func fill() {
            let room = capacity - Int(written - heard)
            let taken = queue.release(at: now) { samples in
                let count = min(room, samples.count)
                ring.append(contentsOf: samples.prefix(count))
                return count
            }
            written += UInt64(taken)
        }

        /// Receives an answer in deltas of 20 ms at these milliseconds, and plays it to its end.
        mutating func answer(_ response: String, deltas: [Int]) { _ = play(response, deltas) }

        /// The same; returns after how many ms it began to play.
        mutating func wait(of response: String, deltas: [Int]) -> Int? { play(response, deltas).began }

        /// The same; returns for how many ms nothing was there to play once it had begun.
        mutating func gaps(of response: String, deltas: [Int]) -> Int { play(response, deltas).gaps }

        @discardableResult
        mutating func play(_ response: String, _ deltas: [Int], finishes: Bool = true) -> (began: Int?, gaps: Int) {
            let part = SpokenPart(responseID: response, itemID: response, contentIndex: 0)
            let before = written
            var (began, gaps): (Int?, Int) = (nil, 0)
            for time in 0...(deltas.last ?? 0) {
                for _ in deltas.filter({ $0 == time }) { _ = receive(20, part) }
                fill()
                if began == nil, written > before { began = time }
                if began != nil, heard == written { gaps += 1 }
                _ = play(1)
            }
            if finishes { queue.finish(part) }
            fill()
            for _ in 0..<100 { _ = play(20) }
            return (began, gaps)
        }

        mutating func play(_ milliseconds: Int) -> [PlayoutQueue.Progress] {
            now += .milliseconds(milliseconds)
            heard = min(written, heard + UInt64(milliseconds * 24))
            let progress = queue.advance(heard: heard, written: written)
            fill()
            return progress
        }
    }

    private let first = SpokenPart(responseID: "r1", itemID: "i1", contentIndex: 0)
    private let second = SpokenPart(responseID: "r2", itemID: "i2", contentIndex: 0)

    @Test func speechWaitsForTheStartBuffer() {
        var stage = Stage()
        #expect(stage.receive(40, first) == .queued(begins: true))
        stage.fill()
        #expect(stage.written == 0)
        #expect(stage.receive(20, first) == .queued(begins: false))
        stage.fill()
        #expect(stage.written == 60 * 24)
    }

    /// Deltas of 20 ms, one every 20 ms: the first answer waits for three of them.
    @Test func steadyLinkShortensTheWait() {
        var stage = Stage()
        #expect(stage.wait(of: "r1", deltas: [0, 20, 40, 60, 80]) == 40)
        #expect(stage.wait(of: "r2", deltas: [0, 20, 40, 60, 80]) == 20)
    }

    @Test func serviceThatIsFasterThanSpeechNeedsNoBuffer() {
        var stage = Stage()
        for number in 1...3 { #expect(stage.wait(of: "r\(number)", deltas: [0, 0, 0, 1, 1, 1, 2, 2]) == 0) }
        stage.answer("r4", deltas: [0, 0, 1, 1])
        #expect(stage.wait(of: "r5", deltas: [0, 40]) == 0)
    }

    @Test func lateDeltaLengthensTheNextAnswersWait() {
        var stage = Stage()
        stage.answer("r1", deltas: [0, 20, 150, 160, 170])
        #expect(stage.wait(of: "r2", deltas: Array(stride(from: 0, to: 300, by: 20))) == 130)
    }

    /// The late delta that stops one answer does not stop the next.
    @Test func secondAnswerOfAJitteringLinkHasNoGap() {
        var stage = Stage()
        let deltas = [0, 20, 40, 60, 190, 190, 190, 190, 190, 190, 200, 220]
        #expect(stage.gaps(of: "r1", deltas: deltas) > 0)
        #expect(stage.gaps(of: "r2", deltas: deltas) == 0)
    }

    @Test func lateDeltaIsForgottenAfterSixteenAnswers() {
        var stage = Stage()
        stage.answer("r0", deltas: [0, 20, 150])
        for number in 1...16 { stage.answer("r\(number)", deltas: [0, 20, 40]) }
        #expect(stage.wait(of: "r17", deltas: [0, 20, 40, 60]) == 20)
    }

    /// The service was silent for a second: no buffer bridges that.
    @Test func pauseOfTheServiceIsNoJitter() {
        var stage = Stage()
        stage.answer("r1", deltas: [0, 20, 40, 1040, 1060])
        #expect(stage.wait(of: "r2", deltas: [0, 20, 40]) == 20)
    }

    @Test func longestWaitIs300Milliseconds() {
        var stage = Stage()
        stage.answer("r1", deltas: [0, 500])
        #expect(stage.wait(of: "r2", deltas: Array(stride(from: 0, to: 600, by: 40))) == 300)
    }

    @Test func answerThatRanDryGathersTheInitialBuffer() {
        var stage = Stage()
        stage.answer("r1", deltas: [0, 20, 40])
        _ = stage.play("r2", [0], finishes: false)
        for _ in 0..<2 {
            let before = stage.written
            _ = stage.receive(20, SpokenPart(responseID: "r2", itemID: "r2", contentIndex: 0))
            _ = stage.play(25)
            #expect(stage.written == before)
        }
    }

    @Test func anotherServicesLinkIsNotKnown() {
        var stage = Stage()
        stage.answer("r1", deltas: [0, 0, 0, 0])
        stage.answer("r2", deltas: [0, 0, 0, 0])
        stage.queue.forgetLink()
        #expect(stage.wait(of: "r3", deltas: [0, 20, 40, 60]) == 40)
    }

    /// A service without names: the next answer is not a late part of the one that was cut.
    @Test func answerAfterACutIsMeasuredAnew() {
        var stage = Stage()
        stage.answer("", deltas: [0, 0, 0, 0])
        stage.queue.cut(refusing: [], at: stage.written)
        stage.answer("", deltas: [0, 20, 150])
        stage.queue.cut(refusing: [], at: stage.written)
        #expect(stage.wait(of: "", deltas: Array(stride(from: 0, to: 300, by: 20))) == 130)
    }

    @Test func speechOfTheBoxKeepsItsStartBuffer() {
        var stage = Stage()
        stage.answer("r1", deltas: [0, 20, 40])
        stage.answer("r2", deltas: [0, 20, 40])
        #expect(stage.wait(of: SpokenPart.nameOfBox(1), deltas: [0, 20, 40, 60]) == 40)
    }

    @Test func aShortPartIsPlayedWhenItIsComplete() {
        var stage = Stage()
        _ = stage.receive(20, first)
        stage.queue.finish(first)
        stage.fill()
        #expect(stage.written == 20 * 24)
    }

    @Test func shortPartPlaysIfTheRestIsLate() {
        var stage = Stage()
        _ = stage.receive(20, first)
        stage.fill()
        stage.now += .milliseconds(240)
        stage.fill()
        #expect(stage.written == 20 * 24)
    }

    @Test func playoutEndsWithTheLastHeardSample() {
        var stage = Stage()
        _ = stage.receive(500, first)
        stage.queue.finish(first)
        stage.fill()
        #expect(stage.play(10) == [.audible(responseID: "r1", ago: 10)])
        for _ in 0..<48 { #expect(stage.play(10).isEmpty) }
        #expect(stage.play(10) == [.played(responseID: "r1", heard: 500, received: 500), .drained])
        #expect(stage.play(10).isEmpty, "told once")
        #expect(stage.ring.count == 500 * 24)
    }

    @Test func cutReportsTheHeardMilliseconds() {
        var stage = Stage()
        _ = stage.receive(1000, first)
        stage.fill()
        _ = stage.play(123)
        stage.queue.cut(refusing: [], at: stage.written)
        let parts = stage.queue.settle(heard: stage.heard)
        #expect(parts == [HeardPart(part: first, heard: 123, received: 1000)])
        #expect(stage.receive(20, first) == .stale)
    }

    @Test func cutCountsOnlyPlayedFrames() {
        var stage = Stage()
        _ = stage.receive(1000, first)
        stage.fill()
        _ = stage.play(100)
        stage.queue.cut(refusing: [], at: stage.written)
        // The card held 20 ms more than it will play.
        #expect(stage.queue.settle(heard: stage.heard - 20 * 24).map(\.heard) == [80])
    }

    @Test func fullyHeardItemIsNotTruncated() {
        var stage = Stage()
        _ = stage.receive(100, first)
        stage.queue.finish(first)
        stage.fill()
        _ = stage.receive(1000, second)
        stage.fill()
        _ = stage.play(150)
        stage.queue.cut(refusing: [], at: stage.written)
        #expect(stage.queue.settle(heard: stage.heard) == [HeardPart(part: second, heard: 50, received: 1000)])
    }

    @Test func unheardItemIsReportedWithZero() {
        var stage = Stage()
        _ = stage.receive(100, first)
        _ = stage.receive(100, second)
        stage.fill()
        _ = stage.play(50)
        stage.queue.cut(refusing: ["r3"], at: stage.written)
        #expect(stage.queue.settle(heard: stage.heard).map(\.heard) == [50, 0])
        let third = SpokenPart(responseID: "r3", itemID: "i3", contentIndex: 0)
        #expect(stage.receive(20, third) == .stale, "refused by name before a sample of it came")
    }

    /// A response in parts, with a pause in between, and then cut.
    @Test func heardPartOfAResponseIsReportedInSamples() {
        var stage = Stage()
        let part = SpokenPart(responseID: "r1", itemID: "i1", contentIndex: 1)
        _ = stage.receive(100, first)
        stage.queue.finish(first)
        stage.fill()
        #expect(stage.play(100).suffix(2) == [.played(responseID: "r1", heard: 100, received: 100), .drained])
        stage.now += .seconds(60)
        _ = stage.receive(300, part)
        stage.fill()
        _ = stage.play(50)
        stage.queue.cut(refusing: ["r1"], at: stage.written)
        #expect(
            stage.queue.cutResponses(heard: stage.heard) == [.played(responseID: "r1", heard: 150, received: 400)]
        )
        _ = stage.queue.settle(heard: stage.heard)
        #expect(stage.queue.cutResponses(heard: stage.heard).isEmpty)
    }

    @Test func speechAfterACutIsCountedFromZero() {
        var stage = Stage()
        _ = stage.receive(1000, first)
        stage.fill()
        _ = stage.play(100)
        stage.queue.cut(refusing: [], at: stage.written)
        _ = stage.receive(200, second)
        let parts = stage.queue.settle(heard: stage.heard)
        #expect(parts.map(\.part) == [first])
        stage.heard = stage.written
        stage.fill()
        #expect(stage.play(10) == [.audible(responseID: "r2", ago: 10)])
        #expect(stage.play(190) == [.played(responseID: "r2", heard: 200, received: 200), .drained])
    }

    @Test func aFullQueueLosesTheNewest() {
        var queue = PlayoutQueue(startBuffer: 60, limit: 1)
        let samples = [Int16](repeating: 0, count: 30_000)
        let admission = samples.withUnsafeBufferPointer { queue.enqueue($0, of: first, written: 0, at: .zero) }
        #expect(admission == .full(6000))
        #expect(queue.waiting == 24_000)
    }

    @Test func anyInterleavingKeepsTheAccountsRight() {
        var generator = SeededGenerator(seed: 42)
        for round in 0..<200 {
            var stage = Stage()
            var received: [SpokenPart: Int] = [:]
            var serial = 0
            var part = first
            for _ in 0..<150 {
                switch Int.random(in: 0..<8, using: &generator) {
                case 0...2:
                    let length = Int.random(in: 1...80, using: &generator)
                    if case .queued = stage.receive(length, part) { received[part, default: 0] += length }
                case 3:
                    stage.queue.finish(part)
                    serial += 1
                    part = SpokenPart(responseID: "x\(serial / 2)", itemID: "y\(serial)", contentIndex: 0)
                case 4...6:
                    stage.fill()
                    _ = stage.play(Int.random(in: 1...60, using: &generator))
                default:
                    stage.queue.cut(refusing: [part.responseID], at: stage.written)
                    for heard in stage.queue.settle(heard: stage.heard) {
                        #expect(heard.heard >= 0 && heard.heard <= heard.received, "round \(round)")
                        #expect(heard.received == received[heard.part], "round \(round)")
                    }
                    stage.heard = stage.written
                    received = [:]
                    serial += 2
                    part = SpokenPart(responseID: "x\(serial / 2)", itemID: "y\(serial)", contentIndex: 0)
                }
            }
            #expect(Int(stage.written) == stage.ring.count)
        }
    }

    // MARK: Two items of one response

    private let another = SpokenPart(responseID: "r1", itemID: "i2", contentIndex: 0)

    /// The second begins before the first has ended.
    @Test func itemsAreHeardOneAfterTheOther() {
        var stage = Stage()
        for (part, value) in [(first, 1), (another, 2), (first, 1), (another, 2)] {
            _ = stage.receive(100, part, value: Int16(value))
            stage.fill()
        }
        stage.queue.finish(first)
        stage.queue.finish(another)
        stage.fill()
        for _ in 0..<40 { _ = stage.play(10) }
        #expect(stage.ring == [Int16](repeating: 1, count: 200 * 24) + [Int16](repeating: 2, count: 200 * 24))
    }

    /// The loudspeaker has caught up with the first, whose rest is late.
    @Test func nextItemWaitsForAStarvedOne() {
        var stage = Stage()
        _ = stage.receive(100, first, value: 1)
        stage.fill()
        _ = stage.receive(100, another, value: 2)
        for _ in 0..<12 { _ = stage.play(10) }
        _ = stage.receive(100, first, value: 1)
        stage.queue.finish(first)
        stage.queue.finish(another)
        for _ in 0..<40 { _ = stage.play(10) }
        #expect(stage.ring == [Int16](repeating: 1, count: 200 * 24) + [Int16](repeating: 2, count: 100 * 24))
    }

    @Test func cutNamesThePlayingItemAndItsMilliseconds() {
        var stage = Stage()
        _ = stage.receive(300, first)
        _ = stage.receive(100, another)
        stage.fill()
        _ = stage.receive(100, first)
        stage.queue.finish(first)
        _ = stage.receive(900, another)
        stage.fill()
        for _ in 0..<52 { _ = stage.play(10) }
        stage.queue.cut(refusing: ["r1"], at: stage.written)
        #expect(stage.queue.settle(heard: stage.heard) == [HeardPart(part: another, heard: 120, received: 1000)])
    }

    @Test func unreportedEndTimesOut() {
        var stage = Stage()
        _ = stage.receive(100, first)
        stage.fill()
        _ = stage.receive(500, another)
        stage.fill()
        #expect(stage.written == 100 * 24)
        for _ in 0..<25 { _ = stage.play(10) }
        #expect(stage.written > 100 * 24)
        stage.queue.cut(refusing: ["r1"], at: stage.written)
        #expect(stage.queue.settle(heard: stage.heard).map(\.part) == [another])
    }
}
