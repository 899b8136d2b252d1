package import VoiceBase

package enum TimerEvent: Equatable, Sendable {
    /// What is remembered from before the start.
    case restored(SavedTimers)
    case set(TimerWish)
    case cancel(TimerChoice)
    /// "Stop": what rings has been heard.
    case stop
    /// Time has passed.
    case look
}

/// Which timers and alarms are meant.
package enum TimerChoice: Equatable, Sendable {
    /// What rings; else the only one there is.
    case obvious
    case all
    /// A number of the list, or a name.
    case named(String)
}

package enum TimerEffect: Equatable, Sendable {
    /// It was set: when it rings, for people, "in 10 minutes" or "tomorrow, Tuesday, 07:00".
    case set(number: Int, text: String)
    case refused(TimerProblem)
    /// So many will not ring any more.
    case cancelled(Int)
    /// Begin to ring, or end it.
    case ring(Bool)
    case remember(SavedTimers)
    case tell(TimerNews)
    /// Look again after so long; nil: there is nothing to wait for.
    case lookAfter(Duration?)
}

/// Something that has happened to a timer or an alarm.
package struct TimerNews: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case rings
        /// It was due while the machine was off or asleep.
        case missed
        /// It has rung, and nobody has stopped it.
        case unheard
    }

    package var kind: Kind
    package var number: Int
    package var isAlarm: Bool
    /// The timer, for people: `timer "tea"`.
    package var title: String
}

/// Timers and alarms: what is set, what is due, what rings. No I/O, clock or task.
///
/// A timer counts real time, whatever becomes of the clock; one from before a restart of the machine goes by the clock,
/// since nothing else knows how long the machine was off. An alarm goes by what the clock on the wall shows: it moves with
/// the time zone and with summer time; a time that is left out by it rings right after. What is due while the machine is off
/// or asleep rings up to ten minutes late; what is later is told as missed.
package struct TimerBook: Equatable, Sendable {
    /// More are not taken.
    package static let most = 32
    /// What is later than this does not ring any more.
    static let latest = 600
    /// It rings for so long.
    package static let longestRing = Duration.seconds(300)
    /// At most so long until the next look: a clock that was set, a machine that was asleep, are noticed then.
    static let longestPause = Duration.seconds(5)
    /// A clock that moves by more against the time since the start has been set, in seconds.
    private static let jump = 2

    private struct Entry: Equatable {
        enum Due: Equatable {
            /// By the time since the start of the machine.
            case elapsed(Duration, length: Int)
            /// By the clock, in Unix time.
            case wall(Int, length: Int)
            case alarm(day: Int, minute: Int, repeats: Weekdays)
        }

        var number: Int
        var name: String
        var due: Due
        var ringsSince: Duration?

        var isAlarm: Bool { if case .alarm = due { true } else { false } }
        var title: String { (isAlarm ? "alarm" : "timer") + (name.isEmpty ? " \(number)" : " \"\(name)\"") }
    }

    private let boot: String
    private var entries: [Entry] = []
    /// Unix time less the time since the start, when they were last remembered.
    private var difference: Int?

    /// - Parameter boot: names this run of the machine: what was saved in it goes on to the second.
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
        case .stop: for entry in entries where entry.ringsSince != nil { finish(entry.number, at: now) }
        case .look: break
        }
        effects += look(at: now)
        if isRinging != rang { effects.append(.ring(isRinging)) }
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
                case .alarm(let day, let minute, let repeats): .alarm(day: day, minute: minute, repeats: repeats)
                }
            return Entry(number: entry.number, name: entry.name, due: due)
        }
    }

    private mutating func set(_ wish: TimerWish, at now: ClockInstant) -> TimerEffect {
        guard entries.count < Self.most else { return .refused(.full) }
        let due: Entry.Due
        do throws(TimerProblem) { due = try Self.due(of: wish, at: now) } catch { return .refused(error) }
        let number = (1...Self.most).first { number in !entries.contains { $0.number == number } } ?? Self.most
        let entry = Entry(number: number, name: wish.name, due: due)
        entries.append(entry)
        return .set(number: number, text: Self.when(entry, at: now))
    }

    private static func due(of wish: TimerWish, at now: ClockInstant) throws(TimerProblem) -> Entry.Due {
        switch wish.when {
        case .after(let seconds):
            guard (1...TimerWish.longest).contains(seconds) else { throw .length }
            return .elapsed(now.uptime + .seconds(seconds), length: seconds)
        case .at(let minute, let day, let repeats):
            guard now.isPlausible else { throw .clock }
            guard (0..<1440).contains(minute) else { throw .unreadable }
            let local = now.local
            let isOver = LocalTime(day: local.day, minute: minute).seconds <= local.seconds
            let today = isOver ? local.day + 1 : local.day
            var first: Int
            switch day {
            case .next: first = today
            case .today:
                if isOver { throw .past }
                first = local.day
            case .tomorrow: first = local.day + 1
            case .weekday(let number): first = (today..<today + 7).first { Weekdays.number(of: $0) == number } ?? today
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
        guard !entries.isEmpty else { return .refused(.none) }
        switch choice {
        case .all:
            defer { entries = [] }
            return .cancelled(entries.count)
        case .obvious:
            let ringing = entries.filter { $0.ringsSince != nil }
            if !ringing.isEmpty {
                for entry in ringing { finish(entry.number, at: now) }
                return .cancelled(ringing.count)
            }
            guard entries.count == 1 else { return .refused(.ambiguous) }
            entries = []
            return .cancelled(1)
        case .named(let name):
            let meant = named(name)
            guard !meant.isEmpty else { return .refused(.unknown(ForeignText.title(name))) }
            // An alarm that rings has been heard; on other days it is still wanted.
            for entry in meant {
                if entry.ringsSince != nil { finish(entry.number, at: now) } else { remove(entry.number) }
            }
            return .cancelled(meant.count)
        }
    }

    /// Those of this number or name; those whose name holds the words, where there is no such name.
    private func named(_ text: String) -> [Entry] {
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

    /// What has rung, or would have: gone, or set for its next day.
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
                .tell(TimerNews(kind: kind, number: entry.number, isAlarm: entry.isAlarm, title: entry.title))
            )
        }
        for entry in entries {
            if let since = entry.ringsSince {
                guard now.uptime - since >= Self.longestRing else { continue }
                tell(.unheard, entry)
                finish(entry.number, at: now)
            } else if let left = Self.left(entry, at: now), left <= .zero {
                if left < .zero - .seconds(Self.latest) {
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

    /// How long until it is due, negative once it is; nil while that cannot be known.
    private static func left(_ entry: Entry, at now: ClockInstant) -> Duration? {
        switch entry.due {
        case .elapsed(let uptime, _): return uptime - now.uptime
        case .wall(let wall, let length):
            guard now.isPlausible else { return nil }
            // A clock that was put back does not make a timer longer than it ever was.
            return .seconds(min(wall - now.wall, length))
        case .alarm(let day, let minute, _):
            guard now.isPlausible else { return nil }
            return .seconds(LocalTime(day: day, minute: minute).seconds - now.local.seconds)
        }
    }

    private func pause(at now: ClockInstant) -> Duration? {
        guard !entries.isEmpty else { return nil }
        if isRinging { return .seconds(1) }
        let soonest = entries.compactMap { Self.left($0, at: now) }.min() ?? Self.longestPause
        return min(max(soonest, .milliseconds(10)), Self.longestPause)
    }

    // MARK: For people and for the file

    /// A line each, by what is due first: `1: timer "tea", 4 minutes left`.
    package func list(at now: ClockInstant) -> [String] {
        entries.map { ($0, Self.left($0, at: now) ?? .seconds(TimerWish.longest)) }.sorted { $0.1 < $1.1 }
            .map { entry, _ in
                let title = (entry.isAlarm ? "alarm" : "timer") + (entry.name.isEmpty ? "" : " \"\(entry.name)\"")
                let when = entry.ringsSince != nil ? "rings now" : Self.when(entry, at: now)
                return "\(entry.number): \(title), \(when)"
            }
    }

    /// "in 10 minutes"; "tomorrow, Tuesday, 07:00, every weekday".
    private static func when(_ entry: Entry, at now: ClockInstant) -> String {
        switch entry.due {
        case .elapsed, .wall:
            guard let left = Self.left(entry, at: now) else { return "when the clock is set" }
            return "in " + length(Int((left + .milliseconds(500)).components.seconds))
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

    /// "1 hour 5 minutes", "90 seconds": the two largest units that are not zero.
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
                            uptime: Int(uptime.components.seconds),
                            length: length
                        )
                    case .wall(let wall, let length): .timer(wall: wall, uptime: 0, length: length)
                    case .alarm(let day, let minute, let repeats): .alarm(day: day, minute: minute, repeats: repeats)
                    }
                return SavedTimers.Entry(number: entry.number, due: due, name: entry.name)
            }
        )
    }
}

extension TimerChoice {
    /// "all", a name, a number; nothing for what is obvious.
    package init(_ text: String) {
        switch text.lowercased() {
        case "": self = .obvious
        case "all": self = .all
        default: self = .named(text)
        }
    }
}
