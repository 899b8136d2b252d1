import Testing

@testable import VoiceCore

struct DuplexLogTests {
    /// States by the second; returns the seconds with a line.
    private func lines(_ states: [(DuplexState, Int)]) -> [(second: Int, text: String, trouble: Bool)] {
        var log = DuplexLog()
        var lines: [(Int, String, Bool)] = []
        var second = 0
        for (state, seconds) in states {
            for _ in 0..<seconds {
                for quarter in 0..<4 {
                    var status = EchoStatus()
                    status.state = state
                    let now = Duration.milliseconds(second * 1000 + quarter * 250)
                    if let line = log.step(status, at: now) { lines.append((second, line.text, line.isTrouble)) }
                }
                second += 1
            }
        }
        return lines
    }

    @Test func learningIsNotNews() {
        #expect(lines([(.learning, 100)]).isEmpty)
        #expect(lines([(.forcedHalf, 100)]).isEmpty)
    }

    @Test func oneLineForAChange() {
        let lines = lines([(.learning, 5), (.good, 100), (.clear, 50), (.poor, 100)])
        #expect(lines.count == 2)
        #expect(lines.first?.text.contains("full duplex") == true)
        #expect(lines.last?.text.contains("half duplex") == true)
        #expect(lines.last?.trouble == true)
    }

    @Test func flappingIsToldSeldom() {
        var states: [(DuplexState, Int)] = []
        for _ in 0..<60 { states += [(.good, 5), (.poor, 5)] }
        #expect(lines(states).count <= 600 / 60 + 1)
    }

    @Test func aSecondOfLearningIsNotTold() {
        #expect(lines([(.good, 60), (.learning, 1), (.good, 60)]).count == 1)
    }
}
