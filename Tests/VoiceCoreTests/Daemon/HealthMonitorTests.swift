import Testing

@testable import VoiceAgent
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

struct HealthMonitorTests {
    private var monitor = HealthMonitor()

    /// The health after each of these many seconds with the same signs.
    private mutating func health(_ signs: HealthSigns, at seconds: Int...) -> [Health.Level] {
        seconds.map { monitor.step(signs, at: .seconds($0)).level }
    }

    @Test mutating func missingServiceCountsAfterTenSeconds() {
        var signs = HealthSigns()
        signs.service = .connecting
        #expect(health(signs, at: 0, 9) == [.well, .well])
        signs.service = .unreachable("no address")
        signs.serviceRetryIn = 7
        #expect(health(signs, at: 10) == [.notWorking])
        let health = monitor.step(signs, at: .seconds(11))
        #expect(
            health.text
                == "Not working: the voice service cannot be reached (no address): check the internet connection; "
                + "timers, alarms and music still work"
        )
        #expect(health.problems.first?.lineNow.hasSuffix("next try in 7 s") == true)
        signs.service = .ready
        #expect(monitor.step(signs, at: .seconds(12)) == Health())
    }

    /// To look for a fault in the house would be wrong, wherever the service runs.
    @Test(arguments: [true, false]) mutating func spentQuotaIsNotAMissingService(isLocal: Bool) {
        var signs = HealthSigns()
        signs.isServiceLocal = isLocal
        signs.service = .limited("the quota is used up for now: wait")
        signs.serviceRetryIn = 30
        #expect(health(signs, at: 0, 9, 10) == [.well, .well, .notWorking])
        let health = monitor.step(signs, at: .seconds(11))
        #expect(
            health.text
                == "Not working: the voice service has reached its limit (the quota is used up for now: wait); "
                + "timers, alarms and music still work"
        )
        #expect(health.problems.first?.lineNow.hasSuffix("next try in 30 s") == true)
    }

    @Test mutating func aShortInterruptionIsNotMentioned() {
        var signs = HealthSigns()
        for second in 0..<100 {
            signs.service = second % 12 < 9 ? .unreachable("a cut") : .ready
            #expect(monitor.step(signs, at: .seconds(second)).level == .well, "second \(second)")
        }
    }

    @Test mutating func refusalCountsImmediatelyAndNamesTheFix() {
        var signs = HealthSigns()
        signs.service = .refused("invalid_api_key")
        #expect(monitor.step(signs, at: .zero).problems.first?.fix == "run sudo jarvis-voiced doctor")
    }

    @Test mutating func missingAgentLimitsButDoesNotEndConversations() {
        var signs = HealthSigns()
        signs.service = .ready
        signs.agent = .init(text: "Jarvis does not answer", fix: "see that its server runs", retryIn: 30)
        #expect(health(signs, at: 0, 9, 10) == [.well, .well, .limited])
        signs.service = .unreachable("no address")
        #expect(health(signs, at: 11, 21) == [.limited, .notWorking])
    }

    @Test mutating func theWorstProblemComesFirst() {
        var signs = HealthSigns()
        signs.microphone = .init(problem: "no microphone")
        signs.budgetSpentUntil = "18:00"
        #expect(monitor.step(signs, at: .zero).problems.map(\.part) == [.budget, .microphone])
        signs.hasFreeService = true
        #expect(health(signs, at: 1) == [.limited])
    }

    @Test mutating func withoutALoudspeakerNothingIsReportedAsWorking() {
        var signs = HealthSigns()
        signs.budgetSpentUntil = "18:00"
        signs.loudspeaker = .init(problem: "no loudspeaker")
        #expect(monitor.step(signs, at: .zero).works.isEmpty)
    }

    @Test mutating func shortLossOfADeviceIsNotMentioned() {
        var signs = HealthSigns()
        signs.microphone = ServiceSnapshot(conversation: .idle, microphone: .lost(reason: "unplugged")).sign(
            of: .microphone
        )
        #expect(health(signs, at: 0, 9, 10) == [.well, .well, .limited])
        signs.microphone = ServiceSnapshot(conversation: .idle, microphone: .waiting(reason: "in use")).sign(
            of: .microphone
        )
        #expect(signs.microphone?.mayPass == false)
        // The page puts what stands before the brackets into its headline.
        let problem = monitor.step(signs, at: .seconds(11)).problems.first
        #expect(problem?.line == "no microphone (in use): connect one, or run sudo jarvis-voiced doctor")
    }

    @Test(arguments: [
        (ConversationState.idle, nil, HealthSigns.Service.unused), (.connecting, nil, .connecting),
        (.connecting, ServiceTrouble(number: 1, reason: "a", kind: .transient), .unreachable("a")),
        (.idle, ServiceTrouble(number: 1, reason: "a", kind: .permanent), .refused("a")),
        (.idle, ServiceTrouble(number: 1, reason: "a", kind: .transient), .unreachable("a")),
        (.idle, ServiceTrouble(number: 1, reason: "a", kind: .expired), .unreachable("a")),
        (.idle, ServiceTrouble(number: 1, reason: "a", kind: .limited), .limited("a")),
        (.connecting, ServiceTrouble(number: 1, reason: "a", kind: .limited), .limited("a")),
        (.error("b"), ServiceTrouble(number: 2, reason: "a", kind: .transient), .refused("b")),
        (.listening, nil, .ready),
    ])
    func theServiceIsJudgedByStateAndTrouble(
        state: ConversationState,
        trouble: ServiceTrouble?,
        service: HealthSigns.Service
    ) {
        #expect(HealthSigns.Service(state, trouble) == service)
    }

    @Test func theStatusCarriesTheWholeHealth() {
        let health = Health([
            .init(.agent, .limited, "Jarvis does not answer", fix: "see", works: "timers still work", retryIn: 3),
            .init(.disk, .limited, "the disk is full"),
        ])
        #expect(Health(health.json) == health)
        #expect(Health(Health().json) == Health())
        for value: JSONValue in [
            [:], ["level": "fine"], ["level": "limited"], ["level": "limited", "problems": [["part": 1]]],
        ] {
            #expect(Health(value) == nil)
        }
    }
}
