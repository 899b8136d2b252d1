import Testing

@testable import VoiceAudio
@testable import VoiceConversation
@testable import VoiceCore

struct ServiceManagerReportTests {
    /// A report that is updated twice a second, in which all parts turn unless listed in `hung`.
    private struct Feed {
        var report = ServiceManagerReport(watchdog: .seconds(20), at: .zero)
        var snapshot = ServiceSnapshot(conversation: .connecting)
        var now = Duration.zero
        var hung: Set<String> = []

        mutating func pass(_ seconds: Int = 1) -> [ServiceNotice] {
            var notices: [ServiceNotice] = []
            for _ in 0..<(2 * seconds) {
                now += .milliseconds(500)
                if !hung.contains("microphone") { snapshot.captured += 24_000 }
                if !hung.contains("audio") { snapshot.cycles += 50 }
                if !hung.contains("conversation") { snapshot.conversationTurns += 1 }
                if !hung.contains("network") { snapshot.networkTurns += 1 }
                notices += report.step(snapshot, at: now)
            }
            return notices
        }
    }

    @Test func readyOnlyWhenSoundAndSessionAreUp() {
        var feed = Feed()
        #expect(!feed.pass(2).contains(.ready))
        feed.snapshot.conversation = .listening
        feed.snapshot.microphone = .waiting(reason: "in use")
        #expect(!feed.pass(2).contains(.ready))
        feed.snapshot.microphone = .running
        #expect(feed.pass(1).first == .ready)
        #expect(!feed.pass(20).contains(.ready))
    }

    @Test func readyWithoutWhatIsMissingAndTheStatusSaysSo() {
        var feed = Feed()
        feed.snapshot.microphone = .waiting(reason: "no such device")
        let notices = feed.pass(9)
        #expect(notices.contains(.ready))
        #expect(
            notices.contains(
                .status("Connecting to the voice service; degraded: no microphone: no such device")
            )
        )
    }

    /// A loudspeaker that others may use lacks nothing; a clock that is not set does.
    @Test func aRestingLoudspeakerIsNoProblem() {
        var snapshot = ServiceSnapshot(conversation: .idle, loudspeaker: .resting)
        #expect(snapshot.text == "Idle, no conversation" && snapshot.isUp)
        snapshot.clockUnset = "the clock of this machine is not set: it shows 1970-01-01 00:00"
        #expect(snapshot.text == "Idle, no conversation; degraded: \(snapshot.clockUnset ?? "")")
    }

    @Test func aRefusalIsNoReasonToWait() {
        var feed = Feed()
        feed.snapshot.conversation = .error("invalid_api_key")
        #expect(
            Array(feed.pass(1).prefix(2)) == [
                .ready, .status("No conversation; degraded: the voice service refuses the connection: invalid_api_key"),
            ]
        )
    }

    @Test func idleIsReadyWhereNoSessionIsWanted() {
        var feed = Feed()
        feed.snapshot.conversation = .idle
        #expect(feed.pass(2).contains(.ready))
    }

    @Test func theStatusIsToldAtEveryChangeAndOnlyThen() {
        var feed = Feed()
        feed.snapshot.conversation = .listening
        _ = feed.pass(1)
        var texts: [ServiceNotice] = []
        for state in [ConversationState.userSpeaking, .processing, .aiSpeaking, .aiSpeaking, .listening] {
            feed.snapshot.conversation = state
            texts += feed.pass(1).filter { $0 != .watchdog }
        }
        #expect(
            texts == [
                .status("Hearing you"), .status("Preparing an answer"), .status("Speaking"),
                .status("Listening"),
            ]
        )
    }

    @Test(arguments: ["microphone", "audio", "conversation", "network"])
    func theWatchdogBitesWhenAPartHangs(part: String) {
        var feed = Feed()
        feed.snapshot.conversation = .listening
        #expect(feed.pass(20).filter { $0 == .watchdog }.count == 4)
        feed.hung = [part]
        #expect(feed.pass(5).filter { $0 == .watchdog }.count <= 1)
        #expect(!feed.pass(60).contains(.watchdog))
        feed.hung = []
        #expect(feed.pass(1).contains(.watchdog))
    }

    @Test func aDeviceThatIsAwayIsNoReasonToBeKilled() {
        var feed = Feed()
        feed.snapshot.conversation = .listening
        _ = feed.pass(5)
        feed.hung = ["microphone"]
        feed.snapshot.microphone = .lost(reason: "has gone")
        #expect(feed.pass(60).filter { $0 == .watchdog }.count >= 11)
        // The device is back, and frames take a moment to flow.
        feed.snapshot.microphone = .running
        #expect(feed.pass(4).filter { $0 == .watchdog }.count >= 0)
        feed.hung = []
        #expect(feed.pass(5).contains(.watchdog))
    }

    @Test func soundFromFilesHasNoDevices() {
        var feed = Feed()
        feed.snapshot = ServiceSnapshot(conversation: .listening, microphone: .waiting(reason: ""), hasDevices: false)
        feed.hung = ["microphone"]
        let notices = feed.pass(20)
        #expect(notices.contains(.ready) && notices.contains(.status("Listening")))
        #expect(notices.filter { $0 == .watchdog }.count == 4)
    }

    @Test func aReloadEndsWithReadyAgain() {
        var feed = Feed()
        #expect(feed.report.reloaded() == [])
        feed.snapshot.conversation = .listening
        _ = feed.pass(1)
        #expect(feed.report.reloaded() == [.ready, .status("Listening")])
    }

    @Test func withoutAWatchdogThereAreNoSignsOfLife() {
        var report = ServiceManagerReport(watchdog: nil, at: .zero)
        let snapshot = ServiceSnapshot(conversation: .listening)
        for second in 1...30 { #expect(!report.step(snapshot, at: .seconds(second)).contains(.watchdog)) }
    }
}
