internal import VoiceConversation
internal import VoiceReply

/// The words of the daemon's own log lines and the keys of their fields. Any other word may be speech or a secret.
enum JournalVocabulary {
    static let words = Set(text.split(whereSeparator: \.isWhitespace).map(String.init))

    /// Fields that hold a number.
    static let numbers: Set<String> = [
        "acknowledged_ms", "added_ms", "agent_ms", "answered_ms", "away_ms", "by_ms", "bytes", "call", "calls",
        "capture_xruns", "clipping", "code", "count", "cut", "cycle_max_us", "delay_ms", "device_losses", "dispatch_ms",
        "dispatched_ms", "drift_ppm", "duplex_changes", "echo_dbfs", "echo_jumps", "echo_moves", "erle_db", "errno",
        "failures", "first_delta_ms", "first_sample_ms", "gate_openings", "heard_ms", "level_dbfs", "limit", "line",
        "lost_ms", "lost_periods", "loudspeaker_added_ms", "messages", "microphone_overruns", "ms", "noise_dbfs",
        "number", "output_ms", "peak_dbfs", "percent", "pid", "playback_xruns", "prompts", "rate", "restart",
        "retry_in_ms",
        "score", "shut_ms",
        "slips", "spent", "spent_hour_usd", "spent_today_usd", "status", "talk_today_min", "times", "turn", "uid",
    ]

    /// Fields whose numbers have at most four digits; longer values are hidden.
    static let small: Set<String> = [
        "call", "calls", "clipping", "code", "count", "errno", "failures", "level_dbfs", "line", "lost_periods",
        "number", "peak_dbfs", "percent",
        "restart", "score", "slips", "spent_hour_usd", "spent_today_usd", "status", "talk_today_min", "times", "turn",
    ]

    /// Fields that hold a word of the program.
    static let states: [String: Set<String>] = {
        let flag: Set<String> = ["yes", "no", "true", "false"]
        let phases: Set<String> = [
            "idle", "awake", "conversation", "followup", "followUp", "closing", "connecting", "listening", "thinking",
            "aiSpeaking", "userSpeaking", "processing", "fillerSpeaking", "waitingForJarvis", "error", "muted",
            "running", "resting", "waiting", "stopped", "ready", "off", "on",
        ]
        let duplex: Set<String> = ["full", "half"]
        return [
            "speaker": ["user", "assistant", "jarvis"], "late": flag, "interrupted": flag, "echo_aligned": flag,
            "mode": ["always", "wake", "push", "manual", "hardware", "software", "both"],
            "echo_mode": ["hardware", "software", "both"], "state": phases,
            "from": phases.union(duplex).union(["always", "wake", "push", "manual"]),
            "to": phases.union(duplex), "duplex": duplex, "side": ["microphone", "loudspeaker"],
            "tool": Set(ToolAuthority.table.keys),
            "service": Set(ServiceRegistry.all.flatMap { $0.kinds.map(\.name) }),
            "verdict": ["ok", "warn", "fail"], "kind": Set(MediaKind.allCases.map(\.rawValue)),
            "period": ["hour", "day"], "command": Set(ControlRegistry.standard.commands.map(\.name)),
            // Reasons of the echo; in a failure the field holds the service's own words.
            "reason": [
                "learning", "poor", "clipping", "canceller_off", "configuration", "clear", "good", "moved",
                "device_canceller_poor",
            ],
        ]
    }()

    /// Fields that may hold anything. Their names are not secret.
    static let others: Set<String> = [
        "agent", "answer", "arguments", "budget_spent_until", "changed", "configuration", "device", "duplex_reason",
        "error", "id", "item", "known", "loudspeaker", "microphone", "output", "param", "plan", "provider", "query",
        "question", "right", "run", "settings", "text", "title", "transcript", "type", "until", "why", "word", "words",
    ]

    /// Quotations in the program's own messages.
    static let quoted: Set<String> = ["\"ctl stop\"", "\"jarvis-voiced ctl unmute\""]

    private static let text = """
        Lite PocketSphinx TensorFlow installed instead library listens loaded
        % 100 80 = a able absent accept accepts action activation add added address afresh after again agent ago ahead alarms
        thinking log all allow allowed allows aloud am an and anew announced announcements another
        answer answered anything apart api appears are
        argument as ask asked asks at audio audio.input_channels authentication available back bad base be because
        before begin begins begun below beside beyond bin blocked book both box box's break broke budget busy but
        buttons by bytes call called calls came can cancelled canceller candidates cannot capture card carried
        certificate changed channels character check client clock closed code command compare complete configuration confirm
        confirmed connected connecting connection contains contents continued continues control conversation correct
        corrected could count counting counts ctl cut daemon daemon's damaged dated day default degraded delivers denied
        detected device devices did disconnected disturbed doctor does done down dropped due duplex duplicate during
        earcons earlier echo echo-test egress elsewhere empty encrypted end ended errno error event events every exactly
        exist exited failed failure faint far fewer file finish fit folder for found fresh from front full gave get gets give
        given goes got group had half hand has header headphones heard here history holds host hour hours http https if
        ignored in incomplete integer into invalid is it its itself jarvis jarvis's jarvis-voiced jobs joined jumped
        kept key killed knob know known last lead learning leaves ledger left level limit limitmemlock limitrtprio line
        listening load local locked log long longer look lost loudspeaker lower machine made main many map match may
        measured media memory message method microphone microphone's minute missed missing mixer mode model more most moved
        much must mute muted name near nearly need needs network new newer next no nobody none not nothing now number of
        off offline oldest on once one only open opened opening or other our out
        outlive output outside over overdrives own part
        passed period permission pid plain play playback played please plug priority problem process program programs protocol
        proxy put question questions queue quiet raise ran rang reach reachable reached read reads ready real-time recognised
        recogniser
        refused refuses reload reloaded reloading remark remembered remove renewed replaced replied reply reported
        request requests requires resolved response restart restarted restarting restored result retrying return right
        ringing rings room rotated run rung running runs said saved says scheduled schema second see sends sent serve
        serve.response_timeout server server's service session set settings shared short silence silenced similar so socket software somebody
        something sound speech spending spent start started starting state stations status stays still stop stopped
        stopping strong succeeded successfully such survive swaps take taken term-llm term_llm_serve_token text texts than
        that the them there these this those thread threshold time timed timeout timer timers title to today today's
        token told too took tool transcript trial trouble trusted turn turned typed unavailable unchanged under understand
        undone unencrypted unexpected unheard unit unknown unplugged unreadable unsaid unsupported
        until unwritten up updating url
        us usable use user uses using usually value version voice volume volumes wait waiting wake wants was way well
        went were what when whether while who why will with without word words work worked working works written
        xdg_runtime_dir year years yet yours
        """
}
