package import Logging
package import VoiceBase

/// The saved timers and alarms, kept across restarts.
///
///     boot = "0b6c..."        the boot of the machine during which it was written
///     timers = ["1 timer 1795285800 5400 600 tea", "2 alarm 20780 420 31 wake up", ...]
///     more = ["1 reminder", "1 paused 240"]
///
/// Fields of a timer: number; due time in Unix time and in seconds of uptime (0 if only the clock counts); length in
/// seconds. Fields of an alarm: number; day since 1970; minute of that day; weekdays as bits (Monday is 1), all in
/// local time. The rest is the name, which may be empty.
///
/// `more` tells what earlier versions ignore: a timer or an alarm that is a reminder, a timer that is a snoozing alarm, and
/// the seconds that a paused timer has left. To them a paused timer is due in the distant future, so that it keeps its length.
package struct SavedTimers: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package enum Due: Equatable, Sendable {
            case timer(wall: Int, uptime: Int, length: Int)
            case alarm(day: Int, minute: Int, repeats: Weekdays)
            case paused(left: Int, length: Int)
        }

        package var number: Int
        package var due: Due
        package var name: String
        package var kind: TimerKind

        package init(number: Int, due: Due, name: String, kind: TimerKind? = nil) {
            (self.number, self.due, self.name) = (number, due, name)
            if case .alarm = due { self.kind = kind ?? .alarm } else { self.kind = kind ?? .timer }
        }
    }

    package var boot: String
    package var entries: [Entry]

    package init(boot: String = "", entries: [Entry] = []) {
        self.boot = boot
        self.entries = entries
    }

    /// Larger numbers mean a damaged file.
    fileprivate static let range = 0...distantFuture
    /// When a paused timer is due.
    fileprivate static let distantFuture = 100_000_000_000

    /// The part of the file that could not be read, as a clause for people; nil if nothing is lost. Not saved.
    package var loss: String?

    /// Reads the text of the file. Unknown keys are ignored, as a newer version may have written them; of a damaged file,
    /// every entry that can still be read is kept.
    /// - Throws: if none can be read.
    package init(parsing bytes: [UInt8]) throws(Unreadable) {
        let (values, hasBrokenLine) = try Self.values(of: bytes)
        guard case .texts(let texts)? = values["timers"] else {
            throw Unreadable("timers must be at most \(TimerBook.most) strings")
        }
        if case .text(let boot)? = values["boot"] { self.boot = boot } else { boot = "" }
        entries = []
        var unread: [String] = []
        for text in texts {
            guard entries.count < TimerBook.most, let entry = Entry(text),
                !entries.contains(where: { $0.number == entry.number })
            else {
                unread.append(text)
                continue
            }
            entries.append(entry)
        }
        if let first = unread.first {
            guard !entries.isEmpty else { throw Unreadable("\"\(first.prefix(40))\" is not a timer or an alarm") }
            loss = "\(unread.count) of \(texts.count) timers and alarms cannot be read: \"\(ForeignText.title(first))\""
        } else if hasBrokenLine {
            loss = "some lines cannot be read"
        }
        guard case .texts(let more)? = values["more"] else { return }
        for text in more.prefix(2 * TimerBook.most) {
            let fields = text.split(separator: " ")
            guard fields.count > 1, let index = entries.firstIndex(where: { $0.number == Int(fields[0]) }) else {
                continue
            }
            if let kind = TimerKind(rawValue: String(fields[1])), kind != .any { entries[index].kind = kind }
            guard fields[1] == "paused", let left = fields.last.flatMap(Self.number), 1...TimerWish.longest ~= left
            else {
                continue
            }
            switch entries[index].due {
            case .timer(_, _, let length), .paused(_, let length):
                entries[index].due = .paused(left: left, length: length)
            case .alarm: break
            }
        }
    }

    /// The keys of the file, or those that its intact lines hold, and whether a line is broken.
    private static func values(
        of bytes: [UInt8]
    ) throws(Unreadable) -> (values: [String: ConfigurationValue], hasBrokenLine: Bool) {
        do throws(Unreadable) {
            return (try ConfigurationDocument(ofState: bytes).values, false)
        } catch {
            var values: [String: ConfigurationValue] = [:]
            var timers: [String] = []
            for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(2 * TimerBook.most) {
                let entry = line.drop { $0 == 0x20 }
                let isEntry = entry.first == UInt8(ascii: "\"")
                let ends = entry.last == UInt8(ascii: ",") ? entry.dropLast() : entry
                let text: [UInt8] = isEntry ? Array("timers = [".utf8) + Array(ends) + Array("]".utf8) : Array(entry)
                guard let document = try? ConfigurationDocument(ofState: text) else { continue }
                if isEntry, case .texts(let some)? = document.values["timers"] {
                    timers += some
                } else {
                    values.merge(document.values) { _, last in last }
                }
            }
            guard !timers.isEmpty else { throw error }
            values["timers"] = .texts(timers)
            return (values, true)
        }
    }

    package var text: String {
        let lines = entries.map { "    " + ConfigurationValue.text($0.text).toml + ",\n" }
        let more = entries.flatMap(\.more).map { ConfigurationValue.text($0).toml }.joined(separator: ", ")
        return StateStore.header
            + "boot = \(ConfigurationValue.text(boot).toml)\ntimers = [\n\(lines.joined())]\nmore = [\(more)]\n"
    }

    fileprivate static func number(_ text: Substring) -> Int? {
        Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
}

extension SavedTimers {
    /// Saves timers and alarms to disk as soon as they change.
    package static func writer(directory: String, logger: Logger) -> StateWriter {
        StateWriter(store(directory, logger), failing: "timers and alarms will not survive a restart")
    }

    /// Loads the saved timers. Damage is logged, and a damaged file is kept aside.
    package static func load(directory: String, logger: Logger, files: FileReader = .system) -> SavedTimers {
        let store = store(directory, logger, files)
        switch store.load(
            SavedTimers.init(parsing:),
            lost: { _ in "the earlier timers and alarms are lost; set them again" }
        ) {
        case .absent: return SavedTimers()
        case .damaged:
            var saved = SavedTimers()
            saved.loss = "they cannot be read"
            return saved
        case .known(let saved):
            if let loss = saved.loss {
                store.reportDamage(loss) { _ in "part of the earlier timers and alarms is lost; set them again" }
            }
            return saved
        }
    }

    private static func store(_ directory: String, _ logger: Logger, _ files: FileReader = .system) -> StateStore {
        StateStore(directory + "/timers.toml", logger: logger, files: files)
    }
}

extension SavedTimers.Entry {
    fileprivate init?(_ text: String) {
        let fields = text.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false)
        guard fields.count >= 5, let number = SavedTimers.number(fields[0]), (1...TimerBook.most).contains(number),
            let first = SavedTimers.number(fields[2]), let second = SavedTimers.number(fields[3]),
            let third = SavedTimers.number(fields[4])
        else { return nil }
        let due: Due
        switch fields[1] {
        case "timer" where (1...TimerWish.longest).contains(third) && first == SavedTimers.distantFuture:
            // `more` holds the time that is left; without it, the whole length is left.
            due = .paused(left: third, length: third)
        case "timer" where (1...TimerWish.longest).contains(third):
            due = .timer(wall: first, uptime: second, length: third)
        case "alarm" where second < 1440 && third <= Weekdays.daily.rawValue && first < 4_000_000:
            due = .alarm(day: first, minute: second, repeats: Weekdays(rawValue: third))
        default: return nil
        }
        self.init(number: number, due: due, name: fields.count > 5 ? ForeignText.title(fields[5]) : "")
    }

    fileprivate var more: [String] {
        var isAlarm = false
        if case .alarm = due { isAlarm = true }
        let other = kind == (isAlarm ? .alarm : .timer) ? [] : ["\(number) \(kind.rawValue)"]
        if case .paused(let left, _) = due { return other + ["\(number) paused \(left)"] }
        return other
    }

    fileprivate var text: String {
        let times =
            switch due {
            case .paused(_, let length): "timer \(SavedTimers.distantFuture) 0 \(length)"
            case .timer(let wall, let uptime, let length): "timer \(max(0, wall)) \(max(0, uptime)) \(length)"
            case .alarm(let day, let minute, let repeats): "alarm \(max(0, day)) \(minute) \(repeats.rawValue)"
            }
        return "\(number) \(times) \(name)"
    }
}
