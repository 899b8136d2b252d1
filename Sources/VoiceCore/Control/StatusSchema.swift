package import VoiceBase

/// The members of `status` and `subscribe`, for the documentation; a test compares it with a running daemon.
package enum StatusSchema {
    package struct Member: Sendable {
        package let name: String
        package let kind: Kind
        let meaning: String

        init(_ name: String, _ kind: Kind, _ meaning: String) {
            (self.name, self.kind, self.meaning) = (name, kind, meaning)
        }
    }

    package enum Kind: String, Sendable {
        case text, number, bool, list, object

        package func matches(_ value: JSONValue) -> Bool {
            switch (self, value) {
            case (.text, .string), (.number, .integer), (.number, .number), (.bool, .bool), (.list, .array),
                (.object, .object):
                true
            default: false
            }
        }
    }

    package static let members: [Member] = [
        Member("text", .text, "one sentence for people"),
        Member(
            "state", .text,
            "of the conversation: idle, connecting, listening, userSpeaking, processing, fillerSpeaking, waitingForJarvis, aiSpeaking, error"
        ),
        Member(
            "health",
            .object,
            "what works: `level` (well, limited, not_working), `works` (what still does), `problems` (the worst first), each with "
                + "`part` (service, agent, microphone, loudspeaker, words, budget, clock, disk, timers), `level`, `text`, `fix` and "
                + "`retry_s` (until the next try)"
        ),
        Member("degraded", .list, "its problems in sentences"),
        Member("mode", .text, "what opens a conversation: always, wake, push"),
        Member("phase", .text, "of activation: idle, awake, conversation, ..."),
        Member("assistant", .text, "whose conversation is open, if the wake word has a table of its own"),
        Member("quiet", .bool, "quiet hours"),
        Member("heard", .text, "what the microphone picks up: user, box, nothing, unknown"),
        Member(
            "levels", .object, "`in` and `out` in dBFS (-96 to 0); only for `subscribe --levels`, ten times a second"
        ),
        Member("level_dbfs", .number, "of the microphone"),
        Member("microphone", .text, "running, waiting, lost, silent, resting, file"),
        Member("microphone_muted", .bool, ""),
        Member("loudspeaker", .text, "as `microphone`"),
        Member(
            "volumes", .object,
            "`master`, `voice`, `media`, `inputs`, `earcons` in percent, and whether the loudspeaker is muted"
        ),
        Member("duplex", .text, "full: the box hears the user while it speaks; half: it does not"),
        Member("duplex_reason", .text, "learning, moved, poor, clipping, canceller_off, configuration, clear, good"),
        Member(
            "echo", .object,
            "`quality` (good, fair, poor, unknown), `mode`, `aligned`, `erle_db`, `level_dbfs`, `noise_dbfs`, `delay_ms`, `drift_ppm`, `moves`, `note` (what is wrong, what helps)"
        ),
        Member("capture_xruns", .number, ""),
        Member("playback_xruns", .number, ""),
        Member("device_losses", .number, ""),
        Member("wake_engine", .text, "off without one"),
        Member("wake_words", .list, "what to say in mode wake"),
        Member("wake_words_off", .list, "those of them that are switched off (`ctl words`)"),
        Member("word_problems", .list, "words that are not recognised, or not as configured"),
        Member(
            "wake_list",
            .list,
            "the last 50 words: `at`, `word`, `score` and the `threshold` for it, `heard`: false for a near miss, with the "
                + "`sensitivity` that hears it, if one does"
        ),
        Member(
            "house_hears", .bool,
            "only where `service.use` has home-assistant: whether it is the first, which hears the calls while it is there"
        ),
        Member("service", .text, "host and model"),
        Member("dialect", .text, "of the service"),
        Member("substitute", .text, "the service that has taken its place"),
        Member("session_age_s", .number, ""),
        Member("reconnects", .object, "sessions `lost`, `refused`, `replaced` and `rotated`"),
        Member("connection_list", .list, "the last 50 of them: `at`, `reason`"),
        Member("breaker", .text, "closed; open: the agent fails and is not asked; half_open: it is tried"),
        Member("turns_total", .number, ""),
        Member("turns_interrupted", .number, ""),
        Member("turns_failed", .number, "without an answer"),
        Member(
            "turn_list",
            .list,
            "the last 50 turns: `at`, `turn`, `calls`, `interrupted`, the stages in ms (docs/operation.md), `wait` (its parts in ms, which "
                + "add up), `cut_ms` if it was interrupted, `failed` (agent, service) if there was no answer"
        ),
        Member("spent_hour_usd", .number, ""),
        Member("spent_today_usd", .number, ""),
        Member("budget_hour_usd", .number, "the limit"),
        Member("budget_day_usd", .number, "the limit"),
        Member("budget_spent_until", .text, ""),
        Member(
            "tokens", .object, "`audio_in`, `audio_out`, `text_in`, `text_out`, and `cached_in` of the input"
        ),
        Member("talk_today_min", .number, ""),
        Member("sent_today", .text, "sound of the microphone sent since midnight: 3 min 20 s"),
        Member("sent_today_s", .number, "the same"),
        Member("sent_today_bytes", .number, ""),
        Member(
            "media",
            .object,
            "`state` (playing, paused, stopped), `title`, `song` that a station plays, `position_s`, `length_s`, `queue` (the first "
                + "ten), `queue_length`, `interjects`: true while an announcement plays, `interjection_cut`: true if the "
                + "last one failed, or was stopped"
        ),
        Member("stations", .list, "the names of the first 100 stations"),
        Member("timers", .number, ""),
        Member(
            "timer_list",
            .list,
            "`number` (for `timer cancel`), `kind`, `name`, `when` in words, `at` (20:35, Tue 07:00; only if it was set for a time "
                + "of day), `left_s`, `rings`, `paused`"
        ),
        Member("announcements", .number, "that wait"),
        Member(
            "transcript",
            .list,
            "only where transcripts are on: the last 50 lines: `at`, `who` (user, jarvis), `text`, and the `name` of an "
                + "assistant whose wake word has a table"
        ),
        Member("log", .list, "the last 50 lines: `at`, `level`, `text`"),
        Member("last_trouble", .object, "the last event that reported a problem"),
        Member("name", .text, "what the household calls the box"),
        Member("version", .text, "of the program"),
        Member("uptime_s", .number, "since the start of the program"),
        Member("rss_bytes", .number, "memory of the program"),
        Member("threads", .number, ""),
    ]

    static var list: [String] {
        members.map { "- `\($0.name)` (\($0.kind.rawValue))" + ($0.meaning.isEmpty ? "" : ": " + $0.meaning) }
    }
}
