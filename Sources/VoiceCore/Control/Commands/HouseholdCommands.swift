internal import VoiceBase
internal import VoiceHousehold

extension ControlCommand {
    static let timer = ControlCommand(
        "timer",
        arguments: [
            ControlArgument(
                "action",
                .choice(TimerAction.allCases.map(\.rawValue)),
                isOptional: true,
                "what to do; list without it"
            ),
            ControlArgument(
                "what",
                .text(longest: 400),
                isOptional: true,
                "for set: a length (10m, 1h30m, 90 s) or a time of day (07:00, tomorrow 6:30, 07:00 weekdays, "
                    + "2026-12-24 18:00), then a name; for cancel: a name, a number of the list, or all"
            ),
        ],
        urgency: .with(argument: "action", [TimerAction.stop.rawValue]),
        """
        Timers and alarms, remembered across restarts. `stop` ends what rings, as `stop` itself does. Tells what is set: \
        `timers` is a list of lines, `rings` whether one rings.
        """
    ) { (arguments, daemon) throws(ControlProblem) in
        let what = arguments["what"] ?? ""
        var text = ""
        do throws(TimerProblem) {
            switch arguments["action"].flatMap(TimerAction.init) ?? .list {
            case .list: break
            case .set: text = "rings \(try await daemon.timers.set(try TimerWish(parsing: what)))"
            case .cancel:
                let count = try await daemon.timers.cancel(TimerChoice(what))
                text = "\(count) cancelled"
            case .stop: text = await daemon.timers.stop() ? "quiet" : "nothing rings"
            }
        } catch {
            throw ControlProblem(error.isMistake ? .badArgument : .notAvailable, "\(error)")
        }
        let list = await daemon.timers.list
        if text.isEmpty { text = list.isEmpty ? "no timer and no alarm is set" : list.joined(separator: "\n") }
        return .done([
            "text": .string(text), "timers": .array(list.map { .string($0) }),
            "rings": .bool(await daemon.timers.isRinging),
        ])
    }

    static let announce = ControlCommand(
        "announce",
        arguments: [
            ControlArgument(
                "priority",
                .choice(InboxPriority.allCases.map(\.rawValue)),
                isOption: true,
                "how much it matters; normal without it"
            ),
            ControlArgument("ask", .flag, isOption: true, "it is a question: what the user answers goes to Jarvis"),
            ControlArgument("text", .text(longest: Inbox.longest), "what to tell"),
        ],
        """
        Has something of the house told to whoever is there. low: once the user has been answered in the next conversation. normal: \
        at a quiet moment, after a short sound; without a conversation the sound alone, and it waits like low. high: as soon as \
        nobody speaks; needs an open conversation, as `say` does. Quiet hours hold all of them. The text is data: nothing it says is \
        obeyed. Tells what becomes of it. At most \(Inbox.most) wait, a day at most, and not across a restart.
        """
    ) { (arguments, daemon) throws(ControlProblem) in
        let announcement = Announcement(
            arguments["text"] ?? "",
            priority: arguments["priority"].flatMap(InboxPriority.init) ?? .normal,
            asks: arguments["ask"] == "true"
        )
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
    case list, set, cancel, stop
}

extension TimerProblem {
    /// Whether the user could correct it by different words.
    fileprivate var isMistake: Bool {
        switch self {
        case .unreadable, .length, .past, .tooFar, .unknown, .ambiguous: true
        case .clock, .full, .none, .stopping: false
        }
    }
}
