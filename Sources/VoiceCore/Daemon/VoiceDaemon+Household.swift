internal import Logging
internal import Synchronization
internal import VoiceActivation
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation
internal import VoiceHousehold

/// Timers, alarms and announcements, connected to the parts they act on.
extension VoiceDaemon {
    /// Identifies this boot of the machine; empty if unavailable.
    static func boot(files: FileReader = .system) -> String {
        let bytes = (try? files.read("/proc/sys/kernel/random/boot_id", 100).bytes) ?? []
        return String(decoding: bytes.filter { $0 > 32 && $0 < 127 }, as: UTF8.self)
    }

    static func timers(
        bell: EarconRequests,
        inbox: ActivationInbox,
        store: TimerStore?,
        house: InboxController,
        events: DaemonEvents,
        say: (@Sendable (String) -> Void)?,
        logger: Logger
    ) -> TimerController {
        var parts = TimerController.Parts()
        parts.ring = { rings in
            bell.rings = rings
            inbox.post(.rings(rings))
        }
        if let store { parts.remember = { store.remember($0) } }
        parts.tell = { news in
            let metadata = Logger.Metadata.event(.timer, ["number": .public(news.number)])
            switch news.kind {
            case .rings: logger.info("a timer rings", metadata: metadata)
            case .missed: logger.notice("a timer was missed: the machine was off when it was due", metadata: metadata)
            case .unheard: logger.notice("a timer rang until it stopped by itself", metadata: metadata)
            }
            events.post(
                DaemonEvent(
                    .timer,
                    [
                        "number": .integer(news.number), "kind": .string(news.what.rawValue),
                        "news": .string(news.kind.rawValue),
                    ]
                )
            )
            let isReminder = news.kind == .rings && news.what == .reminder
            if let say, news.kind == .rings { return say(isReminder ? news.reminder : "The \(news.title) is due.") }
            guard let sentence = isReminder ? news.reminder : news.sentence else { return }
            Task {
                do {
                    try await house.announce(Announcement(sentence, priority: isReminder ? .high : .low))
                } catch {
                    // Nothing can speak before the next conversation.
                    if isReminder { _ = try? await house.announce(Announcement(sentence, priority: .normal)) }
                }
            }
        }
        return TimerController(parts, boot: boot())
    }

    /// - Parameter speak: speaks with the local voice; nil without one.
    static func house(
        mailbox: EventMailbox,
        earcons: EarconRequests,
        speak: (@Sendable (String) -> Void)?,
        logger: Logger
    ) -> InboxController {
        var parts = InboxController.Parts(logger: logger)
        parts.speak = speak
        // Delivered like news of the agent: as the output of a call, which is data. Quiet hours are handled by the
        // inbox.
        parts.tell = { mailbox.post(.agentReported(ToolResult(.answer($0.forModel)), aloud: HouseWords($0))) }
        parts.chime = { earcons.play(.notice) }
        return InboxController(parts)
    }
}

extension HouseWords {
    fileprivate init(_ text: InboxText) {
        let moment: Moment =
            if text.priority == .high { .now } else if text.isAway { .inConversation } else { .quietMoment }
        self.init(text.aloud, asks: text.asks, moment: moment)
    }
}

extension TimerNews {
    fileprivate var reminder: String { "Reminder: \(name.isEmpty ? "it is time" : name)." }

    /// What the user hears of it in the next conversation; nil if the user has heard it already.
    fileprivate var sentence: String? {
        switch kind {
        case .rings: nil
        case .missed: "The \(title) was missed, because this box was off or asleep."
        case .unheard: "The \(title) rang for five minutes, and nobody stopped it."
        }
    }
}

extension Talk {
    init(_ state: ConversationState) {
        switch state {
        case .idle, .error: self = .closed
        case .connecting: self = .opening
        case .listening: self = .listening
        case .userSpeaking, .processing, .fillerSpeaking, .waitingForJarvis: self = .turn
        case .aiSpeaking: self = .speaking
        }
    }

    /// Whether ringing has to be quiet.
    fileprivate var isBusy: Bool { self == .turn || self == .speaking }
}

extension VoiceDaemon {
    /// What the local grammar may do with the box.
    static func box(_ volumes: VolumeController, inbox: ActivationInbox) -> BoxControls {
        var box = BoxControls()
        box.changeVolume = { change in
            let percent = change(await volumes.volumes[.master])
            await volumes.set(.master, percent: percent)
            return percent
        }
        box.stop = { inbox.post(.stop(isSpoken: false)) }
        box.mute = { inbox.post(.mute(true)) }
        return box
    }
}

extension ConversationSession.Observer {
    /// Returns an observer that also announces problems with the local voice, except in quiet hours.
    func announcing(_ announcer: LocalAnnouncer?, _ earcons: EarconRequests) -> Self {
        guard let announcer else { return self }
        let notices = Mutex(SpokenNotices())
        let observed = effect
        return Self(
            effect: { effect, instant in
                if case .stopVoice = effect { announcer.hush() }
                let isQuiet = earcons.areOff
                if let text = notices.withLock({ $0.sentence(for: effect, isQuiet: isQuiet) }) { announcer.say(text) }
                observed(effect, instant)
            },
            call: call,
            event: event,
            transcript: transcript
        )
    }

    /// Returns an observer that also informs the household: announcements wait for a suitable moment, and ringing
    /// becomes quieter.
    func minding(_ house: InboxController, _ bell: EarconRequests) -> Self {
        let observed = effect
        return Self(
            effect: { effect, instant in
                if case .stateChanged(_, let next) = effect {
                    let talk = Talk(next)
                    bell.isRingLow = talk.isBusy
                    house.follow(talk)
                }
                observed(effect, instant)
            },
            call: call,
            event: event,
            transcript: transcript
        )
    }
}
