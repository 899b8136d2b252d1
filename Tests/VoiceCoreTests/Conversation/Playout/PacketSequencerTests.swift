import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

/// Numbered packets are put in order, whatever the network does to them.
struct PacketSequencerTests {
    private typealias Sequencer = PacketSequencer<Int>
    private typealias Step = Sequencer.Step

    /// Feeds packets with these numbers, which are also their contents, so many ms apart.
    private func run(_ numbers: [Int], apart: Int = 20, _ sequencer: inout Sequencer, from start: Int = 0) -> [Step] {
        var steps: [Step] = []
        for (index, number) in numbers.enumerated() {
            let now = Duration.milliseconds(start + index * apart)
            steps += sequencer.tick(at: now)
            steps += sequencer.receive(number, number: number, at: now)
        }
        return steps
    }

    private func packets(_ steps: [Step]) -> [Int] {
        steps.compactMap { if case .packet(let packet) = $0 { packet } else { nil } }
    }

    @Test func orderedPacketsPassWithoutDelay() {
        var sequencer = Sequencer()
        #expect(run([1, 2, 3], &sequencer) == [.began, .packet(1), .packet(2), .packet(3)])
    }

    @Test func packetWithinTheWaitIsNotLost() {
        var sequencer = Sequencer()
        #expect(packets(run([2, 1, 4, 5, 3, 6], &sequencer)) == [1, 2, 3, 4, 5, 6])
        #expect(sequencer.lost == 0)
    }

    @Test func missingPacketIsReportedAfterTheWait() {
        var sequencer = Sequencer()
        _ = run([1, 2], &sequencer)
        #expect(sequencer.receive(4, number: 4, at: .milliseconds(40)).isEmpty)
        #expect(sequencer.tick(at: .milliseconds(159)).isEmpty)
        #expect(sequencer.tick(at: .milliseconds(160)) == [.missing(1, next: 4), .packet(4)])
        // A packet that arrives too late is dropped.
        #expect(sequencer.receive(3, number: 3, at: .milliseconds(170)).isEmpty)
        #expect(sequencer.lost == 1)
    }

    @Test func repeatedPacketIsHeardOnce() {
        var sequencer = Sequencer()
        #expect(packets(run([1, 1, 2, 4, 4, 3, 3, 2], &sequencer)) == [1, 2, 3, 4])
    }

    @Test func earlyLastPacketEndsTheAnswerLast() {
        var sequencer = Sequencer()
        _ = run([1], &sequencer)
        #expect(sequencer.receive(3, number: 3, isLast: true, at: .milliseconds(20)).isEmpty)
        #expect(sequencer.receive(2, number: 2, at: .milliseconds(30)) == [.packet(2), .packet(3), .ended])
        #expect(!sequencer.isRunning)
    }

    /// Services number each answer from 1, or continue.
    @Test(arguments: [1, 4]) func theNextAnswerBeginsWhereItsNumbersSay(first: Int) {
        var sequencer = Sequencer()
        _ = run([1, 2], &sequencer)
        _ = sequencer.receive(3, number: 3, isLast: true, at: .milliseconds(40))
        #expect(sequencer.receive(70, number: first, at: .milliseconds(50)) == [.began, .packet(70)])
        #expect(sequencer.receive(71, number: first + 1, at: .milliseconds(60)) == [.packet(71)])
    }

    /// The end of the previous answer was lost.
    @Test func decreasingNumberBeginsAnAnswer() {
        var sequencer = Sequencer()
        _ = run(Array(1...40), &sequencer)
        #expect(sequencer.receive(900, number: 1, at: .seconds(2)) == [.ended, .began, .packet(900)])
        _ = sequencer.receive(901, number: 100, at: .seconds(3))
        _ = sequencer.tick(at: .seconds(4))
        #expect(sequencer.receive(902, number: 60, at: .seconds(5)) == [.ended, .began, .packet(902)])
    }

    @Test func aCopyOfTheFirstPacketBeginsNoAnswer() {
        var sequencer = Sequencer()
        _ = run([1, 2, 3], &sequencer)
        #expect(sequencer.receive(1, number: 1, at: .milliseconds(70)).isEmpty)
        _ = sequencer.receive(4, number: 4, isLast: true, at: .milliseconds(80))
        #expect(sequencer.receive(1, number: 1, at: .milliseconds(90)).isEmpty)
    }

    @Test func packetsWithoutNumbersComeInTheirOrder() {
        var sequencer = Sequencer()
        var steps: [Step] = []
        for packet in 1...4 { steps += sequencer.receive(packet, number: nil, at: .milliseconds(packet * 20)) }
        #expect(packets(steps) == [1, 2, 3, 4])
    }

    @Test func endOfTheAnswerReleasesWaitingPackets() {
        var sequencer = Sequencer()
        _ = run([1], &sequencer)
        _ = sequencer.receive(4, number: 4, at: .milliseconds(20))
        #expect(sequencer.finish(at: .milliseconds(30)) == [.missing(2, next: 4), .packet(4), .ended])
        #expect(sequencer.finish(at: .milliseconds(40)).isEmpty)
    }

    // MARK: Properties

    /// Packets lost, duplicated and delayed at random, by less than the wait: each that arrived is heard once and in
    /// order, and each that did not is reported as missing.
    @Test(arguments: 0..<60) func everyPacketIsHeardOrMissingInOrder(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let count = 200
        var arrivals: [(at: Int, number: Int)] = []
        var came: Set<Int> = []
        for number in 1...count {
            guard number == 1 || number == count || Int.random(in: 0..<100, using: &random) >= 10 else { continue }
            came.insert(number)
            let delay = Int.random(in: 0..<100, using: &random)
            arrivals.append((number * 20 + delay, number))
            if Int.random(in: 0..<100, using: &random) < 10 { arrivals.append((number * 20 + delay + 15, number)) }
        }
        arrivals.sort { $0.at < $1.at }
        var sequencer = Sequencer()
        var steps: [Step] = []
        var now = 0
        for arrival in arrivals {
            while now < arrival.at {
                now += 5
                steps += sequencer.tick(at: .milliseconds(now))
            }
            steps += sequencer.receive(arrival.number, number: arrival.number, at: .milliseconds(now))
        }
        steps += sequencer.finish(at: .milliseconds(now))
        var next = 1
        for step in steps {
            switch step {
            case .packet(let number):
                #expect(number == next)
                next = number + 1
            case .missing(let gap, let following):
                #expect((next..<next + gap).allSatisfy { !came.contains($0) })
                next += gap
                #expect(following == next)
            case .began: #expect(next == 1)
            case .ended: #expect(next == count + 1)
            }
        }
        #expect(next == count + 1)
    }

    /// Any numbers, at any times: nothing traps, waiting is bounded, and an answer ends before the next begins.
    @Test(arguments: 0..<40) func randomPacketsKeepTheOrder(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var sequencer = Sequencer()
        var isRunning = false
        var now = Duration.zero
        for _ in 0..<2000 {
            now += .milliseconds(Int.random(in: 0...60, using: &random))
            let number: Int? =
                switch Int.random(in: 0..<10, using: &random) {
                case 0: nil
                case 1: [Int.min, -1, 0, 1, Int.max].randomElement(using: &random)
                case 2: Int.random(in: .min ... .max, using: &random)
                default: Int.random(in: 1...100, using: &random)
                }
            let isLast = Int.random(in: 0..<20, using: &random) == 0
            let packet = Int.random(in: 0..<50, using: &random)
            var steps = sequencer.receive(packet, number: number, isLast: isLast, at: now)
            if Int.random(in: 0..<50, using: &random) == 0 { steps += sequencer.finish(at: now) }
            for step in steps {
                switch step {
                case .began:
                    #expect(!isRunning)
                    isRunning = true
                case .packet, .missing: #expect(isRunning)
                case .ended:
                    #expect(isRunning)
                    isRunning = false
                }
            }
            #expect(isRunning == sequencer.isRunning)
        }
    }
}
