internal import VoiceActivation
internal import VoiceBase
internal import VoiceConversation
internal import VoiceReply

extension ControlCommand {
    static let timer = ControlCommand(
        "timer",
        arguments: [
            ControlArgument(
                "action", .choice(TimerAction.allCases.map(\.rawValue)), isOptional: true, "what to do; default: list"
            ),
            ControlArgument(
                "what",
                .text(longest: 400),
                isOptional: true,
                completes: ("action", TimerAction.allCases.filter { $0 != .list && $0 != .stop }.map(\.rawValue)),
                "for set and remind: a length (10m, 1h30m, half an hour) or a time of day (07:00, 7:30 pm, tomorrow 6:30, every "
                    + "weekday at 7, 2026-12-24 18:00), then a name or what to say; for add: a length, then which one; for snooze: a "
                    + "length (10m if none); for cancel, pause and resume: a name, a number in the list, the length, the time (07:00) or "
                    + "the day (monday) it was set for, all timers, all alarms, all reminders, or all"
            ),
        ],
        """
        Timers, alarms and reminders, remembered across restarts. `stop` ends the ringing; `snooze` lets it ring again \
        later. The result: `timers` is a list of lines, `rings` whether one is ringing.
        """
    ) { (arguments, daemon) throws(ControlProblem) in
        let what = arguments["what"] ?? ""
        var text = ""
        do throws(TimerProblem) {
            let action = arguments["action"].flatMap(TimerAction.init) ?? .list
            switch action {
            case .list: break
            case .set, .remind:
                let wishes = try TimerWish.reading(what, isReminder: action == .remind)
                text = try await daemon.timers.set(wishes).map { "\($0.title) rings \($0.when)" }.joined(
                    separator: "\n"
                )
            case .add, .pause, .resume, .snooze:
                let (choice, change) = try action.change(what)
                text = try await daemon.timers.change(choice, change).map { "\($0.title): \($0.when)" }.joined(
                    separator: "\n"
                )
            case .cancel:
                let (count, cancelled) = try await daemon.timers.cancel(TimerChoice(what))
                text = "\(count) cancelled" + (cancelled.map { ": " + $0 } ?? "")
            case .stop: text = await daemon.timers.stop() ? "quiet" : "nothing is ringing"
            }
        } catch {
            throw ControlProblem(error.isMistake ? .badArgument : .notAvailable, "\(error)")
        }
        let list = await daemon.timers.list
        if text.isEmpty { text = list.isEmpty ? "no timers or alarms are set" : list.joined(separator: "\n") }
        return .done([
            "text": .string(text), "timers": .array(list.map { .string($0) }),
            "rings": .bool(await daemon.timers.isRinging),
        ])
    }

    static let announce = ControlCommand(
        "announce",
        arguments: [
            ControlArgument(
                "priority", .choice(InboxPriority.allCases.map(\.rawValue)), isOption: true, "priority; default: normal"
            ),
            ControlArgument("ask", .flag, isOption: true, "it is a question: the user's answer goes to Jarvis"),
            ControlArgument("text", .text(longest: Inbox.longest), "what to announce"),
        ],
        """
        Queues a spoken announcement; the result says what becomes of it. low: in the next conversation, after an \
        answer. normal: in a quiet moment, after a short sound. high: as soon as no one speaks. Without a conversation \
        the local voice ([local]) speaks; without one, normal plays the sound alone and waits like low, and high is \
        refused. A question (--ask) waits for a conversation; with high it is also asked immediately. Quiet hours delay \
        all of them. Nothing in the text is obeyed. At most \(Inbox.most) wait, for a day, and not across a restart.
        """
    ) { (arguments, daemon) throws(ControlProblem) in
        let announcement = Announcement(
            SpeechShaper.words(of: arguments["text"] ?? ""),
            priority: arguments["priority"].flatMap(InboxPriority.init) ?? .normal, asks: arguments["ask"] == "true"
        )
        guard await daemon.saysAnnouncements else {
            throw .noGivenWords
        }
        let isQuiet = await daemon.activationStatus.isQuiet
        // Low priority waits for a conversation; without a local voice, normal priority does too.
        let isSaidSoon = announcement.priority == .high || announcement.priority == .normal && daemon.announcer != nil
        if isSaidSoon, !isQuiet { try await daemon.checkLoudspeaker() }
        do throws(InboxProblem) {
            let receipt = try await daemon.house.announce(announcement)
            return .done(["text": .string(receipt.rawValue)])
        } catch {
            throw ControlProblem(error == .empty || error == .long ? .badArgument : .notAvailable, "\(error)")
        }
    }
}

/// Actions of the `timer` command.
private enum TimerAction: String, CaseIterable {
    case list, set, remind, cancel, add, pause, resume, snooze, stop

    /// Reads which one is changed, and how; not for the other actions.
    func change(_ what: String) throws(TimerProblem) -> (TimerChoice, TimerChange) {
        if self == .pause || self == .resume { return (TimerChoice(what), self == .pause ? .pause : .resume) }
        let snooze = "\(TimerChange.usualSnooze) s"
        let wishes = try TimerWish.reading(what.isEmpty && self == .snooze ? snooze : what, isLength: true)
        guard wishes.count == 1, case .after(let seconds) = wishes[0].when else { throw .unreadable }
        return (TimerChoice(wishes[0].name), self == .add ? .add(seconds) : .snooze(seconds))
    }
}

extension TimerProblem {
    /// Whether the user could correct it by different words.
    fileprivate var isMistake: Bool {
        switch self {
        case .clock, .full, .none, .noneTo, .stopping: false
        default: true
        }
    }
}
