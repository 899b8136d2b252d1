import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceConversation

struct DelayTrackerTests {
    private static let half = 24_000

    /// A tracker confirmed at offset 1000 and fed the same value for 20 s.
    private func settled(from start: Int = 0, ppm: Double = 0) -> (tracker: DelayTracker, place: Int) {
        var tracker = DelayTracker()
        tracker.restart(offset: 1000, at: start)
        var place = start
        for turn in 0..<40 {
            place = start + turn * Self.half
            tracker.update(1000 + ppm * 1e-6 * Double(place - start), at: place)
        }
        return (tracker, place)
    }

    @Test func theFirstEstimateReplacesTheStartValue() {
        for first in [1000.0, 1100, 5800, -2000] {
            var tracker = DelayTracker()
            tracker.restart(offset: 1000, at: 0)
            #expect(!tracker.isConfirmed)
            #expect(tracker.offset(at: 5000) == 1000)
            #expect(tracker.update(first, at: Self.half) == .confirmed(by: first - 1000))
            #expect(tracker.isConfirmed)
            #expect(tracker.offset(at: Self.half) == first)
            #expect(tracker.jumps == ((first - 1000).magnitude > 192 ? 1 : 0))
        }
    }

    @Test(arguments: [0.0, 20, -100, 200, 450])
    func findsTheDrift(ppm: Double) {
        let (tracker, place) = settled(ppm: ppm)
        #expect((tracker.drift * 1e6 - ppm).magnitude < 1)
        let later = place + 60 * 48_000
        #expect((tracker.offset(at: later) - 1000 - ppm * 1e-6 * Double(later)).magnitude < 5)
    }

    @Test func noiseIsSmoothed() {
        var random = SeededGenerator(seed: 3)
        var tracker = DelayTracker()
        tracker.restart(offset: 0, at: 0)
        for turn in 1...400 {
            let place = turn * Self.half
            tracker.update(30e-6 * Double(place) + .random(in: -1.5...1.5, using: &random), at: place)
            guard turn > 60 else { continue }
            #expect((tracker.offset(at: place) - 30e-6 * Double(place)).magnitude < 0.8)
            #expect((tracker.drift - 30e-6).magnitude < 5e-6)
        }
    }

    /// The first estimate after an xrun is based on a short stretch; it must not pass for a changed drift.
    @Test(arguments: [8.0, -8])
    func wrongFirstEstimateDoesNotChangeTheDrift(error: Double) {
        var (tracker, place) = settled()
        place += 2 * Self.half
        tracker.restart(offset: 1000, at: place)
        tracker.update(1000 + error, at: place)
        var worst = 0.0
        for turn in 1...40 {
            tracker.update(1000, at: place + turn * Self.half)
            worst = max(worst, tracker.drift.magnitude * 1e6)
        }
        #expect(worst < 1.5)
    }

    @Test func singleOutlierChangesNothing() {
        for error in [30.0, 150, 500, -4800, 20_000] {
            var (tracker, place) = settled()
            #expect(tracker.update(1000 + error, at: place + Self.half) == .doubted(by: error))
            #expect(tracker.isDoubting)
            #expect((tracker.offset(at: place + Self.half) - 1000).magnitude < 0.1)
            guard case .refined = tracker.update(1000, at: place + 2 * Self.half) else {
                Issue.record("not back on the track")
                continue
            }
            #expect(!tracker.isDoubting)
            // The estimate from before no longer counts.
            #expect(tracker.update(1000 + error, at: place + 3 * Self.half) == .doubted(by: error))
        }
    }

    @Test func scatteredEstimatesChangeNothing() {
        var (tracker, place) = settled()
        for (turn, error) in [700.0, -900, 2000, 300, 1500, -3000, 900].enumerated() {
            tracker.update(1000 + error, at: place + (turn + 1) * Self.half)
        }
        #expect((tracker.offset(at: place) - 1000).magnitude < 0.5)
        #expect(tracker.jumps == 0)
        place += 1
    }

    @Test func twoAgreeingEstimatesMoveTheDelay() {
        for jump in [4800.0, -2880, 200] {
            var (tracker, place) = settled(ppm: 100)
            let drifted = tracker.offset(at: place + Self.half)
            tracker.update(drifted + jump, at: place + Self.half)
            place += 2 * Self.half
            let change = tracker.update(tracker.offset(at: place) + jump + 10, at: place)
            guard case .jumped(let frames)? = change else {
                Issue.record("no jump: \(String(describing: change))")
                continue
            }
            #expect((frames - jump - 10).magnitude < 1e-6)
            #expect(tracker.jumps == 1)
            #expect(tracker.isConfirmed)
            #expect((tracker.drift - 100e-6).magnitude < 2e-6)
        }
    }

    @Test func smallMoveCountsTheSecondTime() {
        var (tracker, place) = settled()
        #expect(tracker.update(1050, at: place + Self.half) == .doubted(by: 50))
        guard case .moved? = tracker.update(1051, at: place + 2 * Self.half) else {
            Issue.record("not moved")
            return
        }
        #expect(tracker.offset(at: place + 2 * Self.half) == 1051)
        #expect(tracker.jumps == 0)
        place += 1
    }

    @Test func oldDoubtExpires() {
        var (tracker, place) = settled()
        tracker.update(6000, at: place + Self.half)
        place += 10 * 48_000
        #expect(tracker.update(6000, at: place) == .doubted(by: 6000 - tracker.offset(at: place)))
    }

    @Test func aRestartKeepsTheDrift() {
        var (tracker, place) = settled(ppm: 100)
        tracker.restart(offset: 50_000, at: place)
        #expect(!tracker.isConfirmed)
        #expect((tracker.offset(at: place + 480_000) - 50_048).magnitude < 0.5)
        tracker.update(50_100, at: place + Self.half)
        #expect((tracker.drift - 100e-6).magnitude < 2e-6)
    }

    @Test func driftStaysWithinTheRangeOfClocks() {
        var tracker = DelayTracker()
        tracker.restart(offset: 0, at: 0)
        for turn in 1...200 {
            tracker.update(3000e-6 * Double(turn * Self.half), at: turn * Self.half)
            #expect(tracker.drift.magnitude <= 500.001e-6)
        }
    }

    @Test func senselessEstimatesAreIgnored() {
        var (tracker, place) = settled()
        let before = tracker
        #expect(tracker.update(.nan, at: place + 10) == nil)
        #expect(tracker.update(.infinity, at: place + 10) == nil)
        #expect(tracker.update(1000, at: place) == nil)
        #expect(tracker.update(1000, at: place - 5) == nil)
        #expect(tracker == before)
        place += 1
    }

    @Test func largePositionsAndOffsetsKeepPrecision() {
        let start = 48_000 * 86_400 * 365 * 10
        var tracker = DelayTracker()
        tracker.restart(offset: Double(-start), at: start)
        for turn in 1...60 {
            let place = start + turn * Self.half
            tracker.update(Double(-start) + 10 + 50e-6 * Double(turn * Self.half), at: place)
        }
        #expect((tracker.drift - 50e-6).magnitude < 1e-6)
        let place = start + 60 * Self.half
        #expect((tracker.offset(at: place) + Double(start) - 10 - 50e-6 * Double(60 * Self.half)).magnitude < 0.1)
    }
}
