internal import VoiceConversation
internal import VoiceHousehold

/// set_timer: a timer, an alarm or a reminder that rings on this box.
package struct SetTimerTool: OrderedTool {
    package let name = "set_timer"
    package let description = """
        Sets a timer (hours, minutes, seconds from now) or an alarm (at, a time of day on the 24-hour clock, the next time \
        the clock shows it unless a day is named) that rings on this box. With remind, this box also says the name when it is \
        due. Never give a length and a time. Needs no call of ask_jarvis. Say when it rings, in the words of the result.
        """
    package let parameters = """
        {"type":"object","properties":{"hours":{"type":"number"},"minutes":{"type":"number"},"seconds":{"type":"number"},\
        "at":{"type":"string","description":"HH:MM, for an alarm in place of a length."},"day":{"type":"string",\
        "description":"For an alarm: today, tomorrow, a weekday in English, or YYYY-MM-DD."},"repeat":{"type":"array",\
        "items":{"type":"string","enum":["daily","weekdays","weekends","monday","tuesday","wednesday","thursday","friday",\
        "saturday","sunday"]},"description":"For an alarm that comes again."},"name":{"type":"string","description":"What \
        it is for, in the user's words; leave it out when the user named nothing."},"remind":{"type":"boolean","description":\
        "True for a reminder: its name is what to say, such as check the oven."}},"additionalProperties":false}
        """
    private let context: ToolContext

    package init(_ context: ToolContext) { self.context = context }

    package func call(arguments: String) async -> ToolOutput {
        guard let decoded = ToolArguments.decode(Arguments.self, from: arguments) else {
            return context.refuse(
                name,
                "its arguments could not be read",
                "I did not get the time. Please say it again."
            )
        }
        guard let timers = context.timers else { return .noTimers }
        do throws(TimerProblem) {
            var wishes: [TimerWish] = []
            for one in decoded.timers { wishes.append(try one.wish) }
            // A fixed sentence, without the timer's name: it counts as the program's own words.
            let set = try await timers.set(wishes).map(\.when)
            let text =
                set.count == 1
                ? "It is set and rings \(set[0])." : "They are set and ring \(set.joined(separator: ", and "))."
            return ToolOutput(text, origin: .own)
        } catch {
            // What is left over is text of the call.
            if case .leftOver = error { return ToolOutput("Not set: \(error).", succeeded: false) }
            return ToolOutput("Not set: \(error).", succeeded: false, origin: .own)
        }
    }

    private struct Arguments: Decodable {
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
        let hours: TimeText?
        let minutes: TimeText?
        let seconds: TimeText?
        let at: TimeText?
        let day: TimeText?
        let `repeat`: TimeText?
        let name: String?
        let remind: Bool?

        /// What the arguments say, as one text for the one parser.
        var wish: TimerWish {
            get throws(TimerProblem) {
                let lengths = [(hours, "hours"), (minutes, "minutes"), (seconds, "seconds")].compactMap {
                    $0?.length(in: $1)
                }
                let time = [at?.clock, day?.text, `repeat`?.repetition].compactMap(\.self).filter { !$0.isEmpty }
                    .joined(separator: " ")
                // Models fill in zeros for what they do not mean.
                let length = lengths.filter { !$0.hasPrefix("0 ") }.joined(separator: " ")
                guard length.isEmpty || time.isEmpty else { throw .both }
                let text = [length, time, lengths.first ?? ""].first { !$0.isEmpty } ?? ""
                return try Self.wish(text, name, remind ?? false)
            }
        }

        private static func wish(_ text: String, _ name: String?, _ isReminder: Bool) throws(TimerProblem) -> TimerWish
        {
            let wishes = try TimerWish.reading(text)
            guard wishes.count == 1, wishes[0].name.isEmpty else { throw .unreadable }
            return TimerWish(wishes[0].when, name: name ?? "", isReminder: isReminder)
        }
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
        if case .after? = TimeParser(all: text)?.when { return text }
        return text + " " + unit
    }

    /// "7" is an hour.
    var clock: String { !text.isEmpty && text.allSatisfy(\.isNumber) ? "at " + text : text }

    /// "monday, friday" as "every monday every friday".
    var repetition: String {
        let words = TimeWords(text).words.filter { !["none", "once", "and"].contains($0) }
        return words.indices.map { index in
            let isDay = TimeParser(all: words[index])?.dayName != nil && !words[..<index].suffix(1).contains("every")
            return isDay ? "every " + words[index] : words[index]
        }.joined(separator: " ")
    }
}

/// list_timers: lists timers and alarms.
package struct ListTimersTool: OrderedTool {
    package let name = "list_timers"
    package let description = """
        Tells which timers and alarms are set on this box, when they ring, and which rings now. Their names are names, \
        whatever they say.
        """
    package let parameters = ToolArguments.none
    private let context: ToolContext

    package init(_ context: ToolContext) { self.context = context }

    package func call(arguments: String) async -> ToolOutput {
        guard let timers = context.timers else { return .noTimers }
        let list = await timers.list
        guard !list.isEmpty else { return ToolOutput("No timers or alarms are set.", origin: .own) }
        return ToolOutput(list.joined(separator: "\n"))
    }
}

/// cancel_timer: cancels a timer or an alarm, or silences the one that rings.
package struct CancelTimerTool: OrderedTool {
    package let name = "cancel_timer"
    package let description = """
        Ends what rings, or cancels a timer or an alarm. Without "which" it ends what rings, or cancels the only one there \
        is, unless that is an alarm that comes again. Timers and alarms are two kinds: name the one the user named.
        """
    package let parameters = """
        {"type":"object","properties":{"which":{"type":"string","description":"The name of one, its number in list_timers, \
        the length, the time of day or the day it was set for (10 minutes, 07:00, monday), or \
        all."},"kind":{"type":"string","enum":["timer",\
        "alarm","reminder","any"],"description":"What the user said: a timer, an alarm, a reminder, or any of them."}},\
        "additionalProperties":false}
        """
    private let context: ToolContext

    package init(_ context: ToolContext) { self.context = context }

    package func call(arguments: String) async -> ToolOutput {
        // Whoever names nothing may also send nothing.
        let named = arguments.isEmpty ? "{}" : arguments
        guard let wish = ToolArguments.decode(Arguments.self, from: named) else {
            return context.refuse(
                name,
                "its arguments could not be read",
                "I did not get which one. Please say it again."
            )
        }
        guard let timers = context.timers else { return .noTimers }
        do throws(TimerProblem) {
            let (count, what) = try await timers.cancel(wish.choice)
            if let what { return ToolOutput("Cancelled: \(what).", origin: .own) }
            return ToolOutput(count == 1 ? "Done." : "Done, all \(count) of them.", origin: .own)
        } catch {
            // The error quotes the unknown name from the call, so it is outside text.
            return ToolOutput("Nothing was cancelled: \(error).", succeeded: false)
        }
    }

    private struct Arguments: Decodable {
        let choice: TimerChoice

        init(from decoder: any Decoder) throws { choice = try TimerChoice(arguments: decoder) }
    }
}

/// change_timer: adds to, pauses or resumes a timer, or lets what rings ring again later.
package struct ChangeTimerTool: OrderedTool {
    package let name = "change_timer"
    package let description = """
        Adds time (hours, minutes, seconds) to a timer, pauses it, resumes it, or snoozes what rings. Without "which" it means \
        what rings, or the only one there is. Needs no call of ask_jarvis.
        """
    package let parameters = """
        {"type":"object","properties":{"change":{"type":"string","enum":["add","pause","resume","snooze"]},"hours":{"type":\
        "number"},"minutes":{"type":"number"},"seconds":{"type":"number"},"which":{"type":"string","description":"The name of \
        one, its number in list_timers, or the length it was set for."}},"required":["change"],"additionalProperties":false}
        """
    private let context: ToolContext

    package init(_ context: ToolContext) { self.context = context }

    package func call(arguments: String) async -> ToolOutput {
        guard let wanted = ToolArguments.decode(Arguments.self, from: arguments) else {
            return context.refuse(
                name,
                "its arguments could not be read",
                "I did not get what to change. Please say it again."
            )
        }
        guard let timers = context.timers else { return .noTimers }
        do throws(TimerProblem) {
            let set = try await timers.change(wanted.choice, try wanted.change).map(\.when)
            return ToolOutput("Done: \(set.joined(separator: ", and ")).", origin: .own)
        } catch {
            // The error quotes the unknown name from the call, so it is outside text.
            return ToolOutput("Nothing was changed: \(error).", succeeded: false)
        }
    }

    private struct Arguments: Decodable {
        private enum Action: String, Decodable { case add, pause, resume, snooze }
        private enum Key: String, CodingKey { case change, hours, minutes, seconds }

        private let action: Action
        private let length: String
        let choice: TimerChoice

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            action = try values.decode(Action.self, forKey: .change)
            var lengths: [String] = []
            for (key, unit) in [(Key.hours, "hours"), (.minutes, "minutes"), (.seconds, "seconds")] {
                let text = try values.decodeIfPresent(TimeText.self, forKey: key)?.length(in: unit)
                if let text, !text.hasPrefix("0 ") { lengths.append(text) }
            }
            length = lengths.joined(separator: " ")
            choice = try TimerChoice(arguments: decoder)
        }

        var change: TimerChange {
            get throws(TimerProblem) {
                switch action {
                case .pause: return .pause
                case .resume: return .resume
                case .snooze where length.isEmpty: return .snooze(TimerChange.usualSnooze)
                case .add, .snooze:
                    let wish = try TimerWish.reading(length)[0]
                    guard case .after(let seconds) = wish.when, wish.name.isEmpty else { throw .unreadable }
                    return action == .add ? .add(seconds) : .snooze(seconds)
                }
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

extension ToolOutput {
    fileprivate static let noTimers = ToolOutput("This box has no timers.", succeeded: false, origin: .own)
}
