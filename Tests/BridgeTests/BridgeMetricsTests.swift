import Testing
import VoiceBase
import VoiceCore

@testable import BridgeCore

struct BridgeMetricsTests {
    private func turn(_ number: Int, at: String = "2026-11-27T03:00:00Z", answered: Int) -> JSONValue {
        ["turn": .integer(number), "at": .string(at), "answered_ms": .integer(answered)]
    }

    @Test func reportsOnlyThatTheDaemonIsAway() {
        let text = BridgeMetrics().text(nil)
        #expect(text.contains("jarvis_up 0\n"))
        #expect(!text.contains("jarvis_state"))
    }

    @Test func convertsToTheUnitsOfItsNames() {
        let text = BridgeMetrics().text([
            "state": "listening", "capture_xruns": 2, "volumes": ["master": 40], "echo": ["drift_ppm": -12.5],
            "talk_today_min": 1.5, "microphone_muted": false, "spent_today_usd": 1.25,
        ])
        for line in [
            "jarvis_state{state=\"listening\"} 1", "jarvis_state{state=\"error\"} 0",
            "jarvis_capture_xruns_total 2", "jarvis_volume_ratio 0.4",
            "jarvis_clock_drift_ratio -1.25e-05", "jarvis_talk_today_seconds 90", "jarvis_microphone_muted 0",
            "jarvis_spent_today_dollars 1.25", "jarvis_up 1",
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
    }

    @Test func readsOnlyMembersThatTheDaemonHas() {
        let members = Set(StatusSchema.members.map(\.name))
        let unknown = BridgeMetrics.paths.filter { !members.contains(String($0.prefix { $0 != "." })) }
        #expect(unknown == [])
    }

    @Test func thePageReadsOnlyMembersThatTheDaemonHas() throws {
        let script = try FileReader.system.read("Sources/JarvisBridge/Page/page.js", 1 << 20).bytes
        // What the bridge itself says.
        let members = Set(StatusSchema.members.map(\.name) + ["connected"])
        let read = String(decoding: script, as: UTF8.self)
            .matches(of: /\b(?:box\.|(?:record|list)\(")([a-z][a-z_]*)/).map { String($0.output.1) }
        #expect(read.count > 40)
        #expect(Set(read).subtracting(members) == [])
    }

    @Test func countsEachTurnOnceOverARestart() {
        var metrics = BridgeMetrics()
        // Was there before.
        metrics.learn(["turn_list": [turn(1, answered: 400)]])
        metrics.learn(["turn_list": [turn(1, answered: 400), turn(2, answered: 900)]])
        metrics.learn(["turn_list": [turn(1, answered: 400), turn(2, answered: 900)]])
        // Numbers begin again.
        metrics.learn(["turn_list": []])
        metrics.learn(["turn_list": [turn(1, at: "2026-11-27T04:00:00Z", answered: 60_000)]])
        let text = metrics.text([:])
        for line in [
            "jarvis_turn_stage_seconds_bucket{stage=\"answered\",le=\"0.75\"} 0",
            "jarvis_turn_stage_seconds_bucket{stage=\"answered\",le=\"1\"} 1",
            "jarvis_turn_stage_seconds_bucket{stage=\"answered\",le=\"30\"} 1",
            "jarvis_turn_stage_seconds_bucket{stage=\"answered\",le=\"+Inf\"} 2",
            "jarvis_turn_stage_seconds_sum{stage=\"answered\"} 60.9",
            "jarvis_turn_stage_seconds_count{stage=\"answered\"} 2",
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
    }

    @Test func escapesTheWordsOfALabel() {
        let text = BridgeMetrics().text(["reconnects": ["a \"b\"\\c\nd": 1]])
        #expect(text.contains(#"jarvis_reconnects_total{reason="a \"b\"\\c\nd"} 1"# + "\n"))
    }
}
