import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation

struct DuplexPolicyTests {
    /// g good, b between, p poor, t talker, i inaudible; A and U: aligned from here on, or not; x: an xrun.
    private func run(_ story: String, clipping: Bool = false) -> DuplexPolicy {
        var policy = DuplexPolicy(setting: .auto, hasCanceller: true)
        var isAligned = false
        for letter in story {
            var block: EchoQuality.Block?
            switch letter {
            case "A": isAligned = true
            case "U": isAligned = false
            case "x": policy.discontinuity()
            case "g": block = .good
            case "b": block = .between
            case "p": block = .poor
            case "t": block = .talker
            default: block = .inaudible
            }
            policy.step(block, isAligned: isAligned, isClipping: clipping)
        }
        return policy
    }

    private static let stories: [(String, DuplexState)] = [
        ("", .learning),
        // At the start: half until aligned and converged.
        ("gggggggg", .learning),
        ("pppppppp", .learning),
        ("Ag", .learning),
        ("Agg", .good),
        ("Appgg", .good),
        ("Appppppp", .learning),
        ("Apppppppp", .poor),
        ("Appppppgg", .good),
        // Learning ends with the eighth block, whatever they are.
        ("Abbpbbbp", .learning),
        ("Abbpbbbpb", .good),
        ("Apbbpbbpb", .poor),
        ("Apgpgbgpg", .poor),
        // Headphones.
        ("ii", .clear),
        ("Aii", .clear),
        ("iippi", .clear),
        ("iippp", .learning),
        ("Aiigggg", .good),
        ("Aiipppp", .learning),
        ("Aggiiii", .clear),
        // A talker affects some blocks; a bad room affects all.
        ("Agggggppgg", .good),
        ("Aggggppgppg", .good),
        ("Agggpppgppp", .poor),
        ("Aggppppp", .poor),
        // A talker is not evidence against the canceller, however long, not even over the first answer.
        ("Atttttttttttttttttttttttttt", .learning),
        ("Attttttttttttttttgg", .good),
        ("Aggtttttttttttttttttttttttt", .good),
        ("Aggtptptptptptptptptg", .poor),
        // Recovery after four good blocks in a row.
        ("Aggpppppggg", .poor),
        ("Aggpppppgggg", .good),
        ("Aggpppppgggpgggg", .good),
        ("Aggpppppgggbgg", .poor),
        ("Aggpppppiiii", .clear),
        // Alignment lost, or an xrun: learn again from any state.
        ("AggU", .learning),
        ("AggUgggg", .learning),
        ("AggUAg", .learning),
        ("AggUAgg", .good),
        ("Aggxg", .learning),
        ("Aggxgg", .good),
        ("Aggpppppx", .learning),
        ("iix", .clear),
    ]

    @Test(arguments: stories)
    func echoHistoryDecidesWhetherTalkersAreHeard(_ story: String, _ state: DuplexState) {
        #expect(run(story).state == state)
    }

    @Test func clippingIsTheReasonGivenForPoorEcho() {
        #expect(run("Apppppppp", clipping: true).state == .clipping)
        #expect(run("Agg", clipping: true).state == .good)
    }

    @Test func configuredModeHolds() {
        let settings: [(DuplexSetting, Bool, DuplexState)] = [
            (.full, true, .forcedFull), (.full, false, .forcedFull), (.half, true, .forcedHalf),
            (.half, false, .forcedHalf), (.auto, false, .cancellerOff), (.auto, true, .learning),
        ]
        for (setting, hasCanceller, expected) in settings {
            var policy = DuplexPolicy(setting: setting, hasCanceller: hasCanceller)
            #expect(policy.state == expected)
            guard expected != .learning else { continue }
            for block in EchoQuality.Block.allCases {
                for _ in 0..<10 { policy.step(block, isAligned: true) }
                policy.discontinuity()
                #expect(policy.state == expected)
            }
        }
    }

    @Test func talkerPassesOnceTheEchoIsAligned() {
        #expect(run("").permission == .shut)
        #expect(run("gg").permission == .shut)
        #expect(run("Att").permission == .guarded)
        #expect(run("AttU").permission == .shut)
        #expect(run("Agg").permission == .guarded)
        #expect(run("Apppppppp").permission == .guarded)
        #expect(run("Apppppppp", clipping: true).permission == .guarded)
        #expect(run("ii").permission == .open)
        // An echo where there was none: not without the gate.
        #expect(run("iip").permission == .guarded)
    }

    /// An echo that is never found, or never loud enough to be judged, shuts no one out for good.
    @Test func learningWithoutADelayShutsTheGateForThreeSeconds() {
        var policy = DuplexPolicy(setting: .auto, hasCanceller: true)
        for _ in 0..<1000 { policy.step(nil, isAligned: false, isPlaying: false) }
        for _ in 0..<299 { policy.step(nil, isAligned: false, isPlaying: true) }
        #expect(policy.permission == .shut)
        policy.step(nil, isAligned: false, isPlaying: true)
        #expect(policy.permission == .guarded)
        // What was found and lost again may be found again.
        policy.step(nil, isAligned: true)
        policy.step(nil, isAligned: false)
        #expect(policy.permission == .shut)
    }

    @Test func unknownEchoShutsTheGateOnlyThreeSeconds() {
        var policy = DuplexPolicy(setting: .auto, hasCanceller: true)
        for period in 0..<2000 {
            #expect(policy.permission == (period < 300 ? .shut : .guarded))
            policy.step(nil, isAligned: false)
            if period.isMultiple(of: 200) { policy.discontinuity() }
        }
    }

    @Test func residualEchoOfADeviceIsNotATalker() {
        var policy = DuplexPolicy(setting: .auto, hasCanceller: true, isOfDevice: true)
        for _ in 0..<299 { policy.step(nil, isAligned: false) }
        #expect(policy.permission == .shut)
        for _ in 0..<7 { policy.step(.poor, isAligned: false) }
        #expect(policy.permission == .shut)
        policy.step(.poor, isAligned: false)
        #expect(policy.state == .poor)
        #expect(policy.permission == .shut)
        // Nothing that is played is loud: there is nothing to leave.
        var faint = DuplexPolicy(setting: .auto, hasCanceller: true, isOfDevice: true)
        for _ in 0..<300 { faint.step(nil, isAligned: false) }
        #expect(faint.permission == .guarded)
    }

    /// At the threshold it may change every few seconds, not every block.
    @Test func anUnsteadyCancellerDoesNotFlap() {
        var random = SeededGenerator(seed: 11)
        var policy = DuplexPolicy(setting: .auto, hasCanceller: true)
        var changes = 0
        for _ in 0..<1200 {
            let block = [EchoQuality.Block.good, .between, .poor].randomElement(using: &random)
            let before = policy.state
            policy.step(block, isAligned: true)
            if policy.state != before { changes += 1 }
        }
        #expect(changes < 60, "\(changes) changes in ten minutes")
    }
}
