package import VoiceBase

package enum TimerEvent: Equatable, Sendable {
    /// Timers and alarms saved before the start.
    case restored(SavedTimers)
    case set(TimerWish)
    case cancel(TimerChoice)
    case change(TimerChoice, TimerChange)
    /// "Stop": ends the ringing.
    case stop
    /// Check the time.
    case look
}

package enum TimerEffect: Equatable, Sendable {
    case set(SetTimer)
    case refused(TimerProblem)
    /// This many were cancelled. `what`: the alarm in words without its name, where only its day was said.
    case cancelled(Int, what: String? = nil)
    /// Start or stop ringing.
    case ring(Bool)
    /// The changed timers, as they are now.
    case changed([SetTimer])
    case remember(SavedTimers)
    case tell(TimerNews)
    /// Check again after this time; nil if nothing is pending.
    case lookAfter(Duration?)
}

/// A timer or an alarm that was set, for people.
package struct SetTimer: Equatable, Sendable {
    package var number: Int
    /// `timer "tea"`.
    package var title: String
    /// "in 10 minutes", "tomorrow, Tuesday, 07:00".
    package var when: String
}

/// An entry of the list of timers and alarms.
package struct ListedTimer: Equatable, Sendable {
    package var number: Int
    package var kind: TimerKind
    package var name: String
    /// "in 10 minutes", "rings now".
    package var when: String
    /// The time of day it was set for, as in "20:35" and "Tue 07:00"; nil if it was set for a length.
    package var clock: String?
    /// Until it is due; nil if the clock must be set first.
    package var left: Duration?
    package var rings: Bool
    package var isPaused: Bool
}

/// An event in the life of a timer or an alarm.
package struct TimerNews: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case rings
        /// The timer was due while the machine was off or asleep.
        case missed
        /// The timer rang to the end, and no one stopped it.
        case unheard
    }

    package var kind: Kind
    package var number: Int
    package var what: TimerKind
    /// The timer's name for people: `timer "tea"`.
    package var title: String
    /// The words of a reminder, or the name of another.
    package var name: String
}

/// Timers and alarms: what is set, due and ringing. No I/O, clock or task.
///
/// A timer measures elapsed time, whatever happens to the clock. After a reboot it goes by the clock, as nothing else
/// knows how long the machine was off. An alarm follows local time: it moves with the time zone and with summer time; a
/// time that summer time skips rings right after the gap. What was due while the machine was off or asleep rings up to
/// ten minutes late; anything later is reported as missed.
package struct TimerBook: Equatable, Sendable {
    /// Maximum number of entries.
    package static let most = 32
    /// Maximum delay, in seconds; what is later does not ring.
    static let latest = 600
    /// Length of the ringing if no one stops it.
    package static let longestRing = Duration.seconds(300)
    /// Longest time until the next check, by which a changed clock or a machine that was asleep is noticed.
    static let longestPause = Duration.seconds(5)
    /// Largest change between clock and uptime, in seconds, that does not count as setting the clock.
    private static let jump = 2

    private struct Entry: Equatable {
        enum Due: Equatable {
            /// Due at an uptime of the machine.
            case elapsed(Duration, length: Int)
            /// Due by the clock, in Unix time.
            case wall(Int, length: Int)
            case alarm(day: Int, minute: Int, repeats: Weekdays)
            /// So much was left.
            case paused(Duration, length: Int)
        }

        var number: Int
        var name: String
        /// An alarm that snoozes is due after a time, a reminder after a time or by the clock.
        var kind: TimerKind
        var due: Due
        var ringsSince: Duration?

        var isPaused: Bool { if case .paused = due { true } else { false } }
        var repeats: Bool { if case .alarm(_, _, let days) = due { !days.isEmpty } else { false } }
        /// The length that the timer was set for, in seconds; nil for an alarm.
        var length: Int? {
            switch due {
            case .elapsed(_, let length), .wall(_, let length), .paused(_, let length): length
            case .alarm: nil
            }
        }
        var title: String { kind.rawValue + (name.isEmpty ? " \(number)" : " \"\(name)\"") }
    }

    private let boot: String
    private var entries: [Entry] = []
    /// Unix time minus uptime, as of the last save or jump of the clock.
    private var difference: Int?
    /// The offset of local time at the last check.
    private var offset: Int?

    /// - Parameter boot: identifies this boot of the machine: timers saved during it continue to the second.
    package init(boot: String = "") { self.boot = boot }

    package var count: Int { entries.count }
    package var isRinging: Bool { entries.contains { $0.ringsSince != nil } }

    package mutating func handle(_ event: TimerEvent, at now: ClockInstant) -> [TimerEffect] {
        let rang = isRinging
        let before = entries
        var effects: [TimerEffect] = []
        switch event {
        case .restored(let saved): restore(saved)
        case .set(let wish): effects.append(set(wish, at: now))
        case .cancel(let choice): effects.append(cancel(choice, at: now))
        case .change(let choice, let change): effects.append(self.change(choice, change, at: now))
        case .stop: for entry in entries where entry.ringsSince != nil { finish(entry.number, at: now) }
        case .look: break
        }
        effects += look(at: now)
        assert(entries.count <= Self.most)
        // A stop ends the ringing for all other parts, although the next timer may have become due meanwhile.
        if isRinging != rang || event == .stop && isRinging { effects.append(.ring(isRinging)) }
        let difference = now.wall - Int(now.uptime.components.seconds)
        let hasJumped = self.difference.map { abs($0 - difference) > Self.jump } ?? false
        if entries.map(\.due) != before.map(\.due) || hasJumped && !entries.isEmpty {
            effects.append(.remember(saved(at: now)))
            self.difference = difference
        } else if self.difference == nil || hasJumped {
            self.difference = difference
        }
        effects.append(.lookAfter(pause(at: now)))
        return effects
    }

    // MARK: Setting

    private mutating func restore(_ saved: SavedTimers) {
        entries = saved.entries.prefix(Self.most).map { entry in
            let due: Entry.Due =
                switch entry.due {
                case .timer(_, let uptime, let length) where saved.boot == boot && !boot.isEmpty && uptime > 0:
                    .elapsed(.seconds(uptime), length: length)
                case .timer(let wall, _, let length): .wall(wall, length: length)
                case .paused(let left, let length): .paused(.seconds(left), length: length)
                case .alarm(let day, let minute, let repeats): .alarm(day: day, minute: minute, repeats: repeats)
                }
            return Entry(number: entry.number, name: entry.name, kind: entry.kind, due: due)
        }
    }

    private mutating func set(_ wish: TimerWish, at now: ClockInstant) -> TimerEffect {
        guard entries.count < Self.most else { return .refused(.full) }
        let due: Entry.Due
        do throws(TimerProblem) { due = try Self.due(of: wish, at: now) } catch { return .refused(error) }
        var kind = TimerKind.timer
        if case .alarm = due { kind = .alarm }
        return .set(add(wish.name, wish.isReminder ? .reminder : kind, due, at: now))
    }

    private mutating func add(_ name: String, _ kind: TimerKind, _ due: Entry.Due, at now: ClockInstant) -> SetTimer {
        let number = (1...Self.most).first { number in !entries.contains { $0.number == number } } ?? Self.most
        let entry = Entry(number: number, name: name, kind: kind, due: due)
        entries.append(entry)
        return Self.set(entry, at: now)
    }

    private static func set(_ entry: Entry, at now: ClockInstant) -> SetTimer {
        SetTimer(number: entry.number, title: entry.title, when: when(entry, at: now))
    }

    private static func due(of wish: TimerWish, at now: ClockInstant) throws(TimerProblem) -> Entry.Due {
        switch wish.when {
        case .after(let seconds):
            guard (1...TimerWish.longest).contains(seconds) else { throw .length }
            return .elapsed(now.uptime + .seconds(seconds), length: seconds)
        case .at(var minute, let day, let repeats, let isEither):
            guard now.isPlausible else { throw .clock }
            guard (0..<1440).contains(minute) else { throw .unreadable }
            let local = now.local
            if isEither {
                // Today, the other half may be over.
                let halves = [minute % 720, minute % 720 + 720].filter {
                    LocalTime(day: local.day, minute: $0).seconds > local.seconds
                }
                guard day == .after(0), halves.count < 2 else { throw .half(minute) }
                minute = halves.first ?? minute
            }
            let isOver = LocalTime(day: local.day, minute: minute).seconds <= local.seconds
            let today = isOver ? local.day + 1 : local.day
            var first: Int
            switch day {
            case .next: first = today
            case .after(let days):
                if isOver, days == 0, repeats.isEmpty { throw .past }
                first = days == 0 ? today : local.day + days
            case .weekday(let number): first = next(from: today, on: Weekdays(rawValue: 1 << number))
            case .nextWeekday(let number): first = next(from: local.day + 1, on: Weekdays(rawValue: 1 << number))
            case .date(let date):
                guard date >= today else { throw .past }
                first = date
            }
            guard first - local.day <= 366 else { throw .tooFar }
            if !repeats.isEmpty { first = next(from: first, on: repeats) }
            return .alarm(day: first, minute: minute, repeats: repeats)
        }
    }

    private static func next(from day: Int, on repeats: Weekdays) -> Int {
        (day..<day + 7).first { repeats.contains(day: $0) } ?? day
    }

    // MARK: Ending

    private mutating func cancel(_ choice: TimerChoice, at now: ClockInstant) -> TimerEffect {
        let candidates = entries.filter { choice.kind.covers($0.kind) }
        // A user who hears a timer ring may call it an alarm.
        let audible = entries.filter { $0.ringsSince != nil }
        switch choice.which {
        case .all:
            guard !candidates.isEmpty else { return .refused(.none(choice.kind)) }
            for entry in candidates { remove(entry.number) }
            return .cancelled(candidates.count)
        case .obvious:
            let ofKind = audible.filter { choice.kind.covers($0.kind) }
            let ringing = ofKind.isEmpty ? audible : ofKind
            if !ringing.isEmpty {
                for entry in ringing { finish(entry.number, at: now) }
                return .cancelled(ringing.count)
            }
            guard let only = candidates.first else { return .refused(.none(choice.kind)) }
            guard candidates.count == 1 else { return .refused(.ambiguous(choice.kind)) }
            // "Stop the alarm", when none rings, must not end tomorrow's and all that follow.
            guard !only.repeats else { return .refused(.repeats) }
            remove(only.number)
            return .cancelled(1)
        case .named(let name):
            guard !entries.isEmpty else { return .refused(.none(.any)) }
            var meant = [candidates, audible].map { Self.named(name, in: $0) }.first { !$0.isEmpty } ?? []
            if meant.isEmpty {
                let times = Self.timed(name, in: candidates)
                guard times.count < 2 else { return .refused(.ambiguous(choice.kind)) }
                meant = times
            }
            if meant.isEmpty, choice.kind != .timer, let day = Self.day(name) {
                return cancel(day, candidates, at: now)
            }
            guard !meant.isEmpty else { return .refused(.unknown(Self.title(name), choice.kind)) }
            // Only the current ringing of an alarm is cancelled; a repeated alarm is kept for its other days.
            for entry in meant {
                if entry.ringsSince != nil { finish(entry.number, at: now) } else { remove(entry.number) }
            }
            return .cancelled(meant.count)
        }
    }

    // MARK: Changing

    private mutating func change(_ choice: TimerChoice, _ change: TimerChange, at now: ClockInstant) -> TimerEffect {
        let candidates = entries.filter { entry in
            guard choice.kind.covers(entry.kind) || entry.ringsSince != nil else { return false }
            return switch change {
            case .add: entry.length != nil
            case .pause: entry.length != nil && !entry.isPaused && entry.ringsSince == nil
            case .resume: entry.isPaused
            case .snooze: entry.ringsSince != nil
            }
        }
        var meant = candidates
        if case .named(let name) = choice.which {
            meant = Self.named(name, in: candidates)
            if meant.isEmpty { meant = Self.timed(name, in: candidates) }
            guard !meant.isEmpty || candidates.isEmpty || !Self.named(name, in: entries).isEmpty else {
                return .refused(.unknown(Self.title(name), choice.kind))
            }
        } else if choice.which == .obvious, meant.contains(where: { $0.ringsSince != nil }) {
            meant.removeAll { $0.ringsSince == nil }
        }
        guard !meant.isEmpty else { return .refused(.noneTo(change)) }
        let isOne = meant.count == 1 || choice.which == .all || meant.allSatisfy { $0.ringsSince != nil }
        guard isOne else { return .refused(.ambiguous(choice.kind)) }
        do throws(TimerProblem) {
            return .changed(try meant.map { (entry) throws(TimerProblem) in try self.change(entry, change, at: now) })
        } catch {
            return .refused(error)
        }
    }

    private mutating func change(
        _ entry: Entry,
        _ change: TimerChange,
        at now: ClockInstant
    ) throws(TimerProblem) -> SetTimer {
        var entry = entry
        let left = max(.zero, Self.left(entry, at: now) ?? .zero)
        let length = entry.length ?? 0
        switch change {
        case .add(let seconds):
            guard 1...TimerWish.longest ~= seconds, left + .seconds(seconds) <= .seconds(TimerWish.longest) else {
                throw .length
            }
            let longer = min(length + seconds, TimerWish.longest)
            let sum = left + .seconds(seconds)
            entry.due = entry.isPaused ? .paused(sum, length: longer) : .elapsed(now.uptime + sum, length: longer)
        case .pause: entry.due = .paused(max(left, .seconds(1)), length: length)
        case .resume: entry.due = .elapsed(now.uptime + left, length: length)
        case .snooze(let seconds):
            guard 1...TimerWish.longest ~= seconds else { throw .length }
            if entry.repeats {
                guard entries.count < Self.most else { throw .full }
                finish(entry.number, at: now)
                return add(entry.name, entry.kind, .elapsed(now.uptime + .seconds(seconds), length: seconds), at: now)
            }
            entry.due = .elapsed(now.uptime + .seconds(seconds), length: seconds)
        }
        entry.ringsSince = nil
        if let index = entries.firstIndex(where: { $0.number == entry.number }) { entries[index] = entry }
        return Self.set(entry, at: now)
    }

    /// Cancels the alarm of a day. An alarm with other days as well is not cancelled: who names one day may want the others.
    private mutating func cancel(_ day: TimerWish.Day, _ candidates: [Entry], at now: ClockInstant) -> TimerEffect {
        let meant = candidates.filter { Self.rings($0, on: day, at: now) }
        guard let only = meant.first else { return .refused(.noneOn(Self.name(of: day))) }
        let all = meant.map { Self.when($0, at: now) }
        guard meant.count == 1 else { return .refused(.severalOn(Self.name(of: day), all)) }
        if only.ringsSince != nil {
            finish(only.number, at: now)
            return .cancelled(1)
        }
        guard !only.repeats else { return .refused(.repeatsOn(all[0])) }
        remove(only.number)
        return .cancelled(1, what: "the alarm for \(all[0])")
    }

    /// Parses the day in "Monday's alarm": a weekday, "today", "tomorrow" or a date; nil for anything else.
    private static func day(_ text: String) -> TimerWish.Day? {
        let text = text.lowercased().replacing("\u{2019}s", with: "").replacing("'s", with: "")
        // "Sat" and "Sun" are more likely names.
        let isLong = ["day", "days", "tomorrow"].contains { text.hasSuffix($0) } || text.contains("-")
        return isLong ? TimeParser(all: text)?.dayAlone : nil
    }

    private static func rings(_ entry: Entry, on day: TimerWish.Day, at now: ClockInstant) -> Bool {
        guard case .alarm(let first, _, let repeats) = entry.due else { return false }
        switch day {
        case .next: return false
        case .after(0): return first == now.local.day
        case .after(let days): return rings(entry, on: .date(now.local.day + days), at: now)
        case .weekday(let number), .nextWeekday(let number):
            return Weekdays.number(of: first) == number || repeats.rawValue & 1 << number != 0
        case .date(let date): return first == date || first < date && repeats.contains(day: date)
        }
    }

    private static func name(of day: TimerWish.Day) -> String {
        switch day {
        case .next, .after(0): "today"
        case .after(1): "tomorrow"
        case .after: "the day after tomorrow"
        case .weekday(let number), .nextWeekday(let number): Weekdays.names[number]
        case .date(let date): LocalTime.date(day: date)
        }
    }

    /// The requested timer in words: a length as the list has it.
    private static func title(_ name: String) -> String {
        if case .after(let seconds)? = TimeParser(all: name)?.when { return length(seconds) }
        return ForeignText.title(name)
    }

    /// Returns the timers set for this length, or the alarms set for this time of day: "10 minutes", "07:00", "7 pm", "07:00
    /// or 19:00", "seven o'clock".
    private static func timed(_ text: String, in entries: [Entry]) -> [Entry] {
        let times = text.split(separator: " or ").map { TimeParser(all: String($0))?.when }
        return entries.filter { entry in
            times.contains { time in
                switch (time, entry.due) {
                case (.after(let seconds), _): return entry.length == seconds
                case (.at(let minute, .next, [], let isEither), .alarm(_, let due, _)):
                    return minute == due || isEither && (minute + 720) % 1440 == due
                default: return false
                }
            }
        }
    }

    /// Returns the entries with this number or name; if there are none, those whose name contains the words.
    private static func named(_ text: String, in entries: [Entry]) -> [Entry] {
        let name = ForeignText.title(text).lowercased()
        if let number = Int(name) {
            let numbered = entries.filter { $0.number == number }
            if !numbered.isEmpty { return numbered }
        }
        let exact = entries.filter { $0.name.lowercased() == name && !name.isEmpty }
        if !exact.isEmpty { return exact }
        let words = name.split(separator: " ")
        return words.isEmpty
            ? [] : entries.filter { Set($0.name.lowercased().split(separator: " ")).isSuperset(of: words) }
    }

    private mutating func remove(_ number: Int) { entries.removeAll { $0.number == number } }

    /// Ends an entry that rang or was missed: removes it, or sets it for its next day.
    private mutating func finish(_ number: Int, at now: ClockInstant) {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return }
        guard case .alarm(let day, let minute, let repeats) = entries[index].due, !repeats.isEmpty else {
            entries.remove(at: index)
            return
        }
        let local = now.local
        let isOver = LocalTime(day: local.day, minute: minute).seconds <= local.seconds
        let next = Self.next(from: max(day + 1, isOver ? local.day + 1 : local.day), on: repeats)
        entries[index].due = .alarm(day: next, minute: minute, repeats: repeats)
        entries[index].ringsSince = nil
    }

    // MARK: Time

    private mutating func look(at now: ClockInstant) -> [TimerEffect] {
        var news: [TimerEffect] = []
        func tell(_ kind: TimerNews.Kind, _ entry: Entry) {
            news.append(
                .tell(
                    TimerNews(kind: kind, number: entry.number, what: entry.kind, title: entry.title, name: entry.name)
                )
            )
        }
        // What summer time, or another time zone, has skipped is late by no more than before.
        let skipped = Duration.seconds(max(0, now.offset - (offset ?? now.offset)))
        offset = now.offset
        for entry in entries {
            if let since = entry.ringsSince {
                guard now.uptime - since >= Self.longestRing else { continue }
                tell(.unheard, entry)
                finish(entry.number, at: now)
            } else if !entry.isPaused, let left = Self.left(entry, at: now), left <= .zero {
                if left + (entry.length == nil ? skipped : .zero) < .zero - .seconds(Self.latest) {
                    tell(.missed, entry)
                    finish(entry.number, at: now)
                } else if let index = entries.firstIndex(where: { $0.number == entry.number }) {
                    entries[index].ringsSince = now.uptime
                    tell(.rings, entry)
                }
            }
        }
        return news
    }

    /// Returns the time until an entry is due, negative if it is late; nil while that is unknown.
    private static func left(_ entry: Entry, at now: ClockInstant) -> Duration? {
        switch entry.due {
        case .elapsed(let uptime, _): return uptime - now.uptime
        case .paused(let left, _): return left
        case .wall(let wall, let length):
            guard now.isPlausible else { return nil }
            // A clock that was set back must not make a timer longer than its length.
            return .seconds(min(wall - now.wall, length))
        case .alarm(let day, let minute, _):
            guard now.isPlausible else { return nil }
            return .seconds(LocalTime(day: day, minute: minute).seconds - now.local.seconds)
        }
    }

    private func pause(at now: ClockInstant) -> Duration? {
        guard !entries.isEmpty else { return nil }
        if isRinging { return .seconds(1) }
        let soonest = entries.filter { !$0.isPaused }.compactMap { Self.left($0, at: now) }.min() ?? Self.longestPause
        return min(max(soonest, .milliseconds(10)), Self.longestPause)
    }

    // MARK: For people and for the file

    /// Returns one line per entry, in the order in which they are due: `1: timer "tea", in 4 minutes`.
    package func list(at now: ClockInstant) -> [String] {
        entries(at: now).map { entry in
            let title = entry.kind.rawValue + (entry.name.isEmpty ? "" : " \"\(entry.name)\"")
            return "\(entry.number): \(title), \(entry.when)"
        }
    }

    /// Returns the entries in the order in which they are due.
    package func entries(at now: ClockInstant) -> [ListedTimer] {
        entries.map { ($0, Self.left($0, at: now)) }
            .sorted { ($0.1 ?? .seconds(TimerWish.longest)) < ($1.1 ?? .seconds(TimerWish.longest)) }
            .map { entry, left in
                ListedTimer(
                    number: entry.number, kind: entry.kind, name: entry.name,
                    when: entry.ringsSince != nil ? "rings now" : Self.when(entry, at: now),
                    clock: Self.clock(entry, at: now), left: left, rings: entry.ringsSince != nil,
                    isPaused: entry.isPaused
                )
            }
    }

    /// Returns when an entry is due: "in 10 minutes"; "tomorrow, Tuesday, 07:00, every weekday".
    private static func when(_ entry: Entry, at now: ClockInstant) -> String {
        switch entry.due {
        case .elapsed, .wall:
            guard let left = Self.left(entry, at: now) else { return "when the clock is set" }
            return "in " + length(left)
        case .paused(let left, _): return "paused, \(length(left)) left"
        case .alarm(let day, let minute, let repeats):
            let weekday = Weekdays.names[Weekdays.number(of: day)]
            let clock = LocalTime.clock(minute: minute)
            let place =
                switch day - now.local.day {
                case 0: "today, \(weekday)"
                case 1: "tomorrow, \(weekday)"
                case 2...6: weekday
                default: "\(weekday), \(LocalTime.date(day: day))"
                }
            return "\(place), \(clock)" + (repeats.isEmpty ? "" : ", \(repeats.text)")
        }
    }

    /// The time of day an alarm was set for: "20:35", "Tue 07:00", "2026-12-24 18:00"; nil for a length.
    private static func clock(_ entry: Entry, at now: ClockInstant) -> String? {
        guard case .alarm(let day, let minute, _) = entry.due else { return nil }
        let clock = LocalTime.clock(minute: minute)
        return switch day - now.local.day {
        case 0: clock
        case 1...6: Weekdays.names[Weekdays.number(of: day)].prefix(3) + " " + clock
        default: LocalTime.date(day: day) + " " + clock
        }
    }

    /// Formats a length with its two largest non-zero units: "1 hour 5 minutes", "1 minute 30 seconds".
    private static func length(_ left: Duration) -> String {
        length(Int((left + .milliseconds(500)).components.seconds))
    }

    static func length(_ seconds: Int) -> String {
        let seconds = max(0, seconds)
        let parts = [
            (seconds / 86_400, "day"), (seconds / 3600 % 24, "hour"), (seconds / 60 % 60, "minute"),
            (seconds % 60, "second"),
        ]
        let named = parts.filter { $0.0 > 0 }.prefix(2).map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
        return named.isEmpty ? "0 seconds" : named.joined(separator: " ")
    }

    package func saved(at now: ClockInstant) -> SavedTimers {
        SavedTimers(
            boot: boot,
            entries: entries.map { entry in
                let due: SavedTimers.Entry.Due =
                    switch entry.due {
                    case .elapsed(let uptime, let length):
                        .timer(
                            wall: now.wall + Int((uptime - now.uptime).components.seconds),
                            uptime: Int(uptime.components.seconds), length: length
                        )
                    case .wall(let wall, let length): .timer(wall: wall, uptime: 0, length: length)
                    case .paused(let left, let length): .paused(left: Int(left.components.seconds), length: length)
                    case .alarm(let day, let minute, let repeats): .alarm(day: day, minute: minute, repeats: repeats)
                    }
                return SavedTimers.Entry(number: entry.number, due: due, name: entry.name, kind: entry.kind)
            }
        )
    }
}
