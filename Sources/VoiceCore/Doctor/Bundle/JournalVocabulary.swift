/// The words of the daemon's own log lines, of the service manager's about it, and the keys of their fields: what is not
/// among them may be something that was said, or a secret.
enum JournalVocabulary {
    static let words = Set(text.split(whereSeparator: \.isWhitespace).map(String.init))

    /// Fields that hold a number.
    static let numbers: Set<String> = [
        "agent_ms", "away_ms", "by_ms", "call", "calls", "capture_xruns", "clipping", "code", "count", "cut",
        "cycle_max_us", "device_losses", "dispatch_ms", "duplex_changes", "echo_jumps", "errno", "failures",
        "gate_openings", "heard_ms", "level_dbfs", "limit", "line", "lost_ms", "messages", "microphone_overruns", "ms",
        "output_ms", "peak_dbfs", "percent", "pid", "playback_xruns", "restart", "retry_in_ms", "score", "shut_ms",
        "slips", "spent", "spent_hour_usd", "spent_today_usd", "status", "talk_today_min", "times", "turn", "uid",
    ]

    /// Fields that hold a word of the program.
    static let states: [String: Set<String>] = {
        let flag: Set<String> = ["yes", "no", "true", "false"]
        let phases: Set<String> = [
            "idle", "awake", "conversation", "followup", "followUp", "closing", "connecting", "listening", "thinking",
            "aiSpeaking", "userSpeaking", "error", "muted", "running", "waiting", "stopped", "ready", "off", "on",
        ]
        let duplex: Set<String> = ["full", "half"]
        return [
            "speaker": ["user", "assistant", "jarvis"], "late": flag, "interrupted": flag, "echo_aligned": flag,
            "mode": ["always", "wake", "push", "manual"], "state": phases, "from": phases.union(duplex),
            "to": phases.union(duplex), "duplex": duplex, "side": ["capture", "playback"],
            "tool": [
                "ask_jarvis", "approve", "answer_question", "end_conversation", "cancel_question", "play_media",
                "control_media", "get_now_playing", "set_volume",
            ],
            "verdict": ["ok", "warn", "fail"], "kind": ["radio", "podcast", "track"],
        ]
    }()

    /// Fields that may hold anything: their names are no secret.
    static let others: Set<String> = [
        "agent", "answer", "arguments", "budget_spent_until", "changed", "command", "configuration", "device",
        "duplex_reason", "error", "id", "item", "loudspeaker", "microphone", "output", "period", "provider", "query",
        "question", "reason", "right", "settings", "text", "title", "transcript", "type", "until", "version", "why",
        "word", "words",
    ]

    private static let text = """
        a able absent action activation add address again agent all allow allowed am an and announced another answer
        answered appears are argument as ask asked asks at audio authentication available back bad base be before begin
        beyond bin break broke budget busy but buttons by bytes call called came cancelled candidates cannot capture card
        certificate changed character check client closed command compare complete configuration connected connecting
        connection continued control conversation corrected could counting cut default degraded delivers device did
        disturbed does dropped earlier echo empty encrypted end ended error event events exactly failed far file finish
        fit for found fresh from gave give goes group had has header heard holds host hours http https if ignored in into
        is it its jarvis jarvis-voiced joined jumped kept know known level limit listening load local locked log long
        longer lost machine made many may media memory method microphone mixer mode more most moved must muted near nearly
        need needs network newer next no nobody none not nothing now of off offline oldest on one only open opened opening
        or our out over own permission pid plain played please plug priority problem program protocol question questions
        quiet raise ran reach reached read ready real-time recognised refused refuses reload reloaded reloading remembered
        renewed replied reply reported request resolved response restart restarted right rotated runs said saved scheduled see
        sent server service session set settings shared silence so socket software somebody something sound speech spent
        start started starting state stations status stays still stop stopped stopping succeeded such taken than that the
        there these this those thread time timed timeout to told too took transcript trouble trusted turn under
        understand unexpected unit unknown unplugged unsupported until up updating url usable use user usually voice
        volume volumes wait waiting was way were what when while who will with worked working yet counter exited code main
        process deactivated successfully failure core-dump signal watchdog killing result consumed cpu job
        """
}
