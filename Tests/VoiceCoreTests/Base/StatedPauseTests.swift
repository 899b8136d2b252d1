import Testing

@testable import VoiceBase

struct StatedPauseTests {
    @Test(arguments: [
        ("Rate limit reached for gpt-realtime. Please try again in 1.2s. Visit https://x.example", 1200),
        ("Please try again in 6ms.", 6), ("Please try again in 1m26.4s. Visit", 86_400),
        ("Please retry after 26 seconds.", 26_000), ("Please retry in 34.074824224s.", 34_075),
        ("try again in 2 minutes and 5 seconds", 125_000), ("Try again in about 1 hour.", 3_600_000),
        (#"{"retryDelay": "34s"}"#, 34_000), ("Retry-After: 5", 5000), ("please wait for 30 sec", 30_000),
        ("try again in 7m12s", 432_000), ("try again in 400 days", 86_400_000),
    ])
    func readsThePauseInWords(text: String, milliseconds: Int) {
        #expect(StatedPause.read(text) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", "Please try again later.", "try again in a moment", "Limit 30000, Requested 31538.", "retry after",
    ])
    func findsNoPauseWhereThereIsNone(text: String) { #expect(StatedPause.read(text) == nil) }
}
