package import Logging
package import VoiceAudio
internal import VoiceBase
package import VoiceBudget
internal import VoiceConfiguration
package import VoiceConversation

/// A snapshot of the daemon's health, for the log and for monitoring.
package struct DaemonStatus: Sendable {
    package let conversation: ConversationState
    package let microphone: DeviceState
    package let loudspeaker: DeviceState
    package let echo: EchoStatus
    /// Whether microphone and loudspeaker have both been open; until then, nothing is known of an echo.
    package let hasHeardEcho: Bool
    /// Mean power and held peak of the raw microphone signal, in dBFS.
    package let level: Double
    package let peak: Double
    package let isClipping: Bool
    package let captureXruns: UInt64
    package let playbackXruns: UInt64
    package let slips: UInt64
    package let lostPeriods: UInt64
    package let overruns: UInt64
    /// Number of times a device was lost, on either side.
    package let losses: UInt64
    package let longestCycleMicroseconds: Int
    package let spending: BudgetStatus?

    package init(
        _ gauges: EngineGauges,
        echo: EchoGauges,
        microphone: DeviceSlot,
        loudspeaker: DeviceSlot,
        conversation: ConversationState,
        spending: BudgetStatus? = nil
    ) {
        self.conversation = conversation
        self.spending = spending
        self.microphone = microphone.state
        self.loudspeaker = loudspeaker.state
        self.echo = EchoStatus(echo)
        hasHeardEcho = microphone.openings > 0 && loudspeaker.openings > 0
        let levels = gauges.levels
        level = Double(levels.level) / 10
        peak = Double(levels.heldPeak) / 10
        isClipping = levels.isClipping
        let counters = gauges.counters
        captureXruns = counters.captureXruns
        playbackXruns = counters.playbackXruns
        slips = counters.slips
        lostPeriods = counters.lostPeriods
        overruns = counters.microphoneOverruns
        losses = microphone.losses + loudspeaker.losses
        longestCycleMicroseconds = gauges.longestCycleMicroseconds
    }

    /// Names and values as they appear in the log.
    package var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "state": .public(conversation.name),
            "microphone": "\(microphone.name)",
            "loudspeaker": "\(loudspeaker.name)",
            "duplex": .public(echo.isFull ? "full" : "half"),
            "duplex_reason": .public(echo.reason),
            "echo_mode": .public(echo.worker.rawValue),
            "duplex_changes": .public(echo.changes),
            "gate_openings": .public(echo.openings),
            "shut_ms": .public(echo.periodsShut * 10),
            "echo_aligned": .public(echo.isAligned),
            "echo_jumps": .public(echo.jumps),
            "echo_moves": .public(echo.moves),
            "level_dbfs": .public(Int(level.rounded())),
            "peak_dbfs": .public(Int(peak.rounded())),
            "clipping": .public(isClipping),
            "capture_xruns": .public(captureXruns),
            "playback_xruns": .public(playbackXruns),
            "slips": .public(slips),
            "lost_periods": .public(lostPeriods),
            "microphone_overruns": .public(overruns),
            "device_losses": .public(losses),
            "cycle_max_us": .public(longestCycleMicroseconds),
        ]
        metadata.merge(echo.measured) { _, new in new }
        if let spending {
            metadata["spent_hour_usd"] = .public(BudgetReport.text(spending.hour.dollars))
            metadata["spent_today_usd"] = .public(BudgetReport.text(spending.day.dollars))
            if let until = spending.spentUntil { metadata["budget_spent_until"] = "\(until)" }
            metadata["talk_today_min"] = .public(Int(spending.day.minutes.rounded()))
        }
        return metadata
    }
}

extension DeviceState {
    package var name: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .lost: "lost"
        case .silent: "silent"
        case .resting: "resting"
        }
    }
}
