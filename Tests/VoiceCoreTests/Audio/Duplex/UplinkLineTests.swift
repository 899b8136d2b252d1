import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceConversation

struct UplinkLineTests {
    /// Periods that contain their own number, starting at 1.
    private struct Rig: ~Copyable {
        var line = UplinkLine()
        let ports = AudioPorts()
        var number: Int16 = 0

        mutating func receive(_ step: BargeInGate.Step, times: Int = 1) {
            for _ in 0..<times {
                number += 1
                let samples = [Int16](repeating: number, count: 240)
                let isWhole = line.consume(samples, step, into: ports.microphone.ring)
                #expect(isWhole)
            }
        }

        /// The numbers that were sent.
        func read() -> [Int16] {
            var numbers: [Int16] = []
            var block = [Int16](repeating: 0, count: 240)
            while ports.microphone.ring.read(into: &block, count: 240) == 240 { numbers.append(block[0]) }
            return numbers
        }
    }

    @Test func openGateSendsWithoutDelay() {
        var rig = Rig()
        rig.receive(.pass, times: 5)
        #expect(rig.read() == [1, 2, 3, 4, 5])
    }

    @Test func releaseSendsSilenceThenTheTalker() {
        var rig = Rig()
        rig.receive(.hold, times: 10)
        #expect(rig.read() == [])
        rig.receive(.release(4))
        #expect(rig.read() == [0, 0, 0, 0, 0, 0, 7, 8, 9, 10, 11])
        rig.receive(.pass)
        #expect(rig.read() == [12])
    }

    @Test func aShutGateSendsSilenceAfterAWhile() {
        var rig = Rig()
        rig.receive(.hold, times: UplinkLine.capacity + 3)
        #expect(rig.read() == [0, 0, 0])
        rig.receive(.release(100))
        let first = Int16(4)
        #expect(rig.read() == Array(first...first + Int16(UplinkLine.capacity)))
    }

    /// Whatever the gate does, period n is the nth, or silence in its place.
    @Test func everyPeriodKeepsItsPlace() {
        var random = SeededGenerator(seed: 4)
        var rig = Rig()
        var out: [Int16] = []
        for _ in 0..<200 {
            let holds = Int.random(in: 0...120, using: &random)
            for _ in 0..<holds {
                rig.receive(.hold)
                out += rig.read()
            }
            rig.receive(.release(Int.random(in: 0...60, using: &random)))
            out += rig.read()
            #expect(out.count == Int(rig.number))
            rig.receive(.pass, times: Int.random(in: 0...20, using: &random))
            out += rig.read()
        }
        #expect(out.enumerated().allSatisfy { $1 == 0 || Int($1) == $0 + 1 })
    }

    @Test func aFullRingLosesTheNewest() {
        var line = UplinkLine()
        let ports = AudioPorts()
        let samples = [Int16](repeating: 1, count: 240)
        var taken = 0
        while line.consume(samples, .pass, into: ports.microphone.ring) { taken += 1 }
        #expect(taken == ports.microphone.ring.capacity / 240)
    }
}
