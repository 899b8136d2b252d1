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
