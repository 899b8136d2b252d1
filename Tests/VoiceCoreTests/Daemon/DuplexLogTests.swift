import Logging
import Testing

@testable import VoiceAudio

struct DuplexLogTests {
    /// Feeds states with their durations in seconds; returns the seconds with a log line.
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

    @Test func learningIsNotLogged() {
        #expect(lines([(.learning, 100)]).isEmpty)
        #expect(lines([(.forcedHalf, 100)]).isEmpty)
    }

    @Test func changeIsLoggedOnce() {
        let lines = lines([(.learning, 5), (.good, 100), (.clear, 50), (.poor, 100)])
        #expect(lines.count == 2)
        #expect(lines.first?.text.contains("full duplex") == true)
        #expect(lines.last?.text.contains("turn it down to 70 %") == true)
        #expect(lines.last?.trouble == true)
    }

    @Test func flappingIsLoggedRarely() {
        var states: [(DuplexState, Int)] = []
        for _ in 0..<60 { states += [(.good, 5), (.poor, 5)] }
        #expect(lines(states).count <= 600 / 60 + 1)
    }

    /// A box that is carried about constantly is reported once a minute, even right after another line.
    @Test func movedBoxIsLogged() {
        var log = DuplexLog()
        var lines: [(second: Int, text: String)] = []
        for second in 0..<130 {
            var status = EchoStatus()
            status.state = .good
            status.moves = UInt64(second < 10 ? 0 : second / 10)
            status.isLearningMove = second >= 10
            if let line = log.step(status, at: .seconds(second)) {
                lines.append((second, line.text))
                #expect(!line.isTrouble)
                if second >= 10 { #expect(line.metadata["reason"]?.description == "moved") }
            }
        }
        #expect(lines.map(\.second) == [1, 10, 70])
        #expect(lines.last?.text == "echo: the box was moved or its volume knob turned, learning the echo again (2 s)")
    }

    @Test func shortLearningIsNotLogged() {
        #expect(lines([(.good, 60), (.learning, 1), (.good, 60)]).count == 1)
    }
}
