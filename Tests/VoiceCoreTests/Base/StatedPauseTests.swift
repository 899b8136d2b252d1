import Testing

@testable import VoiceBase

struct StatedPauseTests {
    @Test(arguments: [
        ("Rate limit reached for gpt-realtime. Please try again in 1.2s. Visit https://x.example", 1200),
        ("Please try again in 6ms.", 6), ("Please try again in 1m26.4s. Visit", 86_400),
        ("Please retry after 26 seconds.", 26_000), ("Please retry in 34.074824224s.", 34_075),
        ("try again in 2 minutes and 5 seconds", 125_000), ("Try again in about 1 hour.", 3_600_000),
        (#"{"retryDelay": "34s"}"#, 34_000), ("Retry-After: 5", 5000), ("please wait for 30 sec", 30_000),
        ("Expected available in 12 seconds.", 12_000), ("wait 5 more seconds", 5000),
        ("try again in one minute", 60_000),
        ("try again in approx. 9 seconds", 9000), ("a cooldown of 5 seconds", 5000), (#"{"retry_after_ms": 500}"#, 500),
        (#"{"retry_after": 12.5}"#, 12_500), ("try again in 7m12s", 432_000), ("try again in 400 days", 86_400_000),
    ])
    func readsThePauseInWords(text: String, milliseconds: Int) {
        #expect(StatedPause.read(text) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", "Please try again later.", "try again in a moment", "Limit 30000, Requested 31538.", "retry after",
        "Please try again in 00:01:30", "try again in a few seconds",
    ])
    func wordsWithoutAPauseGiveNone(text: String) { #expect(StatedPause.read(text) == nil) }

    @Test(arguments: [
        ("retry after 1,5 seconds", 1500), ("retry after 1,500 seconds", 1_500_000),
        ("try again in twenty seconds", 20_000),
        ("try again in forty-five seconds", 45_000), ("wait half a minute", 30_000),
        ("retry in half an hour", 1_800_000),
        ("retry_after_seconds: 30", 30_000), (#"{"retryAfterMs":2500}"#, 2500),
        (#""retryAfterSeconds": "40""#, 40_000),
        ("Your quota will reset after 30s.", 30_000), ("You have to wait 20 s", 20_000),
        ("retry after 3, 5 or 8 seconds", 3000),
    ])
    func readsAPauseInEveryNotation(text: String, milliseconds: Int) {
        #expect(StatedPause.read(text) == .milliseconds(milliseconds))
    }

    @Test func theFirstPauseOfTheTextCounts() {
        let text = "Please wait 5 seconds. If it fails, try again in 10 minutes."
        #expect(StatedPause.read(text) == .seconds(5))
    }

    @Test(arguments: [
        "The agent could not wait 30 seconds for the tool", "don't wait 9 seconds", "The tool waits 5 seconds",
        "await 7 seconds", "available in 3 regions",
    ])
    func sentenceThatAsksForNoPauseGivesNone(text: String) { #expect(StatedPause.read(text) == nil) }

    /// The server's own clock: that of this machine may be wrong.
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:50:07 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 30),
            ("Thu, 01 Jan 1970 00:00:10 GMT", "Wed, 31 Dec 2025 23:59:59 GMT", 0),
            ("Fri, 01 Jan 2027 00:00:20 GMT", "Thu, 31 Dec 2026 23:59:50 GMT", 30),
            ("Sun, 06 Nov 1994 08:50:07 GMT", nil, nil), ("Sun, 06 Nov 1994 99:50:07 GMT", "x", nil),
        ] as [(String, String?, Int?)]
    )
    func readsThePauseUntilADate(until: String, now: String?, seconds: Int?) {
        let pause = StatedPause.read { $0 == "retry-after" ? until : $0 == "date" ? now : nil }
        #expect(pause == seconds.map { .seconds($0) })
    }

    @Test(
        arguments: [
            (["retry-after": "40"], 40_000), (["retry-after-ms": "700", "retry-after": "1"], 700),
            (["retry-after": "-1"], nil),
            (["retry-after": "1e400"], nil), (["retry-after": "soon"], nil), ([:], nil),
        ] as [([String: String], Int?)]
    )
    func readsThePauseOfAHeader(headers: [String: String], milliseconds: Int?) {
        #expect(StatedPause.read { headers[$0] } == milliseconds.map { Duration.milliseconds($0) })
    }
}
