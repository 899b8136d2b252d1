internal import Synchronization
internal import VoiceAudio
internal import VoiceBase
internal import VoiceConversation
internal import VoiceSession

/// Timers, alarms and announcements, connected to the parts they act on.
extension VoiceDaemon {
    /// Identifies this boot of the machine; empty if unavailable.
    static func boot(files: FileReader = .system) -> String {
        let bytes = (try? files.read("/proc/sys/kernel/random/boot_id", 100).bytes) ?? []
        return String(decoding: bytes.filter { $0 > 32 && $0 < 127 }, as: UTF8.self)
    }
}

extension HouseWords {
    init(_ text: InboxText) {
        let moment: Moment =
            if text.priority == .high { .now } else if text.isAway { .inConversation } else { .quietMoment }
        self.init(text.aloud, asks: text.asks, moment: moment)
    }
}

extension TimerNews {
    var reminder: String { "Reminder: \(name.isEmpty ? "it is time" : name)." }

    /// The sentence for the next conversation; nil if the user has heard the timer already.
    var sentence: String? {
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

extension ConversationSession.Observer {
    /// Speaks texts that the service cannot say, with the box's own voice; in quiet hours only answers.
    static func announcing(_ announcer: LocalAnnouncer, _ earcons: EarconRequests, problems: Bool) -> Self {
        let notices = Mutex(SpokenNotices(reportsProblems: problems))
        return Self(effect: { effect, _ in
            if case .stopVoice = effect { announcer.stopSpeaking() }
            let isQuiet = earcons.areOff
            if let text = notices.withLock({ $0.sentence(for: effect, isQuiet: isQuiet) }) { announcer.say(text) }
        })
    }

    /// Informs the household: announcements wait for a suitable moment, and ringing becomes quieter.
    static func minding(_ house: InboxController, _ bell: EarconRequests) -> Self {
        Self(effect: { effect, _ in
            guard case .stateChanged(_, let next) = effect else { return }
            let talk = Talk(next)
            bell.isRingLow = talk.isBusy
            house.follow(talk)
        })
    }
}
