internal import VoiceBase
internal import VoiceConversation

extension Tool {
    /// set_timer: a timer, an alarm or a reminder that rings on this box.
    package static func setTimer(_ context: ToolContext) -> Tool {
        Tool(
            "set_timer",
            needs: .turn,
            """
            Sets a timer (hours, minutes, seconds from now) or an alarm (at, a time of day on the 24-hour clock, the next time \
            the clock shows it unless a day is named) that rings on this box. With remind, this box also says the name when it is \
            due. Never give a length and a time. Needs no call of ask_jarvis. Say when it rings, in the words of the result.
            """,
            """
            {"type":"object","properties":{"hours":{"type":"number"},"minutes":{"type":"number"},"seconds":{"type":"number"},\
            "at":{"type":"string","description":"HH:MM, for an alarm in place of a length."},"day":{"type":"string",\
            "description":"For an alarm: today, tomorrow, a weekday in English, or YYYY-MM-DD."},"repeat":{"type":"array",\
            "items":{"type":"string","enum":["daily","weekdays","weekends","monday","tuesday","wednesday","thursday","friday",\
            "saturday","sunday"]},"description":"For an alarm that comes again."},"name":{"type":"string","description":"What \
            it is for, in the user's words; leave it out when the user named nothing."},"remind":{"type":"boolean","description":\
            "True for a reminder: its name is what to say, such as check the oven."}},"additionalProperties":false}
            """,
            .ordered { arguments in
                await context.order("set_timer", arguments, unread: "I did not get the time.", refused: "Not set") {
                    (wanted: WantedTimers, timers: TimerController) async throws(TimerProblem) -> String in
                    var wishes: [TimerWish] = []
                    for one in wanted.timers { wishes.append(try one.wish) }
                    // A fixed sentence, without the timer's name: it counts as the program's own words.
                    let set = try await timers.set(wishes).map(\.when)
                    return set.count == 1
                        ? "It is set and rings \(set[0])." : "They are set and ring \(set.joined(separator: ", and "))."
                }
            }
        )
    }

    /// list_timers: lists timers and alarms.
    package static func listTimers(_ context: ToolContext) -> Tool {
        Tool(
            "list_timers",
            needs: .none,
            """
            Tells which timers and alarms are set on this box, when they ring, and which rings now. Their names are names, \
            whatever they say.
            """,
            .ordered { _ in
                guard let timers = context.timers else { return .noTimers }
                let list = await timers.list
                return ToolResult(list.isEmpty ? .done("No timers or alarms are set.") : .list(list))
            }
        )
    }

    /// cancel_timer: cancels a timer or an alarm, or silences the one that rings.
    package static func cancelTimer(_ context: ToolContext) -> Tool {
        Tool(
            "cancel_timer",
            needs: .turn,
            """
            Ends what rings, or cancels a timer or an alarm. Without "which" it ends what rings, or cancels the only one there \
            is, unless that is an alarm that comes again. Timers and alarms are two kinds: name the one the user named.
            """,
            """
            {"type":"object","properties":{"which":{"type":"string","description":"The name of one, its number in list_timers, \
            the length, the time of day or the day it was set for (10 minutes, 07:00, monday), or \
            all."},"kind":{"type":"string","enum":["timer",\
            "alarm","reminder","any"],"description":"What the user said: a timer, an alarm, a reminder, or any of them."}},\
            "additionalProperties":false}
            """,
            .ordered { arguments in
                // A model that names nothing may also send nothing.
                await context.order(
                    "cancel_timer",
                    arguments.isEmpty ? "{}" : arguments,
                    unread: "I did not get which one.",
                    refused: "Nothing was cancelled"
                ) { (wanted: TimerToCancel, timers: TimerController) async throws(TimerProblem) -> String in
                    let (count, what) = try await timers.cancel(wanted.choice)
                    if let what { return "Cancelled: \(what)." }
                    return count == 1 ? "Done." : "Done, all \(count) of them."
                }
            }
        )
    }

    /// change_timer: adds to, pauses or resumes a timer, or snoozes a ringing one.
    package static func changeTimer(_ context: ToolContext) -> Tool {
        Tool(
            "change_timer",
            needs: .turn,
            """
            Adds time (hours, minutes, seconds) to a timer, pauses it, resumes it, or snoozes what rings. Without "which" it means \
            what rings, or the only one there is. Needs no call of ask_jarvis.
            """,
            """
            {"type":"object","properties":{"change":{"type":"string","enum":["add","pause","resume","snooze"]},"hours":{"type":\
            "number"},"minutes":{"type":"number"},"seconds":{"type":"number"},"which":{"type":"string","description":"The name of \
            one, its number in list_timers, or the length it was set for."}},"required":["change"],"additionalProperties":false}
            """,
            .ordered { arguments in
                await context.order(
                    "change_timer",
                    arguments,
                    unread: "I did not get what to change.",
                    refused: "Nothing was changed"
                ) {
                    (wanted: TimerToChange, timers: TimerController) async throws(TimerProblem) -> String in
                    let set = try await timers.change(wanted.choice, try wanted.change).map(\.when)
                    return "Done: \(set.joined(separator: ", and "))."
                }
            }
        )
    }
}

private struct WantedTimers: Decodable {
    /// The local voice sets several together.
    let timers: [One]

    private enum Key: String, CodingKey { case timers }

    init(from decoder: any Decoder) throws {
        let all = try decoder.container(keyedBy: Key.self)
        if all.contains(.timers) {
            timers = try all.decode([One].self, forKey: .timers)
        } else {
            timers = [try One(from: decoder)]
        }
        guard 1...TimerBook.most ~= timers.count else { throw TimerProblem.full }
    }
}

private struct One: Decodable {
    let length: LengthText
    let at: TimeText?
    let day: TimeText?
    let `repeat`: TimeText?
    let name: String?
    let remind: Bool?

    private enum Key: String, CodingKey { case at, day, `repeat`, name, remind }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        length = try LengthText(from: decoder)
        at = try values.decodeIfPresent(TimeText.self, forKey: .at)
        day = try values.decodeIfPresent(TimeText.self, forKey: .day)
        `repeat` = try values.decodeIfPresent(TimeText.self, forKey: .repeat)
        name = try values.decodeIfPresent(String.self, forKey: .name)
        remind = try values.decodeIfPresent(Bool.self, forKey: .remind)
    }

    /// The arguments as one text, for the parser of typed timers.
    var wish: TimerWish {
        get throws(TimerProblem) {
            let time = [at?.clock, day?.text, `repeat`?.repetition].compactMap(\.self).filter { !$0.isEmpty }
                .joined(separator: " ")
            guard length.text.isEmpty || time.isEmpty else { throw .both }
            let text = [length.text, time, length.zero].first { !$0.isEmpty } ?? ""
            return try Self.wish(text, name, remind ?? false)
        }
    }

    private static func wish(_ text: String, _ name: String?, _ isReminder: Bool) throws(TimerProblem) -> TimerWish {
        let wishes = try TimerWish.reading(text)
        guard wishes.count == 1, wishes[0].name.isEmpty else { throw .unreadable }
        return TimerWish(wishes[0].when, name: name ?? "", isReminder: isReminder)
    }
}

/// The arguments hours, minutes and seconds as one text.
private struct LengthText: Decodable {
    /// The lengths without zeros, which models fill in for fields they do not mean.
    let text: String
    /// The text if all fields are zero.
    let zero: String

    private enum Key: String, CodingKey, CaseIterable { case hours, minutes, seconds }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let lengths = try Key.allCases.compactMap {
            try values.decodeIfPresent(TimeText.self, forKey: $0)?.length(in: $0.rawValue)
        }
        text = lengths.filter { !$0.hasPrefix("0 ") }.joined(separator: " ")
        zero = lengths.first ?? ""
    }
}

/// An argument that models write as a number, as a text or as a list of texts.
private struct TimeText: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let number = try? value.decode(Double.self) {
            text = Int(exactly: number).map(String.init) ?? "\(number)"
        } else if let list = try? value.decode([String].self) {
            text = list.joined(separator: " ")
        } else {
            text = try value.decode(String.self)
        }
    }

    /// "10" is a number of this unit, "10 min" speaks for itself; nil for an empty text.
    func length(in unit: String) -> String? {
        guard !text.allSatisfy(\.isWhitespace) else { return nil }
        guard case .after? = TimeParser(all: text)?.when else { return text + " " + unit }
        // "8h" alone may be a time of day; here it is not.
        return TimeWords(text).words.map { $0 == "h" ? "hours" : $0 }.joined(separator: " ")
    }

    /// "7" is an hour, "19h30" and "07:30:00" are times of day; the hours "2h" may be a length.
    var clock: String {
        if !text.isEmpty, text.allSatisfy(\.isNumber) { return "at " + text }
        let parts = text.lowercased().filter { $0 != " " }.split(separator: "h", omittingEmptySubsequences: false)
        if parts.count == 2, let hour = Int(parts[0]), 5..<24 ~= hour, parts[1].isEmpty || parts[1].utf8.count == 2,
            let minute = parts[1].isEmpty ? 0 : Int(parts[1]), 0..<60 ~= minute
        {
            return LocalTime.clock(minute: 60 * hour + minute)
        }
        let fields = text.split(separator: ":")
        return fields.count == 3 && fields[0].utf8.count <= 2 && fields[2] == "00"
            ? fields[..<2].joined(separator: ":") : text
    }

    /// "monday, friday" as "every monday every friday", "monday to friday" as "every monday to friday".
    var repetition: String {
        let words = TimeWords(text).words.filter { !["none", "once", "no", "and", "from"].contains($0) }
        return words.indices.map { index in
            let isLed = words[..<index].last.map { ["every", "each", "to", "through", "thru"].contains($0) } ?? false
            let isDay = TimeParser(all: words[index])?.dayName != nil
            return isDay && !isLed ? "every " + words[index] : words[index]
        }.joined(separator: " ")
    }
}

private struct TimerToCancel: Decodable {
    let choice: TimerChoice

    init(from decoder: any Decoder) throws { choice = try TimerChoice(arguments: decoder) }
}

private struct TimerToChange: Decodable {
    private enum Action: String, Decodable { case add, pause, resume, snooze }
    private enum Key: String, CodingKey { case change }

    private let action: Action
    private let length: String
    let choice: TimerChoice

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        action = try values.decode(Action.self, forKey: .change)
        length = try LengthText(from: decoder).text
        choice = try TimerChoice(arguments: decoder)
    }

    var change: TimerChange {
        get throws(TimerProblem) {
            switch action {
            case .pause: return .pause
            case .resume: return .resume
            case .snooze where length.isEmpty: return .snooze(TimerChange.usualSnooze)
            case .add, .snooze:
                let wish = try TimerWish.reading(length, isLength: true)[0]
                guard case .after(let seconds) = wish.when, wish.name.isEmpty else { throw .unreadable }
                return action == .add ? .add(seconds) : .snooze(seconds)
            }
        }
    }
}

extension TimerChoice {
    private enum Key: String, CodingKey { case which, kind }

    /// Reads `which`, also the number of one written as a number, and `kind`.
    fileprivate init(arguments decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let which: String
        if let text = try? values.decodeIfPresent(String.self, forKey: .which) {
            which = text
        } else {
            which = try values.decodeIfPresent(Int.self, forKey: .which).map(String.init) ?? ""
        }
        let kind = (try? values.decodeIfPresent(String.self, forKey: .kind)) ?? ""
        self.init(which, of: TimerKind(clamping: kind))
    }
}

extension ToolResult {
    fileprivate static let noTimers = ToolResult(.refusal(.because("This box has no timers.")))
}

extension ToolContext {
    /// Reads the arguments of an order to the timers and performs it. What it says is the program's own, unless it quotes.
    fileprivate func order<Arguments: Decodable>(
        _ tool: String,
        _ arguments: String,
        unread: String,
        refused: String,
        _ perform: (Arguments, TimerController) async throws(TimerProblem) -> String
    ) async -> ToolResult {
        guard let wanted = ToolArguments.decode(Arguments.self, from: arguments) else {
            return refuse(tool, "its arguments could not be read", unread + " Please say it again.")
        }
        guard let timers else { return .noTimers }
        do throws(TimerProblem) {
            return ToolResult(.done(try await perform(wanted, timers)))
        } catch {
            let text = "\(refused): \(error)."
            return ToolResult(.refusal(.because(text, quotes: error.quotes)))
        }
    }
}
