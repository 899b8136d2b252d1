package import Logging
internal import Synchronization
package import VoiceAudio
package import VoiceConversation

/// How the daemon fares at one instant, for a line of the log and for whoever counts.
package struct DaemonStatus: Sendable {
    package let conversation: ConversationState
    package let microphone: DeviceState
    package let loudspeaker: DeviceState
    package let echo: EchoStatus
    /// dBFS: mean power and held peak of the raw microphone.
    package let level: Double
    package let peak: Double
    package let isClipping: Bool
    package let captureXruns: UInt64
    package let playbackXruns: UInt64
    package let slips: UInt64
    package let overruns: UInt64
    /// Times a device was given up, both sides.
    package let losses: UInt64
    package let longestCycleMicroseconds: Int
    package let spending: BudgetStatus?

    package init(_ pipes: AudioPipes, conversation: ConversationState, spending: BudgetStatus? = nil) {
        self.conversation = conversation
        self.spending = spending
        microphone = pipes.capture.state
        loudspeaker = pipes.playback.state
        echo = EchoStatus(pipes)
        level = Double(pipes.microphoneLevel.load(ordering: .relaxed)) / 10
        peak = Double(pipes.microphonePeakHold.load(ordering: .relaxed)) / 10
        isClipping = pipes.microphoneClips.load(ordering: .relaxed)
        captureXruns = pipes.captureXruns.load(ordering: .relaxed)
        playbackXruns = pipes.playbackXruns.load(ordering: .relaxed)
        slips = pipes.slips.load(ordering: .relaxed)
        overruns = pipes.microphoneOverruns.load(ordering: .relaxed)
        losses =
            pipes.capture.losses.load(ordering: .relaxed) + pipes.playback.losses.load(ordering: .relaxed)
        longestCycleMicroseconds = pipes.cycleMaxMicroseconds.load(ordering: .relaxed)
    }

    /// Name and value, as the log has them.
    package var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "state": "\(conversation.name)",
            "microphone": "\(microphone.name)",
            "loudspeaker": "\(loudspeaker.name)",
            "duplex": "\(echo.state.isFull ? "full" : "half")",
            "duplex_reason": "\(echo.reason)",
            "echo_mode": "\(echo.worker.rawValue)",
            "duplex_changes": "\(echo.changes)",
            "gate_openings": "\(echo.openings)",
            "shut_ms": "\(echo.periodsShut * 10)",
            "echo_aligned": "\(echo.isAligned)",
            "echo_jumps": "\(echo.jumps)",
            "echo_moves": "\(echo.moves)",
            "level_dbfs": "\(Int(level.rounded()))",
            "peak_dbfs": "\(Int(peak.rounded()))",
            "clipping": "\(isClipping)",
            "capture_xruns": "\(captureXruns)",
            "playback_xruns": "\(playbackXruns)",
            "slips": "\(slips)",
            "microphone_overruns": "\(overruns)",
            "device_losses": "\(losses)",
            "cycle_max_us": "\(longestCycleMicroseconds)",
        ]
        metadata.merge(echo.measured) { _, new in new }
        if let spending {
            metadata["spent_hour_usd"] = "\(BudgetReport.text(spending.hour.dollars))"
            metadata["spent_today_usd"] = "\(BudgetReport.text(spending.day.dollars))"
            if let until = spending.spentUntil { metadata["budget_spent_until"] = "\(until)" }
            metadata["talk_today_min"] = "\(Int(spending.day.minutes.rounded()))"
        }
        return metadata
    }
}

extension DeviceState {
    /// One word.
    package var name: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .lost: "lost"
        case .silent: "silent"
        }
    }
}
