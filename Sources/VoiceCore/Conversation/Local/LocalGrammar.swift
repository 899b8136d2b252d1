/// A command the local voice carries out by itself, without agent, network or model.
package enum LocalCommand: Equatable, Sendable {
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
    /// The name is empty if none was given.
    case timer(seconds: Int, name: String)
    /// Minutes since midnight. `isEither`: neither morning nor evening was stated.
    case alarm(minute: Int, isEither: Bool, day: AlarmDay = .next, name: String = "")
    case listTimers
    case cancelTimer(Which, of: Kind)
    /// Repeat the last answer; continue it.
    case again
    case more
    case mute
    case help

    /// What is cancelled.
    package enum Which: Equatable, Sendable {
        /// The one that is ringing, or the only one.
        case obvious
        case all
        /// A name, or a number from the list.
        case named(String)
        case length(seconds: Int)
        case at(minute: Int, isEither: Bool)
    }

    package enum Kind: String, Sendable {
        case timer, alarm, any
    }
}

/// The local grammar, in English. Matches only whole utterances, so that no part of a question to the agent is taken
/// for a command.
package enum LocalGrammar {
    /// Returns nil if the text is for the agent.
    /// - Parameter text: the recognised text of a whole turn.
    package static func command(in text: String) -> LocalCommand? {
        // No command is longer, and the length of a recogniser's output is not trusted.
        guard text.utf8.count <= 200 else { return nil }
        var words = words(of: text)[...]
        while let opening = openings.first(where: { words.starts(with: $0) }) { words = words.dropFirst(opening.count) }
        while let closing = closings.first(where: { words.suffix($0.count).elementsEqual($0) }) {
            words = words.dropLast(closing.count)
        }
        guard !words.isEmpty else { return nil }
        let whole = Array(words)
        for rule in rules {
            if let found = rule.form.match(whole), let command = rule.command(found) { return command }
        }
        return nil
    }

    // MARK: Words

    /// What recognisers write in several ways, in one.
    private static func words(of text: String) -> [String] {
        var text = text.lowercased()
        for (written, said) in spellings { text = text.replacing(written, with: said) }
        return LocalTurn.words(text).filter { !fillers.contains($0) }.flatMap { contractions[$0] ?? split($0) }
    }

    /// Words that change nothing, wherever they stand.
    private static let fillers: Set<String> = ["please", "jarvis", "um", "uh", "er"]

    private static let spellings = [
        ("a.m", " am "), ("p.m", " pm "), ("o\u{2019}clock", "o'clock"), (" o clock", " o'clock"),
        (".5 hour", " and a half hour"), (".5 minute", " and a half minute"), ("\u{BD}", " and a half"),
        ("per cent", "percent"),
    ]

    private static let contractions: [String: [String]] = [
        "what's": ["what", "is"], "when's": ["when", "is"], "how's": ["how", "is"], "it's": ["it", "is"],
        "that's": ["that", "is"], "you're": ["you", "are"], "i'd": ["i", "would"], "don't": ["do", "not"],
        "didn't": ["did", "not"], "can't": ["can", "not"],
    ]

    /// "7am" is "7 am", "10min" is "10 min".
    private static func split(_ word: String) -> [String] {
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        let rest = word.dropFirst(digits.count)
        guard !digits.isEmpty, ["am", "pm", "min", "mins", "sec", "secs", "hr", "hrs"].contains(rest) else {
            return [word]
        }
        return [String(digits), String(rest)]
    }

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
        var form: LocalForm
        var command: @Sendable (LocalForm.Found) -> LocalCommand?
    }

    /// The first one that fits counts.
    private static let rules: [Rule] = {
        var rules: [Rule] = []
        func say(_ forms: [String], _ command: @escaping @Sendable (LocalForm.Found) -> LocalCommand?) {
            rules += forms.map { Rule(form: LocalForm($0), command: command) }
        }
        for (command, forms) in plain {
            say(forms) { found in command == .listTimers && !foreign.isDisjoint(with: found.name) ? nil : command }
        }
        say(volumeBy) { found in found.number.flatMap { (1...100).contains($0) ? .changeVolume(by: $0) : nil } }
        say(volumeDownBy) { found in found.number.flatMap { (1...100).contains($0) ? .changeVolume(by: -$0) : nil } }
        say(volumeTo) { found in found.number.flatMap { $0 <= 100 ? .volume(to: $0) : nil } }
        // Before the timers: "cancel the timer for ten minutes" is no name of one.
        say(cancelAll) { _ in .cancelTimer(.all, of: .any) }
        say(cancelTimers) { _ in .cancelTimer(.all, of: .timer) }
        say(cancelAlarms) { _ in .cancelTimer(.all, of: .alarm) }
        say(cancelTimer) { cancel($0, .timer) }
        say(cancelAlarm) { cancel($0, .alarm) }
        say(timer, set)
        say(alarm, wake)
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
    private static let entries = "(timers|alarms|timer|alarm|timers and alarms|alarms and timers|timers or alarms)"
    private static let which = "[the|my|this|that] [next] [NAME|LENGTH]"

    private static let plain: [(LocalCommand, [String])] = [
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
                "(is there|do i have|have i got|have i set) (a|an) (timer|alarm) [set|running|for LENGTH|for WHEN]",
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
    /// An order, or no verb at all. Then it is a new one: "the ten minute timer" may be anything.
    private static let new = "(\(begin) [the|my|a new|a|an|another|one|me a|me an|us a|us an]|[a|an|another])"
    private static let called = "(called|named|call it|for|to check|to check on)"
    private static let countdown = "(timer|countdown)"

    private static let timer = [
        "\(new) LENGTH [NAME] \(countdown)", "\(new) LENGTH \(countdown) \(called) LABEL",
        "\(new) [NAME] \(countdown) [to go off|to ring] [for|of|to|in|with] LENGTH [from [now]]",
        "\(new) \(countdown) [for|of] LENGTH [from [now]] \(called) LABEL",
        "\(new) \(countdown) \(called) LABEL [for|of|in|to] LENGTH",
        "(wake|get) (me|us) [up] in LENGTH", "\(new) alarm [to go off|to ring] (in|for) LENGTH [from [now]]",
        "put LENGTH on (the|a) (timer|clock)",
    ]

    private static let alarm = [
        "(wake|get) (me|us) up WHEN", "wake (me|us) WHEN", "WHEN wake (me|us) [up] WHEN",
        "(wake|get) (me|us) up WHEN for LABEL", "wake (me|us) WHEN for LABEL",
        "\(new) [WHEN] [NAME|wake up] (alarm|alarm clock) [to go off|to ring] [to] WHEN",
        "\(new) WHEN [wake up] (alarm|alarm clock)",
        "\(new) alarm WHEN (called|named|for) LABEL", "\(new) alarm (called|named|for) LABEL WHEN",
    ]

    /// Alarms that are not this box's.
    private static let foreign: Set<String> = [
        "burglar", "intruder", "security", "house", "home", "smoke", "fire", "gas", "flood", "water", "door", "car",
    ]

    private static func set(_ found: LocalForm.Found) -> LocalCommand? {
        guard let seconds = found.seconds, (1...30 * 86_400).contains(seconds) else { return nil }
        return .timer(seconds: seconds, name: found.name.joined(separator: " "))
    }

    private static func wake(_ found: LocalForm.Found) -> LocalCommand? {
        guard let time = found.when.time, foreign.isDisjoint(with: found.name) else { return nil }
        return .alarm(
            minute: time.minute,
            isEither: time.isEither,
            day: found.when.day ?? .next,
            name: found.name.joined(separator: " ")
        )
    }

    // MARK: Cancelling

    private static let end = """
        (cancel|stop|delete|remove|end|clear|kill|dismiss|silence|disable|turn off|switch off|shut off|get rid of)
        """
    /// What deletes. The other verbs may only silence: "stop the alarms", while they ring, ends no other.
    private static let remove = "(cancel|delete|remove|clear|get rid of)"
    private static let the = "[the|my|that|this|our]"
    private static let all = "(all|every|all of) \(the)"
    private static let both = "(timers and alarms|alarms and timers|timers and all alarms|alarms and all timers)"

    private static let cancelAll = ["\(end) [all|all of] \(the) \(both)"]
    private static let cancelTimers = [
        "\(end) \(all) (timer|timers)", "\(remove) \(the) timers",
    ]
    private static let cancelAlarms = [
        "\(end) \(all) (alarm|alarms)", "\(remove) \(the) alarms",
    ]
    private static let cancelTimer = [
        "\(end) \(the) [NAME|LENGTH|LENGTH NAME] (timer|timers|countdown)", "\(end) \(the) timer [set] (for|of) LENGTH",
        "\(end) \(the) timer (called|named|for) LABEL", "\(end) \(the) timer [number] NUMBER",
        "[turn|switch|shut] \(the) [NAME|LENGTH] (timer|timers) off",
    ]
    private static let cancelAlarm = [
        "\(end) \(the) [NAME|WHEN|wake up] (alarm|alarms|alarm clock)", "\(end) \(the) alarm [number] NUMBER",
        "\(end) \(the) alarm [set] WHEN", "\(end) \(the) alarm (called|named|for) LABEL",
        "[turn|switch|shut] \(the) [NAME|WHEN|wake up] (alarm|alarms) off",
    ]

    private static func cancel(_ found: LocalForm.Found, _ kind: LocalCommand.Kind) -> LocalCommand? {
        if !found.name.isEmpty {
            guard kind == .timer || foreign.isDisjoint(with: found.name) else { return nil }
            return .cancelTimer(.named(found.name.joined(separator: " ")), of: kind)
        }
        if let seconds = found.seconds { return .cancelTimer(.length(seconds: seconds), of: kind) }
        if let number = found.number { return .cancelTimer(.named("\(number)"), of: kind) }
        guard found.when != SpokenWhen() else { return .cancelTimer(.obvious, of: kind) }
        if let day = found.when.weekdayAlone { return .cancelTimer(.named(day), of: kind) }
        // "Cancel tomorrow's alarm" may mean that the day after it rings again.
        guard found.when.day == nil, let time = found.when.time else { return nil }
        return .cancelTimer(.at(minute: time.minute, isEither: time.isEither), of: kind)
    }
}
