import Testing

@testable import VoiceAudio
@testable import VoiceBase
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

    @Test func missingMicrophoneIsReadyWithALimitedStatus() {
        var feed = Feed()
        feed.snapshot.microphone = .waiting(reason: "no such device")
        feed.snapshot.health = Health([.init(.microphone, .limited, "no microphone: no such device")])
        let notices = feed.pass(9)
        #expect(notices.contains(.ready))
        #expect(notices.contains(.status("Limited: no microphone: no such device")))
    }

    @Test func restingLoudspeakerIsNotAProblem() {
        let snapshot = ServiceSnapshot(conversation: .idle, loudspeaker: .resting)
        #expect(snapshot.sign(of: .loudspeaker) == nil)
        #expect(snapshot.text == "All is well: idle, no conversation" && snapshot.isUp)
    }

    @Test func connectingIsNotYetCalledWell() {
        #expect(ServiceSnapshot(conversation: .connecting).text == "Getting ready: connecting to the voice service")
    }

    @Test func refusedServiceDoesNotDelayReady() {
        var feed = Feed()
        feed.snapshot.conversation = .error("invalid_api_key")
        feed.snapshot.health = Health([.init(.service, .notWorking, "the voice service refuses the connection")])
        #expect(
            Array(feed.pass(1).prefix(2)) == [
                .ready, .status("Not working: the voice service refuses the connection"),
            ]
        )
    }

    /// Nothing is about to happen: ready with the first sound, not a second after the start.
    @Test func conversationAwaitingACallIsReadyWithTheFirstSound() {
        var report = ServiceManagerReport(watchdog: nil, at: .zero)
        var snapshot = ServiceSnapshot(conversation: .idle, microphone: .waiting(reason: "not opened yet"))
        #expect(!report.step(snapshot, at: .milliseconds(10)).contains(.ready))
        snapshot.awaitsCall = true
        #expect(!report.step(snapshot, at: .milliseconds(100)).contains(.ready))
        snapshot.microphone = .running
        #expect(report.step(snapshot, at: .milliseconds(180)).contains(.ready))
    }

    @Test func idleIsReadyIfNoSessionIsWanted() {
        var feed = Feed()
        feed.snapshot.conversation = .idle
        #expect(feed.pass(2).contains(.ready))
    }

    @Test func statusIsSentOnlyOnChange() {
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
                .status("All is well: hearing you"), .status("All is well: preparing an answer"),
                .status("All is well: speaking"), .status("All is well: listening"),
            ]
        )
    }

    @Test(arguments: ["microphone", "audio", "conversation", "network"])
    func hangingPartStopsFeedingTheWatchdog(part: String) {
        var feed = Feed()
        feed.snapshot.conversation = .listening
        #expect(feed.pass(20).filter { $0 == .watchdog }.count == 4)
        feed.hung = [part]
        #expect(feed.pass(5).filter { $0 == .watchdog }.count <= 1)
        #expect(!feed.pass(60).contains(.watchdog))
        feed.hung = []
        #expect(feed.pass(1).contains(.watchdog))
    }

    @Test func missingDeviceKeepsTheWatchdogFed() {
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

    @Test func soundFromFilesNeedsNoDevices() {
        var feed = Feed()
        feed.snapshot = ServiceSnapshot(conversation: .listening, microphone: .waiting(reason: ""), hasDevices: false)
        feed.hung = ["microphone"]
        let notices = feed.pass(20)
        #expect(notices.contains(.ready) && notices.contains(.status("All is well: listening")))
        #expect(notices.filter { $0 == .watchdog }.count == 4)
    }

    @Test func aReloadEndsWithReadyAgain() {
        var feed = Feed()
        #expect(feed.report.reloaded() == [])
        feed.snapshot.conversation = .listening
        _ = feed.pass(1)
        #expect(feed.report.reloaded() == [.ready, .status("All is well: listening")])
    }

    @Test func noWatchdogMeansNoSignsOfLife() {
        var report = ServiceManagerReport(watchdog: nil, at: .zero)
        let snapshot = ServiceSnapshot(conversation: .listening)
        for second in 1...30 { #expect(!report.step(snapshot, at: .seconds(second)).contains(.watchdog)) }
    }
}
