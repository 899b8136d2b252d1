internal import VoiceConversation
internal import VoiceHousehold

/// set_timer: a timer or an alarm that rings on this box.
package struct SetTimerTool: OrderedTool {
    package let name = "set_timer"
    package let description = """
        Sets a timer (hours, minutes, seconds from now) or an alarm (at, a time of day on the 24-hour clock, the next time \
        the clock shows it unless a day is named) that rings on this box. Needs no call of ask_jarvis. Say when it rings, in \
        the words of the result.
        """
    package let parameters = """
        {"type":"object","properties":{"hours":{"type":"number"},"minutes":{"type":"number"},"seconds":{"type":"number"},\
        "at":{"type":"string","description":"HH:MM, for an alarm in place of a length."},"day":{"type":"string",\
        "description":"For an alarm: today, tomorrow, a weekday in English, or YYYY-MM-DD."},"repeat":{"type":"array",\
        "items":{"type":"string","enum":["daily","weekdays","weekends","monday","tuesday","wednesday","thursday","friday",\
        "saturday","sunday"]},"description":"For an alarm that comes again."},"name":{"type":"string","description":"What \
        it is for, in the user's words; leave it out when the user named nothing."}},"additionalProperties":false}
        """
    private let context: ToolContext

    package init(_ context: ToolContext) { self.context = context }

    package func call(arguments: String) async -> ToolOutput {
        guard let decoded = ToolArguments.decode(Arguments.self, from: arguments), let wish = decoded.wish else {
            return context.refuse(
                name,
                "its arguments could not be read",
                "I did not get the time. Please say it again."
            )
        }
        guard let timers = context.timers else { return .noTimers }
        do throws(TimerProblem) {
            // A fixed sentence, without the timer's name: it counts as the program's own words.
            let when = try await timers.set(wish).when
            return ToolOutput("It is set and rings \(when).", origin: .own)
        } catch {
            return ToolOutput("Not set: \(error).", succeeded: false, origin: .own)
        }
    }

    private struct Arguments: Decodable {
        let hours: Double?
        let minutes: Double?
        let seconds: Double?
        let at: String?
        let day: String?
        let `repeat`: Repeats?
        let name: String?

        /// Models write one day as a string, several as a list.
        struct Repeats: Decodable {
            let days: [String]

            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                if let text = try? value.decode(String.self) {
                    days = text.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
                } else {
                    days = try value.decode([String].self)
                }
            }
        }

        /// Nil if no time is given, or an invalid one.
        var wish: TimerWish? {
            if let at, !at.isEmpty {
                guard let minute = TimerWish.minute(at) else { return nil }
                var weekdays: Weekdays = []
                for day in `repeat`?.days ?? [] {
                    guard let some = Weekdays(named: day) else { return nil }
                    weekdays.formUnion(some)
                }
                guard let day, !day.isEmpty else {
                    return TimerWish(.at(minute: minute, .next, repeats: weekdays), name: name ?? "")
                }
                guard let day = TimerWish.Day(day) else { return nil }
                return TimerWish(.at(minute: minute, day, repeats: weekdays), name: name ?? "")
            }
            guard hours != nil || minutes != nil || seconds != nil else { return nil }
            let total = 3600 * (hours ?? 0) + 60 * (minutes ?? 0) + (seconds ?? 0)
            guard total.isFinite else { return nil }
            return TimerWish(.after(Int(min(max(total.rounded(), 0), 1e9))), name: name ?? "")
        }
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
        "alarm","any"],"description":"What the user said: a timer, an alarm, or any of both."}},\
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

        private enum Key: String, CodingKey { case which, kind }

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Key.self)
            // Models also write the number of one as a number.
            let which: String
            if let text = try? values.decodeIfPresent(String.self, forKey: .which) {
                which = text
            } else {
                which = try values.decodeIfPresent(Int.self, forKey: .which).map(String.init) ?? ""
            }
            let kind = (try? values.decodeIfPresent(String.self, forKey: .kind)) ?? ""
            choice = TimerChoice(which, of: TimerKind(clamping: kind))
        }
    }
}

extension ToolOutput {
    fileprivate static let noTimers = ToolOutput("This box has no timers.", succeeded: false, origin: .own)
}
