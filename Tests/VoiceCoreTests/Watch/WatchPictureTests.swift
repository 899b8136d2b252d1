import Testing
import VoiceBase

@testable import VoiceCore

struct WatchPictureTests {
    private static let status: [String: JSONValue] = [
        "state": "listening", "text": "Listening", "degraded": [], "mode": "wake",
        "phase": "awake", "microphone": "running", "loudspeaker": "running", "microphone_muted": false,
        "volumes": ["master": 40, "muted": false], "levels": ["in": -30, "out": -90], "heard": "user",
        "duplex": "full", "duplex_reason": "good", "echo": ["quality": "good", "erle_db": 32],
        "service": "api.openai.com, gpt-realtime", "session_age_s": 250, "spent_hour_usd": 0.123,
        "budget_hour_usd": 1, "spent_today_usd": 0.5, "version": "0.1.0", "uptime_s": 11_520, "rss_bytes": 93_000_000,
        "threads": 42,
        "media": [
            "state": "playing", "title": "News", "song": "Jingle", "position_s": 11, "length_s": 240,
            "queue": ["one", "two"],
        ],
        "timer_list": [
            ["kind": "timer", "name": "tea", "left_s": 124], ["kind": "alarm", "left_s": 40_000, "at": "Tue 07:00"],
            ["kind": "timer", "name": "eggs", "rings": true],
        ],
        "turns_total": 57,
        "turn_list": .array(
            (50...56).map { ["turn": .integer($0), "answered_ms": 500, "first_sample_ms": 600] } + [
                [
                    "turn": 57, "acknowledged_ms": 100, "dispatched_ms": 200, "answered_ms": 1000,
                    "first_delta_ms": 1100, "first_sample_ms": 1200, "interrupted": true,
                ]
            ]
        ),
        "log": .array(
            (10..<40).map { second in
                [
                    "at": .string("2026-11-27T23:02:\(second)Z"), "level": second == 39 ? "error" : "info",
                    "text": .string("line \(second)"),
                ]
            }
        ),
    ]

    /// The picture of a daemon last heard 1 s ago.
    private func lines(
        _ columns: Int,
        _ rows: Int,
        _ changes: [String: JSONValue] = [:],
        of status: [String: JSONValue] = status,
        isColoured: Bool = false,
        age: Duration = .seconds(1),
        problem: String? = nil
    ) -> [String] {
        var mirror = StatusMirror()
        _ = mirror.apply(["event": "snapshot", "number": 1, "missed": 0, "values": .object(status)], at: .seconds(100))
        _ = mirror.apply(["event": "changed", "number": 2, "values": .object(changes)], at: .seconds(100))
        return WatchPicture(
            mirror, size: .init(columns: columns, rows: rows), isColoured: isColoured, at: .seconds(100) + age,
            offset: 5400, problem: problem
        ).lines
    }

    /// The lines without the spaces at their ends.
    private func shown(_ lines: [String]) -> String {
        lines.map { line in
            var line = line[...]
            while line.last == " " { line.removeLast() }
            return String(line)
        }.joined(separator: "\n")
    }

    // MARK: Whole pictures

    @Test func fillsATerminalOf80By24() {
        #expect(
            shown(lines(80, 24)) == """
                jarvis-voiced 0.1.0, up 3 h 12 min, 88 MB, 42 threads
                      ░░░░░░░░       LISTENING  wake, awake
                   ░░░▒▒▒▒▒▒▒▒░░░    Listening
                  ░░▒▒████████▒▒░░   in       ██████████░░░░░░░░░░ -30 dBFS  hears you
                 ░░▒▒██████████▒▒░░  out      ░░░░░░░░░░░░░░░░░░░░ -90 dBFS  volume 40
                 ░░▒████████████▒░░  echo     good, 32 dB removed, you can interrupt
                 ░░▒▒██████████▒▒░░  service  api.openai.com, gpt-realtime (for 4 min)
                  ░░▒▒████████▒▒░░   spent    $0.12 of 1.00 this hour, $0.50 today
                   ░░░▒▒▒▒▒▒▒▒░░░    playing  00:12 of 04:00 (+2) News: Jingle
                      ░░░░░░░░       timers   tea in 2 min 3 s, alarm at Tue 07:00, eggs rings
                turns 57  ·· acknowledged ░░ asked ▒▒ answered ▓▓ speech came ██ heard
                52    ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒████ 0.6 s
                53    ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒████ 0.6 s
                54    ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒████ 0.6 s
                55    ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒████ 0.6 s
                56    ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒████ 0.6 s
                57    ·····░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓████ 1.2 s cut off

                00:32:34 line 34
                00:32:35 line 35
                00:32:36 line 36
                00:32:37 line 37
                00:32:38 line 38
                00:32:39 line 39
                """
        )
    }

    @Test func showsTheMostImportantOn20By6() {
        #expect(
            shown(lines(20, 6)) == """
                jarvis-voiced 0.1.0…
                LISTENING  wake, aw…
                Listening
                in       █░░ -30 dB…
                out      ░░░ -90 dB…
                echo     good, 32 dB
                """
        )
    }

    @Test func showsMoreTurnsAndMoreOfTheLogOnALargeScreen() {
        let lines = lines(200, 60)
        #expect(lines.filter { $0.contains(" s ") && $0.contains("█") && $0.hasPrefix("5") }.count == 8)
        #expect(lines.filter { $0.contains("line ") }.count == 30)
        #expect(lines[1].hasPrefix("      ░░"))
    }

    @Test(arguments: [(80, 24), (20, 6), (200, 60), (60, 16), (59, 15), (61, 3), (9, 40), (1, 1)])
    func isExactlyAsLargeAsTheScreen(columns: Int, rows: Int) {
        let hostile: [String: JSONValue] = [
            "service": .string(String(repeating: "日本語", count: 99)), "text": "e\u{301}👩‍👧 \u{1B}[2J",
            "degraded": ["one\ntwo", "three"], "threads": 1e300,
        ]
        for lines in [lines(columns, rows), lines(columns, rows, hostile), lines(columns, rows, of: [:])] {
            #expect(lines.count == rows)
            #expect(lines.allSatisfy { $0.columns == columns })
        }
    }

    @Test func daemonReportingOnlyItsStateIsShown() {
        let lines = shown(lines(80, 24, of: ["state": "processing"]))
        #expect(lines.contains("WORKING"))
        #expect(!lines.contains("echo") && !lines.contains("dBFS") && !lines.contains("turns"))
    }

    // MARK: The orb

    @Test(arguments: [
        ("idle", "IDLE", 245), ("connecting", "CONNECTING", 208), ("listening", "LISTENING", 75),
        ("userSpeaking", "YOU SPEAK", 77), ("processing", "WORKING", 208),
        ("waitingForJarvis", "WAITING FOR JARVIS", 208), ("fillerSpeaking", "SPEAKING", 141),
        ("aiSpeaking", "SPEAKING", 141), ("error", "ERROR", 203), ("dancing", "DANCING", 245),
    ])
    func theOrbHasTheColourOfTheState(state: String, name: String, colour: Int) {
        let lines = lines(80, 24, ["state": .string(state)], isColoured: true)
        #expect(lines[1].hasPrefix("\u{1B}[38;5;\(colour)m      ░░"))
        #expect(lines[1].contains("\u{1B}[38;5;\(colour)m\(name)  \u{1B}[0m"))
    }

    @Test func orbGrowsWithTheLevelOfTheTalker() {
        func core(_ state: JSONValue, in level: JSONValue, out: JSONValue) -> Int {
            lines(80, 24, ["state": state, "levels": ["in": level, "out": out]])[1...9].joined().filter { $0 == "█" }
                .count
        }
        #expect(core("listening", in: -10, out: -90) > core("listening", in: -40, out: -90) + 30)
        #expect(core("aiSpeaking", in: -90, out: -10) > core("aiSpeaking", in: -90, out: -40) + 30)
    }

    @Test func withoutColoursNothingIsEscaped() {
        #expect(!lines(80, 24).joined().contains("\u{1B}"))
    }

    // MARK: A daemon that is silent or absent

    @Test func saysHowLongTheDaemonHasBeenSilent() {
        #expect(lines(80, 24, age: .seconds(12))[0].hasPrefix("jarvis-voiced stale 12 s 0.1.0"))
        #expect(lines(80, 24, isColoured: true, age: .seconds(12))[1].contains("38;5;245mLISTENING"))
        #expect(!lines(80, 24, age: .seconds(5))[0].contains("stale"))
    }

    @Test func missingDaemonIsShownWithTheFix() {
        let picture = WatchPicture(
            StatusMirror(), size: .init(columns: 40, rows: 5), isColoured: false, at: .seconds(1),
            problem: "no daemon answers at /run/control.sock: check systemctl"
        )
        #expect(
            shown(picture.lines) == """
                jarvis-voiced
                WAITING FOR THE DAEMON
                no daemon answers at /run/control.sock:
                check systemctl

                """
        )
    }

    @Test func missingDaemonShowsTheLastPicture() {
        let lines = shown(lines(80, 24, ["degraded": ["no wake word"]], problem: "the daemon has gone"))
        for text in ["the daemon has gone", "no wake word", "gpt-realtime"] { #expect(lines.contains(text)) }
    }

    // MARK: Text from outside

    @Test func aTitleCannotSendAnEscape() {
        let title = "\u{1B}[31mred\u{1B}]0;owned\u{7}\u{9B}2J\u{202E}\n日本"
        for isColoured in [false, true] {
            let lines = lines(
                140,
                30,
                [
                    "media": ["state": "playing", "title": .string(title)], "text": .string(title),
                    "state": .string(title), "version": .string(title), "degraded": [.string(title)],
                    "timer_list": [["name": .string(title)]],
                    "log": [["at": .string(title), "level": .string(title), "text": .string(title)]],
                ],
                isColoured: isColoured
            )
            let colours = lines.joined().split(separator: "\u{1B}", omittingEmptySubsequences: false).dropFirst()
            #expect(colours.allSatisfy { $0.hasPrefix("[38;5;") || $0.hasPrefix("[0m") })
            #expect(colours.isEmpty != isColoured)
            #expect(!lines.joined().unicodeScalars.contains { $0.isHidden && $0 != "\u{1B}" })
            #expect(lines.contains { $0.contains("playing  ") && $0.contains(#"\u{1b}[31mred"#) })
        }
    }

    @Test(arguments: [
        ("News", 8, "News"), ("News at ten", 8, "News at…"), ("日本語のニュース", 8, "日本語…"), ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"), ("e\u{301}e\u{301}e\u{301}", 3, "e\u{301}e\u{301}e\u{301}"), ("⌚⌚", 3, "⌚…"),
        ("News", 1, "…"), ("News", 0, ""),
    ])
    func textIsCutByTheColumnsItNeeds(text: String, columns: Int, cut: String) {
        #expect(text.cut(toColumns: columns) == cut)
    }

    // MARK: Facts

    @Test(
        arguments: [
            ("learning", nil, "still learning"), ("poor", nil, "too weak for interruptions"),
            ("clipping", "lower the gain", "the microphone clips: lower the gain"),
            ("canceller_off", nil, "canceller off"), ("another", nil, "deaf while it speaks"),
        ] as [(String, String?, String)]
    )
    func halfDuplexShowsItsReason(reason: String, note: String?, words: String) {
        var echo: [String: JSONValue] = ["quality": "unknown"]
        echo["note"] = note.map { .string($0) }
        let lines = shown(
            lines(100, 24, ["duplex": "half", "duplex_reason": .string(reason), "echo": .object(echo)])
        )
        #expect(lines.contains("echo     not measured yet, \(words)\n"))
    }

    @Test func silencedDeviceShowsItsReason() {
        let muted = lines(80, 24, ["microphone_muted": true, "volumes": ["master": 40, "muted": true]])
        #expect(muted[3].contains("dBFS  muted") && muted[4].contains("dBFS  muted"))
        let lost = lines(80, 24, ["microphone": "lost", "loudspeaker": "waiting"])
        #expect(lost[3].contains("microphone lost") && lost[4].contains("loudspeaker waiting"))
        #expect(lines(80, 24, ["heard": "box"])[3].contains("hears itself"))
    }

    @Test func timersAndTitlesAdvanceBetweenUpdates() {
        let later = shown(lines(100, 24, age: .seconds(4)))
        #expect(
            later.contains("00:15 of 04:00 (+2) News") && later.contains("tea in 2 min, alarm at Tue 07:00, eggs rings")
        )
        let paused = lines(
            100,
            24,
            [
                "media": ["state": "paused", "title": "News", "position_s": 11],
                "timer_list": [["name": "tea", "left_s": 124, "paused": true]],
            ],
            age: .seconds(4)
        )
        #expect(shown(paused).contains("00:11 paused News") && shown(paused).contains("tea paused, 2 min 4 s left"))
    }

    @Test func endlessTurnStaysOnTheScreen() {
        let lines = lines(80, 24, ["turn_list": [["turn": 1e18, "first_sample_ms": 9e18], ["first_sample_ms": -5]]])
        #expect(lines.allSatisfy { $0.columns == 80 })
        #expect(lines.contains { $0.contains(String(repeating: "█", count: 54)) })
    }

    @Test func logLineWithoutATimeIsShown() {
        let lines = lines(80, 24, ["log": [["text": "begun"], ["at": "2026-11-27T99:00:00Z", "text": "ended"]]])
        #expect(lines.contains { $0.hasPrefix("begun ") } && lines.contains { $0.hasPrefix("ended ") })
    }
}
