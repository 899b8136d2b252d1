package import Logging
package import VoiceAudio
internal import VoiceBase
package import VoiceConversation

/// A snapshot of the daemon's health, for the log and for monitoring.
package struct DaemonStatus: Sendable {
    package let conversation: ConversationState
    package let microphone: DeviceState
    package let loudspeaker: DeviceState
    package let engine: EngineSnapshot
    /// Whether microphone and loudspeaker have both been open; until then, nothing is known of an echo.
    package let hasHeardEcho: Bool
    /// Number of times a device was lost, on either side.
    package let losses: UInt64
    package let spending: BudgetStatus?

    package init(
        _ gauges: EngineGauges,
        microphone: DeviceSlot,
        loudspeaker: DeviceSlot,
        conversation: ConversationState,
        spending: BudgetStatus? = nil
    ) {
        self.conversation = conversation
        self.spending = spending
        self.microphone = microphone.state
        self.loudspeaker = loudspeaker.state
        engine = gauges.snapshot
        hasHeardEcho = microphone.openings > 0 && loudspeaker.openings > 0
        losses = microphone.losses + loudspeaker.losses
    }

    package var echo: EchoStatus { engine.echo }
    /// Mean power of the raw microphone signal, in whole dBFS.
    package var level: Int { Self.decibels(engine.levels.level) }

    private static func decibels(_ tenths: Int) -> Int { Int((Double(tenths) / 10).rounded()) }

    /// Names and values as they appear in the log.
    package var metadata: Logger.Metadata {
        let counters = engine.counters
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
            "level_dbfs": .public(level),
            "peak_dbfs": .public(Self.decibels(engine.levels.heldPeak)),
            "clipping": .public(engine.levels.isClipping),
            "capture_xruns": .public(counters.captureXruns),
            "playback_xruns": .public(counters.playbackXruns),
            "slips": .public(counters.slips),
            "lost_periods": .public(counters.lostPeriods),
            "microphone_overruns": .public(counters.microphoneOverruns),
            "device_losses": .public(losses),
            "cycle_max_us": .public(engine.longestCycleMicroseconds),
        ]
        metadata.merge(echo.metadata) { _, new in new }
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
