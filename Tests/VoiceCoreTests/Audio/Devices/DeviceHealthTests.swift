import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase

struct DeviceHealthTests {
    /// A device that opens immediately when requested, with time in steps of 50 ms.
    private struct Scene {
        var health = DeviceHealth()
        var now = Duration.zero
        var frames: UInt64 = 0
        var still = 0
        var flows = true
        var isStill = false
        /// nil if the device is present, otherwise why it is refused.
        var refusal: (reason: String, absent: Bool)?
        var isOpen = false
        var notices: [DeviceHealth.Notice] = []
        var openings: [Duration] = []

        mutating func run(_ time: Duration) {
            let end = now + time
            while now < end {
                now += .milliseconds(50)
                if isOpen && flows {
                    frames += 2400
                    still = isStill ? still + 5 : 0
                }
                receive(.beat(frames: frames, stillPeriods: still))
            }
        }

        mutating func unplug(_ reason: String = "has gone") {
            refusal = ("not connected", true)
            isOpen = false
            receive(.gone(reason: reason))
        }

        mutating func receive(_ event: DeviceHealth.Event) {
            let verdict = health.handle(event, at: now)
            if let notice = verdict.notice { notices.append(notice) }
            switch verdict.action {
            case .open:
                openings.append(now)
                if let refusal {
                    receive(.refused(reason: refusal.reason, absent: refusal.absent))
                } else {
                    isOpen = true
                    still = 0
                    receive(.opened)
                }
            case .close:
                isOpen = false
                receive(.gone(reason: "whatever"))
            case nil: break
            }
        }
    }

    /// Looks at a device when that is due, and no sooner; returns how often.
    private static func looks(_ scene: inout Scene, _ length: Duration, framesPerSecond: UInt64 = 48_000) -> Int {
        let end = scene.now + length
        var looks = 0
        while let next = scene.health.nextBeat(at: scene.now), next <= end {
            let passed = UInt64((next - scene.now).fractionalMilliseconds)
            if scene.isOpen { scene.frames += framesPerSecond * passed / 1000 }
            scene.now = next
            scene.receive(.beat(frames: scene.frames, stillPeriods: 0))
            looks += 1
        }
        return looks
    }

    @Test func runningDeviceIsCheckedEverySecond() {
        var scene = Scene()
        let first = Self.looks(&scene, .seconds(1))
        #expect(scene.health.state == .running)
        #expect(first <= 5, "it runs as soon as 100 ms of sound have passed")
        #expect(Self.looks(&scene, .seconds(60)) <= 61)
    }

    @Test func stalledDeviceIsGivenUpAfterTwoSecondsAlthoughLooksAreRare() {
        var scene = Scene()
        _ = Self.looks(&scene, .seconds(10))
        // It stops 100 ms after it was last looked at.
        scene.frames += 4800
        _ = Self.looks(&scene, .milliseconds(2090), framesPerSecond: 0)
        #expect(!scene.notices.contains(.lost(reason: DeviceHealth.nothing)), "\(scene.notices)")
        _ = Self.looks(&scene, .milliseconds(100), framesPerSecond: 0)
        #expect(scene.notices.contains(.lost(reason: DeviceHealth.nothing)), "\(scene.notices)")
    }

    @Test func programThatStoodStillLosesNoDevice() {
        var scene = Scene()
        _ = Self.looks(&scene, .seconds(10))
        // Sound flowed for 100 ms more.
        scene.now += .seconds(4)
        scene.frames += 4800
        _ = Self.looks(&scene, .seconds(10))
        #expect(scene.notices == [.running(after: nil)], "\(scene.notices)")
    }

    @Test func absentDeviceIsLookedForOnlyWhenItIsDue() {
        var scene = Scene()
        scene.refusal = ("not connected", true)
        // 0.25, 0.5, 1 and then every 2 s.
        #expect(Self.looks(&scene, .seconds(61)) <= 34)
    }

    @Test func healthyDeviceIsOpenedAndReportedOnce() {
        var scene = Scene()
        scene.run(.seconds(60))
        #expect(scene.openings.count == 1)
        #expect(scene.notices == [.running(after: nil)])
        #expect(scene.health.state == .running)
    }

    @Test func lateDeviceIsOpenedWithinTwoSeconds() {
        var scene = Scene()
        scene.refusal = ("not connected", true)
        scene.run(.seconds(600))
        #expect(scene.notices == [.waiting(reason: "not connected")])
        #expect(scene.openings.count < 320)
        let pauses = zip(scene.openings.dropFirst(), scene.openings).map { $0 - $1 }
        #expect(pauses.prefix(5) == [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(2)])
        scene.refusal = nil
        scene.run(.milliseconds(2200))
        #expect(scene.health.state == .running)
        #expect(scene.notices.count == 2)
    }

    @Test func unpluggedDeviceIsReportedOnce() {
        var scene = Scene()
        scene.run(.seconds(10))
        scene.unplug()
        scene.run(.seconds(120))
        scene.refusal = nil
        scene.run(.seconds(3))
        #expect(scene.notices.count == 3)
        #expect(scene.notices[1] == .lost(reason: "has gone"))
        guard case .running(let after?) = scene.notices[2] else {
            Issue.record("\(scene.notices[2])")
            return
        }
        #expect(after > .seconds(120) && after < .seconds(123))
        #expect(scene.health.state == .running)
    }

    @Test func holderOfALostDeviceIsReported() {
        var scene = Scene()
        scene.run(.seconds(10))
        scene.unplug()
        scene.run(.seconds(5))
        scene.refusal = ("in use by arecord (7)", false)
        scene.run(.seconds(60))
        #expect(scene.notices.last == .waiting(reason: "in use by arecord (7)"))
        #expect(scene.notices.count == 3)
        #expect(scene.health.state == .waiting(reason: "in use by arecord (7)"))
    }

    /// A driver that ends each stream with an error before the first period.
    @Test func deviceThatNeverRunsIsReportedWithItsError() {
        var scene = Scene()
        scene.flows = false
        for _ in 0..<10 {
            scene.run(.seconds(1))
            scene.unplug("Input/output error")
            scene.refusal = nil
        }
        let reason = DeviceHealth.never + " (Input/output error)"
        #expect(scene.notices == [.waiting(reason: reason)])
        #expect(scene.health.state == .waiting(reason: reason))
    }

    /// What rested and comes back is not news; what has become busy meanwhile is.
    @Test func restedDeviceIsReportedOnlyIfRefused() {
        var scene = Scene(health: DeviceHealth(isResting: true))
        #expect(scene.health.state == .resting)
        scene.run(.seconds(60))
        #expect(scene.notices.isEmpty)
        #expect(scene.health.state == .running)
        var other = Scene(health: DeviceHealth(isResting: true))
        other.refusal = ("in use by mpv (7)", false)
        other.run(.seconds(20))
        #expect(other.notices == [.waiting(reason: "in use by mpv (7)")])
        other.refusal = nil
        other.run(.seconds(3))
        #expect(other.notices.count == 2)
        #expect(other.health.state == .running)
    }

    @Test func alternatingReasonsDoNotFillTheLog() {
        var scene = Scene()
        for round in 0..<300 {
            scene.refusal = (round.isMultiple(of: 2) ? "busy" : "fails", false)
            scene.run(.seconds(2))
        }
        #expect(scene.notices.count <= 21)
    }

    @Test(arguments: [true, false])
    func deviceWithoutFramesIsReopenedAndReportedOnce(fromTheStart: Bool) {
        var scene = Scene()
        if fromTheStart { scene.flows = false }
        scene.run(.seconds(10))
        scene.flows = false
        let before = scene.openings.count
        scene.run(.milliseconds(2500))
        #expect(scene.openings.count > before)
        scene.run(.seconds(120))
        let notice =
            fromTheStart
            ? DeviceHealth.Notice.waiting(reason: DeviceHealth.never) : .lost(reason: DeviceHealth.nothing)
        #expect(scene.notices.filter { $0 == notice }.count == 1)
        #expect(scene.notices.count == (fromTheStart ? 1 : 2))
        // Two seconds for each attempt and two between attempts.
        #expect(scene.openings.count < 40)
        scene.flows = true
        scene.run(.seconds(5))
        #expect(scene.health.state == .running)
        guard case .running(.some) = scene.notices.last else {
            Issue.record("\(scene.notices)")
            return
        }
    }

    @Test func zerosFixedByReopeningAreALoss() {
        var scene = Scene()
        scene.run(.seconds(10))
        scene.isStill = true
        scene.run(.seconds(5))
        scene.isStill = false
        scene.run(.seconds(2))
        #expect(scene.openings.count == 2)
        #expect(scene.notices.count == 3)
        #expect(scene.notices[1] == .lost(reason: DeviceHealth.constant))
        #expect(scene.health.state == .running)
    }

    @Test func muteSwitchIsReportedOnceAndRetriedRarely() {
        var scene = Scene()
        scene.run(.seconds(10))
        scene.isStill = true
        scene.run(.seconds(4 * 3600))
        #expect(scene.notices.map(\.name) == ["running", "lost", "silent"])
        #expect(scene.health.state == .silent)
        let pauses = zip(scene.openings.dropFirst(), scene.openings).map { $0 - $1 }.dropFirst()
        #expect(pauses.allSatisfy { $0 >= .seconds(30) })
        #expect(pauses.count < 12)
        scene.isStill = false
        scene.run(.seconds(1))
        #expect(scene.notices.last == .heard)
        #expect(scene.health.state == .running)
    }

    @Test func noiseGatedMicrophoneIsNotReopenedAllDay() {
        var scene = Scene()
        for _ in 0..<500 {
            scene.isStill = true
            scene.run(.seconds(60))
            scene.isStill = false
            scene.run(.seconds(5))
        }
        #expect(scene.openings.count < 10)
        #expect(scene.notices.count < 20)
    }

    @Test func unpluggedMutedDeviceIsLost() {
        var scene = Scene()
        scene.isStill = true
        scene.run(.seconds(20))
        #expect(scene.health.state == .silent)
        scene.unplug()
        #expect(scene.notices.last == .lost(reason: "has gone"))
        scene.isStill = false
        scene.refusal = nil
        scene.run(.seconds(3))
        #expect(scene.health.state == .running)
    }

    @Test func looseContactIsRetriedAtMostEveryTwoSeconds() {
        var scene = Scene()
        for _ in 0..<60 {
            scene.run(.seconds(3))
            if scene.isOpen { scene.unplug() }
            scene.refusal = nil
        }
        let pauses = zip(scene.openings.dropFirst(), scene.openings).map { $0 - $1 }
        #expect(pauses.dropFirst(5).allSatisfy { $0 >= .seconds(2) })
    }
}

extension DeviceHealth.Notice {
    fileprivate var name: String {
        switch self {
        case .waiting: "waiting"
        case .lost: "lost"
        case .running: "running"
        case .silent: "silent"
        case .heard: "heard"
        }
    }
}
