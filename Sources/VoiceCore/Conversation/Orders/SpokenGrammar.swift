internal import VoiceBase

/// A command the local voice carries out alone, without agent, network or model.
package enum SpokenCommand: Equatable, Sendable {
    case stop
    case pause
    case resume
    case next
    case previous
    /// By this many percent.
    case changeVolume(by: Int)
    case volume(to: Int)
    case time
    case date
    /// Timers, alarms and reminders.
    case set([TimerWish])
    case listTimers
    case cancelTimer(TimerChoice)
    case changeTimer(TimerChoice, TimerChange)
    /// Repeat the last answer; continue it.
    case again
    case more
    case mute
    case help
}

/// The local grammar, in English. Matches only whole utterances, so that no part of a question to the agent is taken
/// for a command.
package enum SpokenGrammar {
    /// Removes a leading call: "Hey Jarvis, what is on?" becomes "what is on?".
    package static func withoutCall(_ text: String) -> String {
        var left = text[...]
        func skip(_ word: String) -> Bool {
            let start = left.drop { !$0.isLetter && !$0.isNumber }
            guard start.lowercased().hasPrefix(word) else { return false }
            let rest = start.dropFirst(word.count)
            guard !(rest.first.map { $0.isLetter || $0.isNumber || $0 == "'" } ?? false) else { return false }
            left = rest
            return true
        }
        let whole = left
        for greeting in ["hey", "hi", "hello", "okay", "ok"] where skip(greeting) { break }
        guard skip("jarvis") else { return String(whole) }
        return String(left.drop { !$0.isLetter && !$0.isNumber })
    }

    /// Returns nil if the text is for the agent.
    /// - Parameter text: the recognised text of a whole turn.
    package static func command(in text: String) -> SpokenCommand? {
        // No command is longer, and the length of a recogniser's output is not trusted.
        guard text.utf8.count <= 200 else { return nil }
        let words = words(of: text)
        return command(in: trimmed(words.words), words)
    }

    private static func command(in words: ArraySlice<String>, _ all: TimeWords) -> SpokenCommand? {
        guard !words.isEmpty else { return nil }
        for rule in rules {
            if let found = rule.form.match(words), let command = rule.command(found, all) { return command }
        }
        // "... and another for twenty"
        for index in words.indices.dropFirst() where words[index] == "and" {
            guard case .set(let first)? = command(in: words[..<index], all) else { continue }
            let rest = words[(index + 1)...]
            if case .set(let more)? = command(in: rest, all) { return .set(first + more) }
            if let more = another(rest, like: words[..<index]) { return .set(first + [more]) }
        }
        return nil
    }

    /// Reads "another for twenty" behind the words of a timer, whose unit it may leave out.
    private static func another(_ words: ArraySlice<String>, like first: ArraySlice<String>) -> TimerWish? {
        for form in first.contains("timers") ? others + [SpokenForm("LENGTH")] : others {
            guard let found = form.match(words) else { continue }
            guard let number = found.number else { return wish(found) }
            let unit = first.last { TimeParser.unit($0) != nil }.flatMap(TimeParser.unit) ?? 0
            let seconds = number * unit
            return 1...TimerWish.longest ~= seconds
                ? TimerWish(.after(seconds), name: found.name.joined(separator: " ")) : nil
        }
        return nil
    }

    private static func trimmed(_ words: [String]) -> ArraySlice<String> {
        var words = words[...]
        while let opening = openings.first(where: { words.starts(with: $0) }) { words = words.dropFirst(opening.count) }
        while let closing = closings.first(where: { words.suffix($0.count).elementsEqual($0) }) {
            words = words.dropLast(closing.count)
        }
        return words
    }

    /// The half of the day that a reply to "in the morning or in the evening?" gives to these times; nil if it gives none.
    static func settle(_ wishes: [TimerWish], by reply: String) -> [TimerWish]? {
        let words = trimmed(words(of: reply).words).filter {
            !["the", "in", "at", "it", "is", "one", "that"].contains($0)
        }
        .joined(separator: " ")
        var settled = wishes
        for (index, wish) in wishes.enumerated() where wish.when.isEither {
            guard case .at(let minute, _, let repeats, _) = wish.when else { continue }
            // Reads the time together with its day: twelve in the evening of tomorrow is neither 00:00 nor 12:00 of tomorrow.
            let place = wish.when.text.dropFirst(5) + " "
            let whole = [place + words, spoken(minute) + place + words].lazy
                .compactMap { TimeParser(all: $0, isTyped: false)?.when }.first { !$0.isEither }
            guard case .at(let sure, let said, _, false)? = whole, sure % 720 == minute % 720 else { return nil }
            settled[index].when = .at(minute: sure, said, repeats: repeats)
        }
        return settled
    }

    /// "6:45"
    static func spoken(_ minute: Int) -> String {
        let hour = minute / 60 % 12
        return "\(hour == 0 ? 12 : hour):" + LocalTime.clock(minute: minute).suffix(2)
    }

    // MARK: Words

    /// Spellings of recognisers, unified.
    private static func words(of text: String) -> TimeWords {
        var words = TimeWords(text.replacing(" o clock", with: " o'clock").replacing("per cent", with: "percent"))
        words.replace { fillers.contains($0) ? [] : contractions[$0] ?? [$0] }
        return words
    }

    /// Words that change nothing, wherever they stand.
    private static let fillers: Set<String> = ["please", "jarvis", "um", "uh", "er"]

    private static let contractions: [String: [String]] = [
        "what's": ["what", "is"], "when's": ["when", "is"], "how's": ["how", "is"], "it's": ["it", "is"],
        "that's": ["that", "is"], "you're": ["you", "are"], "i'd": ["i", "would"], "don't": ["do", "not"],
        "didn't": ["did", "not"], "can't": ["can", "not"],
    ]

    private static func phrases(_ list: String) -> [[String]] {
        list.split(separator: ", ").map { $0.split(separator: " ").map(String.init) }
    }

    private static let openings = phrases(
        """
        hey, hi, okay, ok, now, can you, could you, would you, you can, just, so, well, oh, sorry, right, alright, \
        all right, i said, i want you to, i would like you to
        """
    )
    private static let closings = phrases(
        """
        right now, now, thanks, thank you, for me, okay, ok, would you, will you, could you, can you, at once
        """
    )

    // MARK: Rules

    private struct Rule: Sendable {
        var form: SpokenForm
        var command: @Sendable (SpokenForm.Found, TimeWords) -> SpokenCommand?
    }

    /// The first one that fits counts.
    private static let rules: [Rule] = {
        var rules: [Rule] = []
        func say(_ forms: [String], _ command: @escaping @Sendable (SpokenForm.Found) -> SpokenCommand?) {
            rules += forms.map { Rule(form: SpokenForm($0)) { found, _ in command(found) } }
        }
        for (command, forms) in plain {
            say(forms) { found in command == .listTimers && !foreign.isDisjoint(with: found.name) ? nil : command }
        }
        say(volumeBy) { found in found.number.flatMap { (1...100).contains($0) ? .changeVolume(by: $0) : nil } }
        say(volumeDownBy) { found in found.number.flatMap { (1...100).contains($0) ? .changeVolume(by: -$0) : nil } }
        say(volumeTo) { found in found.number.flatMap { $0 <= 100 ? .volume(to: $0) : nil } }
        // Before the timers: "cancel the timer for ten minutes" is not the name of one.
        say(cancelAll) { _ in .cancelTimer(.all) }
        for (kind, one, many) in kinds {
            say(["\(end) \(all) (\(one)|\(many))", "\(remove) \(the) \(many)"]) { _ in
                .cancelTimer(TimerChoice(.all, of: kind))
            }
            say(cancelOne(one, many)) { cancel($0, kind) }
        }
        rules.append(
            Rule(form: SpokenForm("\(end) \(the) reminder (to|about|for|of|that) WORDS")) { found, all in
                .cancelTimer(TimerChoice(.named(all.words[found.words].joined(separator: " ")), of: .reminder))
            }
        )
        say(add) { found in change(found, .timer) { .add($0) } }
        say(pause) { found in choice(found, .timer).map { .changeTimer($0, .pause) } }
        say(resume) { found in choice(found, .timer).map { .changeTimer($0, .resume) } }
        say(snooze) { found in
            if found.time == TimeParser() { return .changeTimer(.obvious, .snooze(TimerChange.usualSnooze)) }
            return change(found, .any) { .snooze($0) }
        }
        say(moreTime) { found in found.time.isMore ? change(found, .any) { .snooze($0) } : nil }
        say(moreOn) { found in found.time.isMore ? change(found, .timer) { .add($0) } : nil }
        say(timer) { found in wish(found).map { .set([$0]) } }
        say(alarm) { found in wish(found).map { .set([$0]) } }
        say(wake) { found in wish(found, wakes: true).map { .set([$0]) } }
        say(both) { found in
            guard let number = found.number, let second = wish(found), let unit = found.time.unit else { return nil }
            let seconds = number * unit
            return 1...TimerWish.longest ~= seconds ? .set([TimerWish(.after(seconds)), second]) : nil
        }
        rules += remind.map {
            Rule(form: SpokenForm($0)) { found, all in
                guard var wish = wish(found) else { return nil }
                var words = all.source(of: found.words)
                while let last = words.last, ".,;:!?".contains(last) { words.removeLast() }
                wish = TimerWish(wish.when, name: String(words), isReminder: true)
                return .set([wish])
            }
        }
        return rules
    }()

    // MARK: Playing, talking, asking

    private static let music = """
        [the|this|that|my] (music|radio|song|track|podcast|audiobook|book|playlist|album|station|stream|playback)
        """
    private static let piece = "(song|track|station|episode)"
    /// Only with words of music: "the next one" may be an appointment.
    private static let one = "(one|\(piece))"
    private static let sound = "(it|this|that|yourself|the volume|the sound|volume|\(music))"
    private static let bit = "[a] [little|little bit|bit|lot|notch|bit more|little more|some more|more|much|even]"
    private static let clause = "[it is|that is|this is|you are]"
    private static let entries = """
        (timers|alarms|reminders|timer|alarm|reminder|timers and alarms|alarms and timers|timers or alarms)
        """
    private static let which = "[the|my|this|that] [next] [NAME|LENGTH]"

    private static let plain: [(SpokenCommand, [String])] = [
        (
            .stop,
            [
                "[no|wait] stop [stop] [stop]", "[no|wait] stop (it|that|this|talking|speaking|reading)",
                "stop [the] (ringing|beeping|noise)", "[be|keep] quiet", "[that is] enough", "forget it",
                "(silence|hush|shush|shut up|never mind|nevermind)",
            ]
        ),
        (
            // "Resume" continues.
            .pause,
            [
                "pause [it|that|this|playing|\(music)]", "stop (\(music)|playing [it|that|this|\(music)])",
                "(turn|switch|shut) off \(music)", "(turn|switch|shut) \(music) off", "(music|radio) off",
            ]
        ),
        (
            .resume,
            [
                "(resume|unpause) [it|that|playing|\(music)]", "continue \(music)", "play [on]",
                "(go on|keep|keep on|continue|carry on|start) playing [again|it|that|\(music)]",
                "(turn|switch) \(music) back on",
            ]
        ),
        (
            .next,
            [
                "(next|skip) [\(one)]", "skip (it|this|that)", "skip (this|that|the|to the next) \(one)",
                "play the next \(one)", "go to the next \(piece)",
            ]
        ),
        (
            .previous,
            [
                "previous [\(one)]", "play the previous \(one)", "(go|go back) to the previous \(piece)",
                "go back (one|a) [\(piece)]",
            ]
        ),
        (
            .changeVolume(by: 10),
            [
                "\(bit) louder", "(make|play) \(sound) \(bit) louder", "(speak|talk) (up|\(bit) louder) \(bit)",
                "louder \(bit)", "volume up \(bit)", "turn \(sound) \(bit) up \(bit)",
                "turn up (the volume|the sound|volume|\(music)) \(bit)", "(increase|raise) the volume \(bit)",
                "\(clause) (too quiet|not loud enough)",
            ]
        ),
        (
            .changeVolume(by: -10),
            [
                "\(bit) (quieter|softer)", "(make|play) \(sound) \(bit) (quieter|softer)", "(quieter|softer) \(bit)",
                "(speak|talk) \(bit) (quieter|softer|more quietly)", "volume down \(bit)",
                "turn \(sound) \(bit) down \(bit)", "turn down (the volume|the sound|volume|\(music)) \(bit)",
                "(decrease|lower|reduce) the volume \(bit)",
                "\(clause) (too loud|not so loud|much too loud)",
            ]
        ),
        (.volume(to: 100), ["(full|maximum|max) volume", "[set|turn|put] [the] volume to [the] (full|maximum|max)"]),
        (
            .time,
            [
                "time", "what time is it", "what is the [current] time",
                "(tell me|do you have|have you got|give me) the time",
                "(tell me|do you know) what (time it is|the time is)", "what time do we have",
            ]
        ),
        (
            .date,
            [
                "(what|which) (day|date) is (it|today) [today]", "what (day of the week|month|year) is (it|today)",
                "what is (the date|the day|today's date|today) [today]", "[today's] date",
                "(tell me|give me) (the|today's) date", "(tell me|do you know) what (day|date) it is [today]",
            ]
        ),
        (
            .listTimers,
            [
                "(what|which) \(entries) (are|have i|is) (set|running|on|active)",
                "(what|which) \(entries) (do i have|are there) [set]",
                "what are (my|the) \(entries)",
                "(list|show|show me|read|tell me|check) [all] [the|my|me my] \(entries)",
                "(are there|do i have|have i got|have i set) any \(entries) [set|running|on]",
                "(is there|do i have|have i got|have i set) (a|an) (timer|alarm|reminder) [set|running|for LENGTH|for WHEN]",
                "how (long|much time) is left",
                "how (long|much time|much longer|much) [is|have i got|do i have] [left] (on|of|for|in) \(which) timer",
                "how (long|much time) is left on \(which) timers",
                "how long (does|has) \(which) timer (have|got|left) [left]",
                "how much longer does \(which) timer (have|take|run)",
                "what is left (on|of) \(which) timer", "how is \(which) timer doing",
                "when (does|will|is) \(which) (timer|alarm) (go off|ring|end|finish|done|due|over|up|set for)",
                "when is \(which) (timer|alarm)", "what time is \(which) alarm [set for]",
                "what time (does|will) \(which) (alarm|timer) (go off|ring)",
                "is \(which) (timer|alarm) [still] (on|set|running)",
            ]
        ),
        (
            .again,
            [
                "again", "repeat [it|that|yourself|your answer|the answer|the last answer|what you said|that again]",
                "say [it|that] again", "say (it|that) (once more|one more time)", "what did you [just] say",
                "what was that",
                "pardon [me]", "come again", "(once more|one more time)",
                "i did not (get|hear|catch|understand) (that|it|you)",
            ]
        ),
        (
            .more,
            [
                "more", "go on [reading|talking|with it]", "continue [reading|talking]", "carry on [reading|talking]",
                "keep (going|reading|talking)", "(tell|read) [me] (more|the rest)", "read on", "the rest",
            ]
        ),
        (
            .mute,
            [
                "mute [yourself|the microphone|the mic|your microphone]", "stop listening",
                "(turn|switch) off (the|your) (microphone|mic)", "(turn|switch) (the|your) (microphone|mic) off",
            ]
        ),
        (.help, ["help", "what can (you do|i say|i ask [you])", "what are you able to do"]),
    ]

    // MARK: Volume by numbers

    private static let volumeBy = [
        "[turn] [the] volume up [by] NUMBER [percent]", "turn up the volume [by] NUMBER [percent]",
        "(increase|raise) the volume by NUMBER [percent]",
    ]
    private static let volumeDownBy = [
        "[turn] [the] volume down [by] NUMBER [percent]", "turn down the volume [by] NUMBER [percent]",
        "(decrease|lower|reduce) the volume by NUMBER [percent]",
    ]
    private static let volumeTo = [
        "[set|turn|put|change|make] [the] volume [up to|down to|to|at] NUMBER [percent]",
        "(turn up|turn down|increase|raise|decrease|lower|reduce) the volume to NUMBER [percent]",
        "NUMBER percent volume",
    ]

    // MARK: Timers

    private static let begin = """
        (set up|set|start|run|make|create|add|new|give me|get me|set me|i need|i want|i would like|can i have|could i have|\
        can i get)
        """
    /// The words before a new timer: an order, or no verb at all. Without a verb, "the ten minute timer" may be anything.
    private static let new = "(\(begin) [the|my|a new|a|an|another|one|me a|me an|us a|us an]|[a|an|another])"
    private static let called = "(called|named|call it|for|to check|to check on)"
    private static let countdown = "(timer|countdown)"

    private static let length = "[for|of|to|in|with] LENGTH"
    private static let timer = [
        "\(new) LENGTH [NAME] \(countdown)", "\(new) LENGTH \(countdown) \(called) LABEL",
        "\(new) [NAME] \(countdown) [to go off|to ring] \(length)",
        "\(new) \(countdown) [for|of] LENGTH \(called) LABEL",
        "\(new) \(countdown) \(called) LABEL [for|of|in|to] LENGTH",
        "\(new) [two] timers [one|the first] \(length)",
        "(wake|get) (me|us) [up] in LENGTH", "\(new) alarm [to go off|to ring] (in|for) LENGTH",
        "put LENGTH on (the|a) (timer|clock)", "\(new) [NAME] \(countdown) [until|till] WHEN",
    ]
    /// "Set timers for ten and twenty minutes."
    private static let both = ["\(begin) [two] timers for NUMBER and LENGTH"]
    /// Behind "and".
    private static let others = [
        "\(more) [for|of|in] LENGTH [\(called) LABEL]", "\(more) [for|of|in] NUMBER [\(called) LABEL]",
    ].map(SpokenForm.init)
    private static let more = "(another|one|a second|a third|a) [one|more|timer]"

    private static let wake = [
        "(wake|get) (me|us) up WHEN", "wake (me|us) WHEN", "WHEN wake (me|us) [up] WHEN",
        "(wake|get) (me|us) up WHEN for LABEL", "wake (me|us) WHEN for LABEL",
    ]
    private static let alarm = [
        "\(new) [WHEN] [NAME|wake up] (alarm|alarm clock) [to go off|to ring] [to] WHEN",
        "\(new) WHEN [wake up] (alarm|alarm clock)",
        "\(new) alarm WHEN (called|named|for) LABEL", "\(new) alarm (called|named|for) LABEL WHEN",
    ]

    private static let reminder = "(remind (me|us)|[\(begin)] [a|another|the|me a|us a] reminder)"
    private static let about = "(to|about|of|that|for|saying)"
    private static let remind = [
        "\(reminder) [in|for] LENGTH \(about) WORDS", "\(reminder) \(about) WORDS in LENGTH",
        "in LENGTH \(reminder) \(about) WORDS",
        "[WHEN] \(reminder) [WHEN] \(about) WORDS WHEN", "[WHEN] \(reminder) WHEN \(about) WORDS",
        "WHEN \(reminder) \(about) WORDS",
    ]

    /// Alarms that are not this box's.
    private static let foreign: Set<String> = [
        "burglar", "intruder", "security", "house", "home", "smoke", "fire", "gas", "flood", "water", "door", "car",
    ]

    /// - Parameter wakes: a time on the 12-hour clock is one of the morning.
    private static func wish(_ found: SpokenForm.Found, wakes: Bool = false) -> TimerWish? {
        guard var when = found.time.when, !found.time.isMore else { return nil }
        switch when {
        case .after(let seconds): guard 1...TimerWish.longest ~= seconds else { return nil }
        case .at(let minute, let day, let repeats, let isEither):
            guard foreign.isDisjoint(with: found.name) else { return nil }
            if isEither, wakes { when = .at(minute: TimerWish.When.morning(minute), day, repeats: repeats) }
        }
        return TimerWish(when, name: found.name.joined(separator: " "))
    }

    // MARK: Cancelling and changing

    private static let end = """
        (cancel|stop|delete|remove|end|clear|kill|dismiss|silence|disable|turn off|switch off|shut off|get rid of)
        """
    /// The verbs that delete. The other verbs may only silence: "stop the alarms", while one rings, ends no other alarm.
    private static let remove = "(cancel|delete|remove|clear|get rid of)"
    private static let the = "[the|my|that|this|our]"
    private static let all = "(all|every|all of) \(the)"
    private static let cancelAll = [
        "\(end) [all|all of] \(the) (timers and alarms|alarms and timers|timers and all alarms|alarms and all timers)"
    ]
    private static let kinds: [(TimerKind, one: String, many: String)] = [
        (.timer, "timer|countdown", "timers"), (.alarm, "alarm|alarm clock", "alarms"),
        (.reminder, "reminder", "reminders"),
    ]

    private static func cancelOne(_ one: String, _ many: String) -> [String] {
        [
            "\(end) \(the) [NAME|LENGTH|LENGTH NAME|WHEN|wake up] (\(one)|\(many))",
            "\(end) \(the) (\(one)) [set] (for|of) LENGTH",
            "\(end) \(the) (\(one)) [number] NUMBER", "\(end) \(the) (\(one)) [set] WHEN",
            "\(end) \(the) (\(one)) (called|named|for|to|about) LABEL",
            "[turn|switch|shut] \(the) [NAME|LENGTH|WHEN|wake up] (\(one)|\(many)) off",
        ]
    }

    private static let mine = "\(the) [NAME|LENGTH] \(countdown)"
    private static let named = "\(the) [NAME] (timer|countdown|clock)"
    private static let add = [
        "add [another] LENGTH [more] [(to|on|onto) \(named)]", "put another LENGTH (on|onto) \(named)",
        "(extend|lengthen|increase) \(named) (by|for) [another] LENGTH", "give \(named) [another] LENGTH [more]",
        "make \(named) LENGTH longer",
    ]
    private static let pause = ["(pause|hold|freeze) \(mine)"]
    private static let resume = ["(resume|continue|unpause) \(mine)"]
    private static let snooze = [
        "snooze [it|this|that|\(the) [NAME] (alarm|timer|reminder)] [[for] [another] LENGTH]",
        "(wake|remind) (me|us) again in LENGTH",
    ]
    /// Only with "more": five more minutes in bed, or on a timer.
    private static let moreTime = ["[give me|just] LENGTH"]
    private static let moreOn = ["[put] LENGTH (on|onto|for) \(named)"]

    private static func change(
        _ found: SpokenForm.Found,
        _ kind: TimerKind,
        _ change: (Int) -> TimerChange
    ) -> SpokenCommand? {
        guard case .after(let seconds)? = found.time.when, 1...TimerWish.longest ~= seconds else { return nil }
        let which = found.name.joined(separator: " ")
        return .changeTimer(
            which.isEmpty ? TimerChoice(.obvious, of: kind) : TimerChoice(.named(which), of: kind), change(seconds)
        )
    }

    private static func cancel(_ found: SpokenForm.Found, _ kind: TimerKind) -> SpokenCommand? {
        choice(found, kind).map { .cancelTimer($0) }
    }

    /// Nil if too little is said, or too much.
    private static func choice(_ found: SpokenForm.Found, _ kind: TimerKind) -> TimerChoice? {
        if !found.name.isEmpty {
            guard kind != .alarm || foreign.isDisjoint(with: found.name) else { return nil }
            return TimerChoice(.named(found.name.joined(separator: " ")), of: kind)
        }
        if let number = found.number { return TimerChoice(.named("\(number)"), of: kind) }
        guard found.time != TimeParser() else { return TimerChoice(.obvious, of: kind) }
        // "Cancel tomorrow's alarm" may mean that the day after it rings again.
        if case .weekday? = found.time.dayAlone { return found.time.dayName.map { TimerChoice(.named($0), of: kind) } }
        switch found.time.when {
        case .at(let minute, .next, [], let isEither):
            let other = isEither ? " or " + LocalTime.clock(minute: (minute + 720) % 1440) : ""
            return TimerChoice(.named(LocalTime.clock(minute: minute) + other), of: kind)
        case .after(let seconds): return TimerChoice(.named("\(seconds) seconds"), of: kind)
        default: return nil
        }
    }
}
