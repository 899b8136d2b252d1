import Glibc
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

/// Timers and alarms as the user experiences them, decision by decision.
struct TimerBookTests {
    /// Monday, 2026-11-23, 06:00 UTC.
    private static let monday = 1_795_413_600

    /// A book, its clocks, and all its effects.
    private struct Scene {
        var book: TimerBook
        var now: ClockInstant
        var all: [TimerEffect] = []
        var latest: [TimerEffect] = []
        private var lookAt: Duration?

        init(boot: String = "a", wall: Int = TimerBookTests.monday, offset: Int = 0, uptime: Int = 1000) {
            book = TimerBook(boot: boot)
            now = ClockInstant(wall: wall, offset: offset, uptime: .seconds(uptime))
        }

        mutating func on(_ event: TimerEvent) {
            latest = book.handle(event, at: now)
            all += latest
            lookAt = pause.map { now.uptime + $0 }
        }

        @discardableResult
        mutating func set(_ text: String) throws -> String? {
            for wish in try TimerWish.reading(text) { on(.set(wish)) }
            return latest.lazy.compactMap { if case .set(let set) = $0 { set.when } else { nil } }.first
        }

        /// Lets time pass as the book's owner does: it checks the book at the requested times.
        mutating func pass(_ seconds: Int) {
            let end = now.uptime + .seconds(seconds)
            while let lookAt, lookAt <= end {
                advance(max(lookAt - now.uptime, .zero))
                on(.look)
            }
            advance(end - now.uptime)
        }

        mutating func advance(_ time: Duration) {
            let before = now.uptime.components.seconds
            now.uptime += time
            now.wall += Int(now.uptime.components.seconds - before)
        }

        var pause: Duration? {
            latest.lazy.compactMap { if case .lookAfter(let pause) = $0 { pause } else { nil } }.first ?? nil
        }
        var saved: SavedTimers? {
            all.lazy.compactMap { if case .remember(let saved) = $0 { saved } else { nil } }.last
        }
        var rings: [Bool] { all.compactMap { if case .ring(let rings) = $0 { rings } else { nil } } }
        var news: [TimerNews.Kind] { all.compactMap { if case .tell(let news) = $0 { news.kind } else { nil } } }
    }

    @Test func aTimerRingsWhenItIsDueAndUntilItIsStopped() throws {
        var scene = Scene()
        #expect(try scene.set("10m tea") == "in 10 minutes")
        #expect(scene.latest.contains(.set(SetTimer(number: 1, title: "timer \"tea\"", when: "in 10 minutes"))))
        scene.pass(599)
        #expect(scene.rings == [])
        scene.pass(1)
        #expect(scene.rings == [true] && scene.book.list(at: scene.now) == ["1: timer \"tea\", rings now"])
        scene.pass(60)
        scene.on(.stop)
        #expect(scene.rings == [true, false] && scene.book.count == 0 && scene.pause == nil)
        #expect(scene.saved?.entries == [])
    }

    @Test func severalTimersAreDistinguished() throws {
        var scene = Scene()
        try scene.set("10m tea")
        try scene.set("5m eggs")
        try scene.set("1h")
        #expect(
            scene.book.list(at: scene.now) == [
                "2: timer \"eggs\", in 5 minutes", "1: timer \"tea\", in 10 minutes", "3: timer, in 1 hour",
            ]
        )
        scene.on(.cancel(.obvious))
        #expect(scene.latest.contains(.refused(.ambiguous(.any))))
        scene.on(.cancel(.named("EGGS")))
        #expect(scene.latest.contains(.cancelled(1)))
        scene.on(.cancel(.named("coffee")))
        #expect(scene.latest.contains(.refused(.unknown("coffee", .any))))
        try scene.set("7m rice")
        #expect(scene.book.list(at: scene.now).first?.hasPrefix("2: ") == true, "the number is free again")
        scene.on(.cancel(.named("3")))
        scene.on(.cancel(.all))
        #expect(scene.latest.contains(.cancelled(2)) && scene.book.count == 0)
        scene.on(.cancel(.obvious))
        #expect(scene.latest.contains(.refused(.none(.any))))
    }

    @Test func cancelMeansTheRingingTimer() throws {
        var scene = Scene()
        try scene.set("1m tea")
        try scene.set("2h roast")
        scene.pass(61)
        scene.on(.cancel(.obvious))
        #expect(scene.rings == [true, false] && scene.book.count == 1)
    }

    @Test func stopEndsAllRingingTimers() throws {
        var scene = Scene()
        try scene.set("60s")
        try scene.set("70s")
        scene.pass(80)
        #expect(scene.rings == [true], "it rings once for both")
        scene.on(.stop)
        #expect(scene.rings == [true, false] && scene.book.count == 0)
    }

    /// All other parts take the ringing for ended, and would find nothing left to stop.
    @Test func timerThatComesDueDuringAStopRingsAnew() throws {
        var scene = Scene()
        try scene.set("60s")
        scene.advance(.milliseconds(400))
        try scene.set("60s")
        scene.advance(.milliseconds(59_600))
        scene.on(.look)
        #expect(scene.rings == [true])
        scene.advance(.milliseconds(500))
        scene.on(.stop)
        #expect(scene.rings == [true, true])
        scene.on(.stop)
        #expect(scene.rings == [true, true, false] && scene.book.count == 0)
    }

    @Test func unansweredTimerStopsRinging() throws {
        var scene = Scene()
        try scene.set("1m")
        scene.pass(60 + 301)
        #expect(scene.rings == [true, false] && scene.news == [.rings, .unheard] && scene.book.count == 0)
    }

    /// Setting the clock changes nothing for a timer, and the saved time follows it.
    @Test(arguments: [-86_400, -90, 90, 86_400]) func aTimerCountsRealTime(jump: Int) throws {
        var scene = Scene()
        try scene.set("10m")
        scene.pass(60)
        scene.now.wall += jump
        scene.pass(10)
        #expect(scene.saved?.entries.first?.due == .timer(wall: Self.monday + 600 + jump, uptime: 1600, length: 600))
        scene.pass(529)
        #expect(scene.rings == [])
        scene.pass(1)
        #expect(scene.rings == [true])
    }

    @Test func timerMissedDuringSleepRingsLateOrIsReported() throws {
        for (slept, kinds) in [(900, [TimerNews.Kind.rings]), (7200, [.missed])] {
            var scene = Scene()
            try scene.set("10m")
            scene.pass(60)
            // The time since the start continues, but the book was not checked.
            scene.advance(.seconds(slept))
            scene.on(.look)
            #expect(scene.news == kinds, "\(slept)")
        }
    }

    @Test func restartKeepsEveryTimer() throws {
        var before = Scene()
        try before.set("10m tea")
        try before.set("07:30 weekdays wake up")
        let saved = try #require(before.saved)
        let text = saved.text
        var after = Scene(wall: Self.monday + 100, uptime: 1100)
        after.on(.restored(try SavedTimers(parsing: Array(text.utf8))))
        #expect(
            after.book.list(at: after.now) == [
                "1: timer \"tea\", in 8 minutes 20 seconds",
                "2: alarm \"wake up\", today, Monday, 07:30, every weekday",
            ]
        )
        // Only the daemon was restarted: the clock may have been set meanwhile.
        var set = Scene(wall: Self.monday + 9000, uptime: 1100)
        set.on(.restored(saved))
        #expect(set.book.list(at: set.now).contains("1: timer \"tea\", in 8 minutes 20 seconds"))
        // The machine was restarted: only the clock knows how long it was off.
        var booted = Scene(boot: "b", wall: Self.monday + 300, uptime: 20)
        booted.on(.restored(saved))
        #expect(booted.book.list(at: booted.now).first == "1: timer \"tea\", in 5 minutes")
        booted.pass(300)
        #expect(booted.rings == [true])
    }

    @Test func ringingAlarmRingsAgainAfterARestart() throws {
        var before = Scene()
        try before.set("07:00 daily")
        before.pass(3610)
        #expect(before.rings == [true])
        let saved = before.book.saved(at: before.now)
        var after = Scene(boot: "b", wall: Self.monday + 3640, uptime: 5)
        after.on(.restored(saved))
        #expect(after.rings == [true])
        after.on(.stop)
        #expect(after.book.list(at: after.now) == ["1: alarm, tomorrow, Tuesday, 07:00, every day"])
    }

    /// A board without a real-time clock starts in the past and is set by the network later.
    @Test func alarmWaitsForASetClock() throws {
        var scene = Scene(boot: "b", wall: 100, uptime: 5)
        scene.on(.set(TimerWish(.at(minute: 420, .next, repeats: []))))
        #expect(scene.latest.contains(.refused(.clock)))
        let due = SavedTimers.Entry.Due.timer(wall: Self.monday + 120, uptime: 900, length: 600)
        let saved = SavedTimers(boot: "a", entries: [.init(number: 1, due: due, name: "")])
        scene.on(.restored(saved))
        scene.pass(30)
        #expect(scene.book.list(at: scene.now) == ["1: timer, when the clock is set"] && scene.rings == [])
        scene.now.wall = Self.monday + 60
        scene.pass(5)
        #expect(scene.rings == [])
        scene.pass(60)
        #expect(scene.rings == [true])
    }

    @Test func alarmFollowsTheLocalClock() throws {
        var scene = Scene(offset: 3600)
        #expect(try scene.set("08:00") == "today, Monday, 08:00")
        #expect(try scene.set("08:00 mondays and more") == "today, Monday, 08:00, every Monday")
        #expect(try scene.set("Fridays tuesdays 9:00") == "tomorrow, Tuesday, 09:00, every Tuesday and Friday")
        // Summer time begins: the clock shows an hour more.
        scene.now.offset = 7200
        scene.pass(5)
        #expect(scene.rings == [true], "06:00 UTC is 08:00 now")
        scene.on(.stop)
        #expect(try scene.set("08:00") == "tomorrow, Tuesday, 08:00")
        scene.now.offset = 0
        scene.pass(26 * 3600 - 60)
        #expect(scene.rings == [true, false])
        scene.pass(70)
        #expect(scene.rings == [true, false, true])
    }

    /// The hour that is skipped or repeated: the alarm rings once.
    @Test func clockChangeRingsAnAlarmOnce() throws {
        // 2026-10-25 in Berlin: at 01:00 UTC the clock goes from 03:00 back to 02:00.
        var scene = Scene(wall: 1_792_886_400, offset: 7200)
        #expect(try scene.set("02:30 daily") == "today, Sunday, 02:30, every day")
        scene.pass(1805)
        #expect(scene.rings == [true])
        scene.on(.stop)
        scene.pass(1800)
        scene.now.offset = 3600
        scene.pass(3600)
        #expect(scene.rings == [true, false])
    }

    @Test(arguments: [
        ("07:00", "today, Monday, 07:00"), ("6:00", "tomorrow, Tuesday, 06:00"),
        ("tomorrow 5:15", "tomorrow, Tuesday, 05:15"),
        ("monday 06:00", "Monday, 2026-11-30, 06:00"), ("Sunday 09:00", "Sunday, 09:00"),
        ("2026-12-24 18:00 guests", "Thursday, 2026-12-24, 18:00"),
        ("07:00 weekends", "Saturday, 07:00, every weekend"),
        ("05:00 every monday", "Monday, 2026-11-30, 05:00, every Monday"),
    ]) func alarmIsSetForTheIntendedDay(text: String, when: String) throws {
        var scene = Scene()
        #expect(try scene.set(text) == when)
    }

    /// A word that was meant as a day shows in the reply, beside the day that was understood.
    @Test func theReplyNamesDayAndTimeInFull() throws {
        var scene = Scene()
        try scene.set("05:30 jam")
        let set = SetTimer(number: 1, title: "alarm \"jam\"", when: "tomorrow, Tuesday, 05:30")
        #expect(scene.latest.contains(.set(set)))
    }

    @Test(arguments: [
        ("today 05:00", TimerProblem.past), ("2026-11-22 10:00", .past), ("2028-01-01 10:00", .tooFar),
    ]) func impossibleDayIsRefused(text: String, problem: TimerProblem) throws {
        var scene = Scene()
        try scene.set(text)
        #expect(scene.latest.contains(.refused(problem)) && scene.book.count == 0)
    }

    @Test func weekdayAlarmRepeats() throws {
        var scene = Scene()
        try scene.set("07:00 weekdays")
        for day in 0..<7 {
            scene.pass(3600)
            scene.on(.stop)
            scene.pass(23 * 3600)
            #expect(scene.news.count == min(day + 1, 5))
        }
        #expect(scene.book.list(at: scene.now) == ["1: alarm, today, Monday, 07:00, every weekday"])
        scene.on(.cancel(.obvious))
        #expect(scene.latest.contains(.refused(.repeats)) && scene.book.count == 1, "nobody named it")
        scene.on(.cancel(.named("07:00")))
        #expect(scene.book.count == 0)
    }

    /// The rest of tea (10 minutes), eggs (5 minutes), the alarm of weekdays at 07:00 and one at 19:30, by number.
    @Test(arguments: [
        (TimerChoice.Which.all, TimerKind.timer, [3, 4]), (.all, .alarm, [1, 2]), (.all, .any, []),
        (.obvious, .timer, [1, 2, 3, 4]), (.obvious, .alarm, [1, 2, 3, 4]), (.named("tea"), .timer, [2, 3, 4]),
        (.named("tea"), .alarm, [1, 2, 3, 4]), (.named("work"), .timer, [1, 2, 3, 4]),
        (.named("work"), .alarm, [1, 2, 4]),
        (.named("300 seconds"), .timer, [1, 3, 4]), (.named("10 minutes"), .any, [2, 3, 4]),
        (.named("20 minutes"), .timer, [1, 2, 3, 4]), (.named("07:30 or 19:30"), .alarm, [1, 2, 3]),
        (.named("07:30"), .alarm, [1, 2, 3, 4]), (.named("07:00 or 19:00"), .alarm, [1, 2, 4]),
        (.named("07:00"), .timer, [1, 2, 3, 4]),
    ]) func cancelIsLimitedToItsKind(which: TimerChoice.Which, kind: TimerKind, left: [Int]) throws {
        var scene = Scene()
        for text in ["10m tea", "5m eggs", "07:00 weekdays work", "19:30 film"] { try scene.set(text) }
        scene.pass(60)
        scene.on(.cancel(TimerChoice(which, of: kind)))
        let numbers = scene.book.list(at: scene.now).compactMap { $0.split(separator: ":").first.flatMap { Int($0) } }
        #expect(numbers.sorted() == left)
    }

    /// Beside a timer of five minutes and the alarm of weekdays.
    @Test(arguments: [
        (TimerKind.timer, "", 1), (.alarm, "", 2), (.any, "", 2), (.timer, "10m", 3), (.alarm, "19:30", 3),
    ]) func onlyTimerOfItsKindNeedsNoName(kind: TimerKind, another: String, left: Int) throws {
        var scene = Scene()
        for text in ["5m", "07:00 weekdays", another] where !text.isEmpty { try scene.set(text) }
        scene.on(.cancel(TimerChoice(.obvious, of: kind)))
        #expect(scene.book.count == left)
    }

    @Test func cancelEndsTheRingingTimerUnderAnyName() throws {
        for (name, which) in [("", TimerChoice.Which.obvious), (" tea", .named("tea"))] {
            var scene = Scene()
            try scene.set("1m" + name)
            try scene.set("07:00 daily work")
            scene.pass(61)
            scene.on(.cancel(TimerChoice(which, of: .alarm)))
            #expect(scene.rings == [true, false] && scene.book.count == 1)
        }
    }

    @Test func equalTimersAreNotBothCancelled() throws {
        var scene = Scene()
        try scene.set("10m tea")
        try scene.set("10m rice")
        scene.on(.cancel(TimerChoice(.named("600 seconds"), of: .timer)))
        #expect(scene.latest.contains(.refused(.ambiguous(.timer))) && scene.book.count == 2)
        try scene.set("07:00")
        try scene.set("19:00")
        scene.on(.cancel(TimerChoice(.named("07:00 or 19:00"), of: .alarm)))
        #expect(scene.latest.contains(.refused(.ambiguous(.alarm))) && scene.book.count == 4)
        scene.on(.cancel(TimerChoice(.named("90 seconds"), of: .timer)))
        #expect(scene.latest.contains(.refused(.unknown("1 minute 30 seconds", .timer))))
    }

    /// Monday 2026-11-23, 06:00. The alarms: today 07:00, Thursday 08:00 and 09:00, Friday and weekends at 10:00, by number.
    @Test(
        arguments: [
            ("Monday's", nil, [2, 3, 4, 5]), ("monday", nil, [2, 3, 4, 5]), ("today", nil, [2, 3, 4, 5]),
            ("2026-11-23", nil, [2, 3, 4, 5]),
            ("Tuesday's", TimerProblem.noneOn("Tuesday"), [1, 2, 3, 4, 5]),
            ("tomorrow", .noneOn("tomorrow"), [1, 2, 3, 4, 5]),
            ("on Thursday", .severalOn("Thursday", ["Thursday, 08:00", "Thursday, 09:00"]), [1, 2, 3, 4, 5]),
            ("Friday's", nil, [1, 2, 3, 5]),
            ("saturday", .repeatsOn("Saturday, 10:00, every weekend"), [1, 2, 3, 4, 5]),
            ("sunday", .repeatsOn("Saturday, 10:00, every weekend"), [1, 2, 3, 4, 5]),
            ("sun", .unknown("sun", .alarm), [1, 2, 3, 4, 5]),
        ] as [(String, TimerProblem?, [Int])]
    )
    func theAlarmOfADayIsNamed(which: String, problem: TimerProblem?, left: [Int]) throws {
        var scene = Scene()
        for text in ["07:00", "thursday 08:00", "thursday 09:00", "friday 10:00", "10:00 weekends", "10m"] {
            try scene.set(text)
        }
        scene.on(.cancel(TimerChoice(.named(which), of: .alarm)))
        if let problem {
            #expect(scene.latest.contains(.refused(problem)), "\(scene.latest)")
        } else {
            let what = left.contains(1) ? "the alarm for Friday, 10:00" : "the alarm for today, Monday, 07:00"
            #expect(scene.latest.contains(.cancelled(1, what: what)), "\(scene.latest)")
        }
        let numbers = scene.book.list(at: scene.now).compactMap { $0.split(separator: ":").first.flatMap { Int($0) } }
        #expect(numbers.sorted() == left + [6])
    }

    @Test func repeatingAlarmStaysAfterRinging() throws {
        var scene = Scene()
        try scene.set("07:00 daily wake up")
        scene.pass(3600)
        scene.on(.cancel(.named("wake up")))
        #expect(scene.rings == [true, false] && scene.book.count == 1)
    }

    @Test func anExtendedTimerRingsLater() throws {
        var scene = Scene()
        try scene.set("10m tea")
        scene.pass(60)
        scene.on(.change(.obvious, .add(300)))
        #expect(scene.latest.contains(.changed([SetTimer(number: 1, title: "timer \"tea\"", when: "in 14 minutes")])))
        #expect(scene.saved?.entries.first?.due == .timer(wall: Self.monday + 900, uptime: 1900, length: 900))
        scene.pass(839)
        #expect(scene.rings == [])
        scene.pass(1)
        #expect(scene.rings == [true])
        scene.on(.change(.obvious, .add(60)))
        #expect(scene.rings == [true, false], "five more minutes for what rings")
        scene.pass(60)
        #expect(scene.rings == [true, false, true])
        scene.on(.change(.obvious, .add(TimerWish.longest)))
        scene.on(.change(.obvious, .add(1)))
        #expect(scene.latest.contains(.refused(.length)))
    }

    @Test func aPausedTimerKeepsItsRestOverARestart() throws {
        var before = Scene()
        try before.set("10m tea")
        try before.set("07:30")
        before.pass(60)
        before.on(.change(TimerChoice(.obvious, of: .timer), .pause))
        #expect(before.book.list(at: before.now).contains("1: timer \"tea\", paused, 9 minutes left"))
        before.on(.change(.obvious, .pause))
        #expect(before.latest.contains(.refused(.noneTo(.pause))), "an alarm cannot be paused")
        before.on(.change(.named("2"), .pause))
        #expect(before.latest.contains(.refused(.noneTo(.pause))), "the alarm is there, but cannot be paused")
        before.pass(1200)
        #expect(before.rings == [])
        var after = Scene(boot: "b", wall: Self.monday + 3000, uptime: 20)
        after.on(.restored(try SavedTimers(parsing: Array(try #require(before.saved).text.utf8))))
        after.on(.change(.named("tea"), .resume))
        #expect(after.latest.contains(.changed([SetTimer(number: 1, title: "timer \"tea\"", when: "in 9 minutes")])))
        after.pass(540)
        #expect(after.rings == [true])
        after.on(.change(.obvious, .resume))
        #expect(after.latest.contains(.refused(.noneTo(.resume))))
    }

    @Test func snoozeRingsAgainAndKeepsTheOtherDays() throws {
        for (text, later) in [
            ("07:00 wake up", ["1: alarm \"wake up\", in 10 minutes"]),
            (
                "07:00 daily wake up",
                ["2: alarm \"wake up\", in 10 minutes", "1: alarm \"wake up\", tomorrow, Tuesday, 07:00, every day"]
            ),
        ] {
            var scene = Scene()
            try scene.set(text)
            scene.on(.change(.obvious, .snooze(600)))
            #expect(scene.latest.contains(.refused(.noneTo(.snooze(600)))), "nothing rings")
            scene.pass(3600)
            scene.on(.change(.obvious, .snooze(600)))
            #expect(scene.rings == [true, false] && scene.book.list(at: scene.now) == later)
            let saved = try SavedTimers(parsing: Array(scene.book.saved(at: scene.now).text.utf8))
            #expect(saved.entries.allSatisfy { $0.kind == .alarm }, "it is still an alarm after a restart")
            scene.pass(600)
            #expect(scene.rings == [true, false, true])
            scene.on(.stop)
            #expect(scene.book.count == later.count - 1)
        }
    }

    @Test func reminderSpeaksItsText() throws {
        var scene = Scene()
        for wish in try TimerWish.reading("20m to check the oven", isReminder: true) { scene.on(.set(wish)) }
        #expect(scene.book.list(at: scene.now) == ["1: reminder \"check the oven\", in 20 minutes"])
        let saved = try SavedTimers(parsing: Array(try #require(scene.saved).text.utf8))
        #expect(saved.entries.map(\.kind) == [.reminder])
        scene.on(.cancel(TimerChoice(.all, of: .timer)))
        #expect(scene.book.count == 1, "it is not one of the timers")
        scene.pass(1200)
        let title = "reminder \"check the oven\""
        let news = TimerNews(kind: .rings, number: 1, what: .reminder, title: title, name: "check the oven")
        #expect(scene.all.contains(.tell(news)) && scene.rings == [true])
    }

    /// A time on the 12-hour clock may be in the morning or in the evening; today, one of them may be over. It is 06:00.
    @Test(
        arguments: [
            ("at 7", TimerProblem.half(420), nil), ("quarter to seven tomorrow", .half(405), nil),
            ("today at 7", .half(420), nil),
            ("today at 5", nil, "today, Monday, 17:00"), ("at 7 pm", nil, "today, Monday, 19:00"),
            ("every weekday at 7", nil, "today, Monday, 07:00, every weekday"),
            ("next monday 9:00", nil, "Monday, 2026-11-30, 09:00"),
            ("monday 9:00", nil, "today, Monday, 09:00"), ("next friday 9:00", nil, "Friday, 09:00"),
            ("the day after tomorrow 9:00", nil, "Wednesday, 09:00"),
            ("noon tomorrow", nil, "tomorrow, Tuesday, 12:00"),
        ] as [(String, TimerProblem?, String?)]
    ) func ambiguousHalfOfTheDayIsAsked(text: String, problem: TimerProblem?, when: String?) throws {
        var scene = Scene()
        #expect(try scene.set(text) == when)
        if let problem { #expect(scene.latest.contains(.refused(problem)) && scene.book.count == 0) }
    }

    /// Clocks change: the wall time of the change, and the offsets before and after it.
    private static let changes = [
        ("Europe/Berlin, autumn", 1_792_890_000, 7200, 3600), ("Europe/Berlin, spring", 1_806_195_600, 3600, 7200),
        ("America/New_York, autumn", 1_793_512_800, -14_400, -18_000),
        ("America/New_York, spring", 1_805_007_600, -18_000, -14_400),
        ("Australia/Lord_Howe, spring", 1_791_041_400, 37_800, 39_600),
        ("Australia/Lord_Howe, autumn", 1_806_764_400, 39_600, 37_800),
        ("Berlin to New York", 1_795_413_600, 3600, -18_000), ("New York to Berlin", 1_795_413_600, -18_000, 3600),
    ]

    /// Every day at 07:00, and 10 minutes into the time that the change skips or repeats: once a day and at that hour, or right
    /// after the gap.
    @Test(arguments: changes) func repetitionKeepsItsHour(zone: String, change: Int, before: Int, after: Int) throws {
        for time in ["07:00", LocalTime(seconds: change + min(before, after) + 600).clock] {
            var scene = Scene(wall: change - 2 * 86_400, offset: before)
            try scene.set(time + " daily")
            var days: [Int] = []
            for _ in 0..<(4 * 86_400 / 60) {
                if scene.now.wall >= change { scene.now.offset = after }
                scene.pass(60)
                guard scene.book.isRinging else { continue }
                let local = scene.now.local
                #expect(
                    local.clock == time || after > before && scene.now.wall - change == 60, "\(zone): \(local.clock)"
                )
                days.append(local.day)
                scene.on(.stop)
            }
            #expect(
                days.count >= 3 && zip(days, days.dropFirst()).allSatisfy { $1 == $0 + 1 },
                "\(zone) \(time): \(days)"
            )
            #expect(!scene.news.contains(.missed), "\(zone) \(time)")
        }
    }

    @Test func timersAreBounded() throws {
        var scene = Scene()
        for _ in 0..<TimerBook.most { try scene.set("1h") }
        try scene.set("1h")
        #expect(scene.latest.contains(.refused(.full)) && scene.book.count == TimerBook.most)
        let text = SavedTimers(
            entries: (1...TimerBook.most).map {
                .init(
                    number: $0,
                    due: .timer(wall: 99_999_999_999, uptime: 99_999_999_999, length: TimerWish.longest),
                    name: String(repeating: "\u{1F600}", count: 30)
                )
            }
        ).text
        #expect(text.utf8.count < 16 << 10, "the largest file is read again")
        #expect(try SavedTimers(parsing: Array(text.utf8)).entries.count == TimerBook.most)
    }

    /// Whatever the clocks do: nothing traps, nothing rings endlessly, and there is always a next check.
    @Test func anyClockKeepsTheBookConsistent() throws {
        var generator = SeededGenerator(seed: 23)
        for _ in 0..<200 {
            var scene = Scene()
            for _ in 0..<100 {
                switch Int.random(in: 0...7, using: &generator) {
                case 0: scene.now.wall = Int.random(in: 0...4_000_000_000, using: &generator)
                case 1: scene.now.offset = Int.random(in: -50_400...50_400, using: &generator)
                case 2: scene.advance(.seconds(Int.random(in: 0...1_000_000, using: &generator)))
                case 3:
                    _ = try scene.set(
                        ["10s a", "5m", "07:00 daily", "sunday 23:59"].randomElement(using: &generator) ?? "1s"
                    )
                case 4: scene.on(.stop)
                case 5: scene.on(.restored(try SavedTimers(parsing: Array(scene.book.saved(at: scene.now).text.utf8))))
                default: scene.on(.look)
                }
                scene.on(.look)
                #expect((scene.pause == nil) == (scene.book.count == 0))
                #expect(scene.rings.last ?? false == scene.book.isRinging)
            }
        }
    }
}

struct TimerWishTests {
    /// What the text is read as: each time in the words of `When.text`, "?" if it may be in the morning or the evening, the
    /// name in brackets.
    private static func read(_ text: String) -> String {
        do throws(TimerProblem) {
            return try TimerWish.reading(text).map { wish in
                let name = wish.name.isEmpty ? "" : " [\(wish.name)]"
                return wish.when.text + (wish.when.isEither ? " ?" : "") + name
            }.joined(separator: " + ")
        } catch {
            return switch error {
            case .leftOver(let rest): "left over: \(rest)"
            case .length: "length"
            default: "unreadable"
            }
        }
    }

    @Test(arguments: [
        ("10m tea", "600 seconds [tea]"), ("1h30m", "5400 seconds"), ("90 s", "90 seconds"), ("1h 30", "5400 seconds"),
        ("1 hour 5 min pasta bake", "3900 seconds [pasta bake]"), ("2h 5m 10s x", "7510 seconds [x]"),
        ("30 days", "2592000 seconds"), ("3m \u{201C}Tea\u{201D}\n(green)", "180 seconds [Tea green]"),
        ("1 hour and 30 minutes", "5400 seconds"), ("1.5h", "5400 seconds"), ("2\u{BD} hours", "9000 seconds"),
        ("half an hour", "1800 seconds"), ("an hour and a half roast", "5400 seconds [roast]"),
        ("2.25 hours", "8100 seconds"),
        ("three quarters of an hour", "2700 seconds"), ("two and a half hours", "9000 seconds"),
        ("one point five hours", "5400 seconds"), ("a couple of minutes", "120 seconds"),
        ("ten-minute tea", "600 seconds [tea]"),
        ("10m: pasta", "600 seconds [pasta]"), ("10m:pasta", "600 seconds [pasta]"), ("in 20 minutes", "1200 seconds"),
        ("10 minutes from now tea", "600 seconds [tea]"), ("10m 2 eggs", "600 seconds [2 eggs]"),
        ("10m ten pin bowling", "600 seconds [ten pin bowling]"), ("10m maybe 2 eggs", "600 seconds [maybe 2 eggs]"),
        ("10m \"friday dinner\"", "600 seconds [friday dinner]"), ("20 minutes to go", "1200 seconds [to go]"),
        ("10m tea and another for 20m rice", "600 seconds [tea] + 1200 seconds [rice]"),
        ("10m and another for 20", "600 seconds + 1200 seconds"),
    ]) func lengthsAreRead(text: String, result: String) { #expect(Self.read(text) == result) }

    @Test(arguments: [
        ("7:30 pm", "19:30"), ("7:30pm tea", "19:30 [tea]"), ("07:30 PM", "19:30"), ("7.30am", "07:30"),
        ("7pm", "19:00"),
        ("12:30 am", "00:30"), ("12 pm", "12:00"), ("12 am", "00:00"), ("13:00 pm", "13:00"), ("5:30 a.m.", "05:30"),
        ("noon", "12:00"), ("midnight", "00:00"), ("noon tomorrow", "12:00 tomorrow"),
        ("tomorrow at noon lunch", "12:00 tomorrow [lunch]"),
        ("next friday 9:00", "09:00 next friday"), ("7pm friday", "19:00 friday"), ("fri 9:00", "09:00 friday"),
        ("tomorrow 6:30", "06:30 tomorrow"), ("the day after tomorrow 9:00", "09:00 the day after tomorrow"),
        ("7 in the evening", "19:00"), ("7:30 evening", "19:30"),
        ("tomorrow evening 7:30 class", "19:30 tomorrow [class]"),
        ("tonight 10:30", "22:30"), ("twenty past six in the evening", "18:20"),
        ("half past six tomorrow morning", "06:30 tomorrow"),
        ("2026-12-24 18:00 guests", "18:00 2026-12-24 [guests]"),
        ("2026-12-24T18:00:00 guests", "18:00 2026-12-24 [guests]"),
        ("quarter to seven", "06:45 ?"), ("at 7", "07:00 ?"), ("tomorrow 7", "07:00 tomorrow ?"),
        ("8 o'clock", "08:00 ?"), ("10 minutes before 8 am", "07:50"), ("in the morning at 7", "07:00"),
        ("7:30", "07:30"), ("every weekday at 7", "07:00 every weekday"),
        ("every weekday at 7 wake up", "07:00 every weekday [wake up]"),
        ("every monday at 7:30 pm bins", "19:30 every monday [bins]"),
        ("mon-fri 7:00 work", "07:00 every weekday [work]"),
        ("monday to thursday 7:00", "07:00 every monday, tuesday, wednesday and thursday"),
        ("07:00 sat,sun", "07:00 every weekend"), ("07:00 Sat, Sun lie in", "07:00 every weekend [lie in]"),
        ("mon,wed,fri 7:00 bins", "07:00 every monday, wednesday and friday [bins]"),
        ("07:00 every saturday and sunday", "07:00 every weekend"),
        ("07:00 mondays and fridays bins", "07:00 every monday and friday [bins]"),
        ("07:00 weekdays, saturdays", "07:00 every monday, tuesday, wednesday, thursday, friday and saturday"),
        ("07:00 mondays and bread", "07:00 every monday [bread]"), ("07:00 sat,tea", "07:00 saturday [tea]"),
    ]) func timesOfDayAreRead(text: String, result: String) throws {
        #expect(Self.read(text) == result)
        // What is passed on to the tool is read as the same.
        guard let wish = try? TimerWish.reading(text)[0], !wish.when.isEither else { return }
        #expect(try TimerWish.reading(wish.when.text)[0].when == wish.when)
    }

    @Test(arguments: [
        ("7am mon..fri", "07:00 every weekday"), ("7am mon\u{2026}fri", "07:00 every weekday"),
        ("7am mon~fri", "07:00 every weekday"), ("7am mon \u{2192} fri", "07:00 every weekday"),
        ("7am mon_fri gym", "07:00 every weekday [gym]"), ("7am mon/fri", "07:00 every monday and friday"),
        ("7am mon+fri", "07:00 every monday and friday"),
    ]) func signBetweenTwoDaysMakesARangeOrAList(text: String, result: String) {
        #expect(Self.read(text) == result)
    }

    @Test(arguments: [
        ("7pm frid", "19:00 friday"), ("7pm sund", "19:00 sunday"), ("7pm wednes", "19:00 wednesday"),
        ("7pm weds", "19:00 wednesday"), ("7pm for frid", "19:00 friday"), ("7pm friend", "19:00 [friend]"),
        ("7pm sunscreen", "19:00 [sunscreen]"),
    ]) func abbreviatedDayIsRead(text: String, result: String) { #expect(Self.read(text) == result) }

    @Test(arguments: [
        ("7am daily - sun", "left over: sun"), ("7am weekdays, friday", "left over: friday"),
        ("7am daily sun excluded", "left over: sun excluded"), ("2h - 5m", "left over: 5m"),
        ("2h-5m roast", "left over: minus 5 m roast"), ("10m - 5 eggs", "600 seconds [5 eggs]"),
        ("10m x2", "left over: x2"), ("10m pomodoro 4x", "left over: pomodoro 4x"),
        ("7am schooldays", "left over: schooldays"),
        ("7am workweek", "left over: workweek"), ("7am always", "left over: always"),
        ("7am Tokyo", "left over: Tokyo"), ("7am eastern", "left over: eastern"),
        ("7am Tokyo call", "07:00 [Tokyo call]"),
        ("7am wake tomoz", "left over: wake tomoz"), ("7am overmorrow", "left over: overmorrow"),
        ("7am mana\u{F1}a", "left over: mana\u{F1}a"), ("7am domatina", "left over: domatina"),
        ("18:00 new year's eve", "left over: new year\u{2019}s eve"),
    ]) func exceptionAfterATimeIsNotAName(text: String, result: String) { #expect(Self.read(text) == result) }

    @Test(arguments: [
        ("7 at night", "19:00"), ("2 at night", "02:00"), ("7:00 day after tomorrow", "07:00 the day after tomorrow"),
        ("1/2 hour", "1800 seconds"), ("1 1/2 hours roast", "5400 seconds [roast]"), ("\u{BE} hour", "2700 seconds"),
        ("1.30h", "unreadable"), ("10 minutes please", "600 seconds"),
        ("7am sharp", "07:00"), ("7am local", "07:00"), ("7am please call", "07:00 [please call]"),
        ("7am called sharp", "07:00 [sharp]"),
    ]) func commonFormsOfATimeAreRead(text: String, result: String) { #expect(Self.read(text) == result) }

    /// Whatever is left over and looks like a time is an error, never a name.
    @Test(arguments: [
        ("10m pm", "pm"), ("10m pasta at 7", "pasta at 7"), ("07:00 pasta friday", "pasta friday"),
        ("10m friday dinner", "friday dinner"),
        ("10 minutes and 20 minutes", "20 minutes"), ("90 minutes 1 hour", "1 hour"), ("7:30 15", "15"),
        ("1 hr 30 tea", "30 tea"),
        ("10m -5m", "-5m"),
        ("61 minutes past seven", "past seven"), ("7:30 evening class", "evening class"),
        ("07:00 next week", "next week"),
        ("10m every day", "every day"), ("07:00 every other day", "every other day"),
        ("18:00 december 24", "december 24"),
        ("18:00 24/12", "24/12"), ("18:00 on the 24th", "on the 24th"), ("10m pasta for an hour", "pasta for an hour"),
        ("07:00 yesterday", "yesterday"), ("10m ago", "ago"),
    ]) func leftOverTimeIsNotAName(text: String, rest: String) { #expect(Self.read(text) == "left over: \(rest)") }

    /// Misspelt days and halves of the day, dates, zones, exceptions and other languages are not names: the timer would ring at
    /// the wrong time.
    @Test(arguments: [
        "23:00 tommorow", "23:00 tomorow", "7:00 call mum tomorrw", "7:00 tmrw", "7:00 2moro", "7:30 pn", "7:30 mp",
        "7:30 p", "at 7 pn", "7:00 weekday", "7:00 weekdys", "7:00 wensday bins", "7:00 thrusday", "7:00 mondayy",
        "7:00 evry day", "7:00 milk the cows daily", "7:30 yoga in the evening", "7:30 yoga evening",
        "10m tea tonight", "7:00 school days", "7:00 holidays", "7:00 twice", "7:00 nightly", "7:00 first",
        "18:00 the third", "18:00 24 dec", "18:00 24. Dezember", "18:00 24.12. party", "18:00 24dec",
        "18:00 december", "18:00 24 guests", "7pm friday the 13th", "18:00 UTC", "18:00 london time",
        "18:00 Europe/Berlin", "18:00+01:00", "07:00 gym or swim", "07:00 gym except holidays",
        "07:00 every monday except christmas", "07:00 until easter", "10m before dinner", "10m after dinner",
        "7:00 from june", "7:00 mo", "7:00 di,do", "7:00 tom", "7:00 morgen", "7:00 heute abend", "7:00 Montag",
        "7:00 täglich", "18:00 übermorgen", "7:00 lundi", "7:00 demain", "7h du matin", "7:00 tous les jours",
        "7:00 mañana", "7:00 завтра", "7:00 明天", "10m 30 eggs", "10m 30 sek", "10m 30sek", "10m thirty eggs",
        "10m tea in 5", "10m tea 5", "10m half", "7:00 2 eggs", "7:00 for tommorow", "7:00 for weekday",
        "7:00: morgen", "7:00 \"tea\" tomorrow", "7:00 next wek",
    ]) func aDoubtfulNameIsRefused(text: String) { #expect(Self.read(text).hasPrefix("left over: ")) }

    @Test(arguments: [
        "12.12.26", "12.12.26 dinner", "12.12 dinner", "7.05 tea", "12/12 friday dinner", "24/12 18:00",
        "7:30:15 tea", "00:10:00", "19h30", "8h30 lever", "2h5 tea", "halb acht", "um 7:00", "18 Uhr",
        "20 Uhr 15 Tagesschau", "demain 7:00", "morgen 7:00", "10 minuten tee", "dix minutes", "10-15 min",
        "10 - 15 min", "5 or 10 min", "after 7:00 tea", "in 7:00 tea", "1:30h", "18:00Z",
        "monday 7:00 every tuesday", "fri 9:00 saturdays", "10 mintues tea", "7 pn", "7:30pn",
    ]) func aDoubtfulTimeIsRefused(text: String) { #expect(Self.read(text) == "unreadable") }

    @Test(arguments: [
        ("10m 7up", "600 seconds [7up]"),
        ("1s called 12 eggs", "1 seconds [12 eggs]"),
        ("1s called pizza 5", "1 seconds [pizza 5]"),
        ("1s called 5 minutes", "1 seconds [5 minutes]"),
        ("3m30 egg", "210 seconds [egg]"),
        ("1h30 bread", "5400 seconds [bread]"),
        ("seven o'clock in the evening", "19:00"),
        ("seven oclock in the evening", "19:00"),
        ("10m called 7", "600 seconds [7]"),
        ("10m: 7up", "600 seconds [7up]"),
        ("10m: tea or coffee", "600 seconds [tea or coffee]"),
        ("10m for 2 people", "600 seconds [2 people]"),
        ("10m for tea before bed", "600 seconds [tea before bed]"),
        ("7:00 called tomorrow", "07:00 [tomorrow]"),
        ("7:00 'friday dinner'", "07:00 [friday dinner]"),
        ("18:00 football match", "18:00 [football match]"),
        ("7:00 do the dishes", "07:00 [do the dishes]"),
        ("7:30 TV", "07:30 [TV]"),
        ("7:30 jam", "07:30 [jam]"),
        ("7:00 mowing", "07:00 [mowing]"),
        ("18:00 light candles", "18:00 [light candles]"),
        ("18:00 tea time", "18:00 [tea time]"),
        ("7:00 call tom", "07:00 [call tom]"),
        ("7:00 - tea", "07:00 [tea]"),
        ("10m чай", "600 seconds [чай]"),
        ("10 min Tee", "600 seconds [Tee]"),
        ("10m christmas pudding", "600 seconds [christmas pudding]"),
        ("7:00 turn the oven off", "07:00 [turn the oven off]"),
        ("0730 hours", "07:30"),
        ("1800 hours briefing", "18:00 [briefing]"),
        ("7.05 am tea", "07:05 [tea]"),
        ("18.30 dinner", "18:30 [dinner]"),
        ("monday every monday 7:00", "07:00 monday every monday"),
        ("Monday - Friday 7:00 work", "07:00 every weekday [work]"),
        ("7:00 from monday to friday", "07:00 every weekday"),
    ]) func aPlainNameIsRead(text: String, result: String) { #expect(Self.read(text) == result) }

    @Test(arguments: [
        ("12 in the evening", "00:00"), ("12:30 this evening", "00:30"), ("every evening at 12", "00:00 every day"),
        ("tomorrow evening at 12", "unreadable"), ("monday 12 at night", "unreadable"),
        ("every monday at 12 in the evening", "unreadable"), ("every monday evening at 8", "20:00 every monday"),
        ("12 in the afternoon", "12:00"), ("7 pm this evening", "19:00 today"),
    ]) func twelveInTheEveningIsMidnight(text: String, result: String) { #expect(Self.read(text) == result) }

    @Test(arguments: [
        ("8h tea", 8), ("16h", 16), ("19 h tea", 19), ("5h", 5), ("23H film", 23),
    ]) func hoursThatMayBeATimeOfDayAreAsked(text: String, hour: Int) {
        #expect(throws: TimerProblem.hours(hour)) { try TimerWish.reading(text) }
        #expect("\(TimerProblem.hours(8))" == "8h may be a length or a time of day: say 8 hours or 08:00")
    }

    @Test(arguments: [
        ("4h roast", "14400 seconds [roast]"), ("24h", "86400 seconds"), ("8 hours", "28800 seconds"),
        ("in 8h", "28800 seconds"), ("for 8h sleep", "28800 seconds [sleep]"), ("8h30m", "30600 seconds"),
        ("8h from now", "28800 seconds"), ("8h du soir", "left over: du soir"),
    ]) func hoursWithAWordForALengthAreALength(text: String, result: String) throws {
        #expect(Self.read(text) == result)
        #expect(try TimerWish.reading("8h tea", isLength: true).map(\.when) == [.after(28_800)])
    }

    @Test(arguments: [
        "montagabend", "freitagmorgen", "sobota", "s\u{F8}ndag", "l\u{F6}rdag", "torsdag", "vineri", "tmoz", "wknd",
        "eod", "sunset", "loop", "ongoing", "water plants in may", "swim until march",
    ]) func dayInAnyWordsBehindATimeOfDayIsRefused(name: String) {
        #expect(Self.read("18:00 " + name) == "left over: \(name)")
    }

    @Test(arguments: [
        ("18:00 sunset walk", "18:00 [sunset walk]"), ("18:00 called sunset", "18:00 [sunset]"),
        ("18:00 talk to may", "18:00 [talk to may]"), ("7:00 mittagessen", "07:00 [mittagessen]"),
        ("10m gym day", "600 seconds [gym day]"), ("10m morning coffee", "600 seconds [morning coffee]"),
        ("10m pizza 2", "600 seconds [pizza 2]"), ("10m batch three", "600 seconds [batch three]"),
        ("10m midi", "600 seconds [midi]"), ("10m evening walk", "600 seconds [evening walk]"),
        ("10m sobota", "600 seconds [sobota]"), ("10m evening", "left over: evening"),
        ("10m tea 20", "left over: tea 20"), ("10m 5 horas", "left over: 5 horas"),
    ]) func wordIsANameWhereNoDayCanFollow(text: String, result: String) { #expect(Self.read(text) == result) }

    @Test(arguments: [
        ("1,5h", "5400 seconds"), ("1,5 hours roast", "5400 seconds [roast]"), ("2,5min", "150 seconds"),
        ("1,30h", "unreadable"), ("0730", "07:30"), ("0730 tea", "07:30 [tea]"), ("0005", "00:05"),
        ("1830", "unreadable"), ("07:00:00", "07:00"), ("07:00:00 tea", "07:00 [tea]"), ("01:30:00", "unreadable"),
        ("7:00:30", "unreadable"), ("2026-12-24 18:00:00", "18:00 2026-12-24"), ("2 mins 30", "150 seconds"),
        ("2 mins 30 eggs", "left over: 30 eggs"), ("a couple minutes", "120 seconds"),
        ("a couple hours nap", "7200 seconds [nap]"), ("10 minutes or so", "600 seconds"),
        ("10 minutes or so tea", "600 seconds [tea]"),
    ]) func plainNotationsOfATimeAreRead(text: String, result: String) { #expect(Self.read(text) == result) }

    /// Once the time is complete, what follows "to" or "that" is what the box will say.
    @Test(
        arguments: [
            ("10m to call mum at 7", "call mum at 7"), ("10m that lunch is at noon", "lunch is at noon"),
            ("tomorrow 9:00 to book the train for monday", "book the train for monday"),
            ("friday 9:00 that the bins go on sunday", "the bins go on sunday"),
            ("every monday 8:00 to put the bins out by 9", "put the bins out by 9"),
            ("9:00 to book the train for monday", nil), ("tomorrow at 9 to call in the evening", nil),
            ("10m call mum at 7", nil),
        ] as [(String, String?)]
    ) func wordsOfAReminderMayNameATime(text: String, words: String?) {
        #expect((try? TimerWish.reading(text, isReminder: true))?.map(\.name) == words.map { [$0] })
    }

    @Test func theRefusalNamesTheDoubtfulWords() {
        #expect(throws: TimerProblem.leftOver("tommorow")) { try TimerWish.reading("23:00 tommorow") }
        #expect("\(TimerProblem.leftOver("tommorow"))".hasPrefix("\"tommorow\" may belong to the time: "))
        #expect(throws: TimerProblem.leftOver("go to the gym tommorow")) {
            try TimerWish.reading("23:00 to go to the gym tommorow", isReminder: true)
        }
    }

    @Test(arguments: [
        "", "tea", "25:00", "7", "07:0", "7:60", "every 07:00", "-5m", "-5 minutes", "1e400 minutes", "\u{FF19}m",
        "0:30 pm", "13 am",
        "7:00 am pm", "5 to 7 minutes", "10,5 minutes", "1.30h", "12.12.2026 10:00", "2026-12-24T18:00:00Z",
        "tomorrow",
        "7:00 and another for 20", "10m and another", "5 99999999999999999999", "at 99999999999999999999",
    ]) func malformedTimeIsRefused(text: String) { #expect(Self.read(text) == "unreadable") }

    @Test(arguments: ["0s", "31 days", "999999999 hours", "99999999999999999999s", "0.2 s"])
    func theLengthIsBounded(text: String) { #expect(Self.read(text) == "length") }

    @Test func randomTextDoesNotTrap() {
        var generator = SeededGenerator(seed: 5)
        let alphabet = Array("0123456789:hms, -daytomrwekypu.e\u{0}\u{BD}\u{1F600}")
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                    alphabet.randomElement(using: &generator) ?? "x"
                }
            )
            for wish in (try? TimerWish.reading(text)) ?? [] {
                if case .after(let seconds) = wish.when {
                    #expect((1...TimerWish.longest).contains(seconds), "\(text)")
                }
            }
        }
    }

    @Test func pausedTimerSurvivesADamagedFile() throws {
        let entry = SavedTimers.Entry(number: 1, due: .paused(left: 240, length: 600), name: "tea")
        let text = SavedTimers(entries: [entry]).text
        #expect(try SavedTimers(parsing: Array(text.utf8)).entries == [entry])
        let cut = try #require(text.firstRange(of: "\nmore = "))
        let kept = try SavedTimers(parsing: Array(text[..<cut.lowerBound].utf8)).entries
        #expect(kept == [SavedTimers.Entry(number: 1, due: .paused(left: 600, length: 600), name: "tea")])
    }

    @Test(arguments: [
        ("schema = 1\ntimers = [\"1 timer 1 2 3\"]", true), ("timers = [\"1 timer 1 2 0 x\"]", false),
        ("timers = [\"0 timer 1 2 3 x\"]", false), ("timers = [\"1 alarm 1 1440 0 x\"]", false), ("timers = []", true),
        ("timers = [\"1 alarm 20780 420 31 a b\", \"1 timer 1 2 3\"]", true), ("boot = \"a\"", false),
        ("timers = 5", false),
        ("timers = [\"1 timer 1 2 3\"]\nmore = [\"1 paused 5\", \"1 reminder\", \"9 x\", \"\"]", true),
        ("timers = [\"1 timer 1 2 3\"]\nmore = [\"1 from the future\"]", true), ("timers = []\nmore = 7", true),
    ]) func damagedFileIsDetected(text: String, isGood: Bool) {
        #expect(((try? SavedTimers(parsing: Array(text.utf8))) != nil) == isGood)
    }

    /// A broken entry, a broken line, one number twice and one too many: the others are kept, and the loss is known.
    @Test(arguments: [
        ("timers = [\n    \"1 timer 1 2 3 tea\",\n    \"x\",\n    \"3 alarm 20780 420 31 up\",\n]", [1, 3]),
        (
            "boot = \"b\"\ntimers = [\n    \"1 timer 1 2 3 tea\",\n    \"2 timer 1,\n    \"3 timer 1 2 3\",\n]\nmore = []",
            [1, 3]
        ),
        ("timers = [\n    \"1 timer 1 2 3 tea\",\n    \"1 timer 1 2 3 rice\",\n]", [1]),
        ("timers = [\n    \"1 timer 1 2 3 tea\",\n    \"2 timer 1 2 3 rice\",", [1, 2]),
    ]) func brokenLineIsSkippedAlone(text: String, kept: [Int]) throws {
        let saved = try SavedTimers(parsing: Array(text.utf8))
        #expect(saved.entries.map(\.number) == kept && saved.loss != nil)
        #expect(try SavedTimers(parsing: Array(saved.text.utf8)).loss == nil)
    }

    @Test func aPartlyDamagedFileIsReportedAndKeptAside() throws {
        let folder = "/tmp/timers-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        mkdir(folder, 0o700)
        defer { for name in ["timers.toml", "timers.toml.damaged", ""] { remove(folder + "/" + name) } }
        try StateFile.write(Array("timers = [\"1 timer 1 2 3 tea\", \"oops\"]\n".utf8), to: folder + "/timers.toml")
        let log = LineLog()
        let saved = SavedTimers.load(directory: folder, logger: log.logger)
        #expect(saved.entries.map(\.name) == ["tea"])
        #expect(log.lines.count == 1 && log.lines[0].contains("1 of 2 timers and alarms cannot be read: \"oops\""))
        #expect(access(folder + "/timers.toml.damaged", F_OK) == 0)
        var signs = HealthSigns()
        signs.timersLost = saved.loss
        var monitor = HealthMonitor()
        #expect(monitor.step(signs, at: .zero).text.contains("earlier timers and alarms are lost: 1 of 2"))
    }
}
