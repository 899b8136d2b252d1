import Testing
import VoiceBase

@testable import VoiceActivation
@testable import VoiceCore

struct DaemonHistoryTests {
    @Test func nearMissShowsScoreAndThreshold() {
        var history = DaemonHistory()
        var report = WakeReport(verdict: .nearMiss("hey jarvis", score: 0.6111), score: 0.6111)
        report.threshold = 0.8
        history.heard("hey jarvis", report, isCall: false, at: ClockInstant(wall: 61, uptime: .zero))
        #expect(
            history.values["wake_list"] == [
                ["at": "1970-01-01T00:01:01Z", "word": "hey jarvis", "score": 0.611, "threshold": 0.8, "heard": false]
            ]
        )
    }
}
