import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

/// The clock of a session that runs by its uplink never stops, whatever happens to the microphone.
struct UplinkClockTests {
    /// 20 ms.
    private static let chunk = 480

    /// The state of the microphone.
    enum Fault: String, CaseIterable {
        case none, gate, away, late, overrun, muted, halfDuplex
    }

    /// A microphone, a gate and a session, all as numbers.
    private struct Room {
        var clock = UplinkClock(chunk: UplinkClockTests.chunk, at: .zero)
        var now = Duration.zero
        var fault = Fault.none
        /// Periods from the capture of audio to its arrival, as in every card and canceller.
        var latency = 0
        private var onItsWay: [Duration] = []
        /// When each waiting period of 10 ms was captured.
        var ring: [Duration] = []
        /// Periods that a card delivers late.
        var inCard: [Duration] = []
        /// Number of samples that the session has, and how many of them are silence from the clock.
        var total = 0
        var silence = 0
        /// Capture times of the audio that was sent, in the order of sending.
        var sent: [Duration] = []
        /// When the session last received audio, and its longest wait for the next sample.
        var latest = Duration.zero
        var longestPause = Duration.zero

        /// 10 ms pass; the network thread runs once.
        mutating func pass() {
            now += .milliseconds(10)
            switch fault {
            // Mute and half duplex are silence made by the audio thread.
            case .none, .gate, .muted, .halfDuplex:
                onItsWay += inCard + [now - .milliseconds(10)]
                inCard = []
                let come = max(0, onItsWay.count - latency)
                ring += onItsWay.prefix(come)
                onItsWay.removeFirst(come)
            case .late: inCard.append(now - .milliseconds(10))
            case .away, .overrun: inCard = []
            }
            look()
        }

        mutating func look() {
            let isHeld = fault == .gate
            // Audio held back by a gate is kept for 400 ms.
            if isHeld, ring.count > 40 { ring.removeFirst(ring.count - 40) }
            let before = total
            let step = clock.step(at: now, oldest: ring.first ?? now, waiting: ring.count * 240, isHeld: isHeld)
            ring.removeFirst(min(ring.count, step.dropped / 240))
            total += step.silence
            silence += step.silence
            while !isHeld, ring.count >= 2 {
                sent += ring[..<2]
                clock.sent(UplinkClockTests.chunk, until: ring[1] + .milliseconds(10))
                ring.removeFirst(2)
                total += UplinkClockTests.chunk
            }
            if total > before { latest = now }
            longestPause = max(longestPause, now - latest)
        }

        mutating func pass(_ milliseconds: Int, _ fault: Fault) {
            self.fault = fault
            for _ in 0..<milliseconds / 10 { pass() }
        }

        /// How far the session is behind the wall clock, in ms; negative if it is ahead.
        var behind: Int { now.wholeMilliseconds - total / 24 }
    }

    @Test func undisturbedSoundIsSentAsItIs() {
        var room = Room()
        room.pass(10_000, .none)
        #expect(room.silence == 0)
        #expect(room.behind <= 20)
        #expect(room.longestPause <= .milliseconds(20))
    }

    @Test(arguments: Fault.allCases) func clockRunsThroughEveryFault(fault: Fault) {
        for length in [10, 50, 150, 190, 250, 400, 3000, 20_000] {
            var room = Room()
            room.pass(1000, .none)
            room.pass(length, fault)
            #expect(room.behind <= 220, "\(fault) \(length): \(room.behind) ms behind")
            room.pass(3000, .none)
            #expect(room.longestPause <= .milliseconds(220), "\(fault) \(length): \(room.longestPause)")
            #expect(room.behind <= 220, "\(fault) \(length): \(room.behind) ms behind")
            // Ahead by no more than what a gate keeps for the beginning of a word.
            #expect(room.behind >= -420, "\(fault) \(length): \(-room.behind) ms ahead")
        }
    }

    @Test func shutGateSendsSilenceWithoutDelay() {
        var room = Room()
        room.pass(1000, .none)
        room.pass(5000, .gate)
        #expect(room.longestPause <= .milliseconds(20))
        #expect(room.silence >= 4900 * 24)
    }

    /// A card that delivers late stretches nothing: audio that arrives after its place was taken is dropped.
    @Test(arguments: [250, 500, 1500]) func lateSoundIsDroppedNotAdded(length: Int) {
        var room = Room()
        room.pass(1000, .none)
        room.pass(length, .late)
        room.pass(2000, .none)
        #expect(room.behind >= -20, "\(-room.behind) ms were added")
        #expect(room.behind <= 220)
    }

    /// Audio always arrives some time after its capture: once it arrives again it is sent again.
    @Test(arguments: [0, 3, 6, 10], [Fault.away, .late]) func soundIsSentOnceItReturns(
        latency: Int,
        fault: Fault
    ) {
        var room = Room()
        room.latency = latency
        room.pass(1000, .none)
        room.pass(400, fault)
        let before = room.sent.count
        room.pass(3000, .none)
        #expect(room.sent.count - before >= 280, "\(room.sent.count - before) of 300 periods")
        #expect(room.behind >= -20 && room.behind <= 220, "\(room.behind) ms behind")
    }

    /// Slightly late is not missing.
    @Test func slightlyLateSoundIsSentWhole() {
        var room = Room()
        room.pass(1000, .none)
        room.pass(150, .late)
        room.pass(2000, .none)
        #expect(room.silence == 0)
        #expect(room.sent.count >= 313)
    }

    /// Audio lost in an overrun is replaced in its place, sample for sample.
    @Test func gapIsFilledAtItsPlace() {
        var room = Room()
        room.pass(1000, .none)
        room.pass(120, .overrun)
        room.pass(1000, .none)
        #expect(abs(room.silence - 120 * 24) <= Self.chunk)
        #expect(abs(room.behind) <= 40)
    }

    /// A thread that hung for minutes does not send minutes of silence in one burst.
    @Test func hungThreadDoesNotCatchUp() {
        var clock = UplinkClock(chunk: Self.chunk, at: .zero)
        clock.sent(Self.chunk, until: .seconds(1))
        let step = clock.step(at: .seconds(600), oldest: .seconds(600), waiting: 0, isHeld: false)
        #expect(step.silence <= 2 * 24_000)
        #expect(clock.step(at: .seconds(600), oldest: .seconds(600), waiting: 0, isHeld: false).silence == 0)
    }

    /// Any faults in any order, for an hour.
    @Test(arguments: UInt64(1)...20) func anyOrderOfFaultsLeavesTheClockRunning(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var room = Room()
        for _ in 0..<300 {
            let fault = Fault.allCases[Int.random(in: 0..<Fault.allCases.count, using: &random)]
            room.pass(10 * Int.random(in: 1..<(Bool.random(using: &random) ? 20 : 150), using: &random), fault)
            #expect(room.behind <= 240, "\(seed): \(room.behind) ms behind")
        }
        #expect(room.longestPause <= .milliseconds(240), "\(seed): \(room.longestPause)")
        // The audio is in order, and none of it is sent twice.
        #expect(zip(room.sent, room.sent.dropFirst()).allSatisfy { $0 < $1 }, "\(seed)")
    }
}
