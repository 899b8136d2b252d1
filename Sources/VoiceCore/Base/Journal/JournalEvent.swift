package import Logging

/// The event of a journal entry: the field JARVIS_EVENT, for `journalctl JARVIS_EVENT=tool_call`.
///
/// A log line names its event under the key "event" of its metadata. On a terminal the key is omitted, since the message
/// says it.
package enum JournalEvent: String, CaseIterable, Sendable {
    case starting
    case ready
    case stopping
    case stopped
    case reloaded
    case reloadFailed = "reload_failed"
    case status
    case health
    case state
    case turn
    case toolCall = "tool_call"
    case callAnswered = "call_answered"
    case said
    case sessionOpened = "session_opened"
    case sessionRotated = "session_rotated"
    case rotationFailed = "rotation_failed"
    case connectionLost = "connection_lost"
    case serviceRefused = "service_refused"
    case serviceReplaced = "service_replaced"
    case serviceError = "service_error"
    case serviceTool = "service_tool"
    case responseFailed = "response_failed"
    case questionLost = "question_lost"
    case soundLost = "sound_lost"
    case deviceWaiting = "device_waiting"
    case deviceLost = "device_lost"
    case deviceRunning = "device_running"
    case deviceSilent = "device_silent"
    case deviceHeard = "device_heard"
    case soundDisturbed = "sound_disturbed"
    case duplex
    case agentReady = "agent_ready"
    case agentAnswered = "agent_answered"
    case agentFailed = "agent_failed"
    case budgetNear = "budget_near"
    case budgetSpent = "budget_spent"
    case budgetRenewed = "budget_renewed"
    case control
    case commandRefused = "command_refused"
    case timer
    case logLost = "log_lost"

    /// The key of a log line's metadata.
    package static let key = "event"

    /// The message ID of the most important events. The catalog (systemd/jarvis-voiced.catalog) explains them; `journalctl
    /// -x` shows it. Random numbers, never changed, since others may search for them.
    package var messageID: String? {
        switch self {
        case .ready: "a774742f9f4448a0b6f8e1649019da3e"
        case .sessionOpened: "630f328c6c664fcca83426810e2ae284"
        case .connectionLost: "8d60f8a11bfe4160a55e201142ecb66b"
        case .serviceRefused: "ad44f42573bd4107978a7acfe605aad1"
        case .deviceWaiting: "b757dac756b3486bad5c84a3890ca103"
        case .deviceLost: "09de6d38b3444edda9e7ff704344027f"
        case .deviceRunning: "37278df9e53949ee88816f2d75ea482a"
        case .agentFailed: "ab1007ad920642ebb28758cbacfbfda3"
        case .budgetSpent: "0efcaf1836f34d50acf78f76469c7303"
        case .reloaded: "c38b876075444bd6be95730b4d1c4102"
        default: nil
        }
    }

    /// Whether it is a problem that recurs while nothing changes; such a problem is logged once per change.
    package var isTrouble: Bool {
        switch self {
        case .connectionLost, .serviceRefused, .rotationFailed, .serviceError, .responseFailed, .deviceWaiting,
            .deviceLost,
            .agentFailed, .soundLost, .commandRefused:
            true
        default: false
        }
    }

    /// The problems that this event ends.
    package var ends: [JournalEvent] {
        switch self {
        case .sessionOpened: [.connectionLost, .serviceRefused]
        case .sessionRotated: [.rotationFailed]
        case .turn: [.serviceError, .responseFailed, .soundLost]
        case .deviceRunning: [.deviceWaiting, .deviceLost]
        case .agentAnswered, .agentReady: [.agentFailed]
        case .control: [.commandRefused]
        default: []
        }
    }
}

extension Logger.Metadata {
    /// The metadata of a line about an event.
    package static func event(_ event: JournalEvent, _ values: Logger.Metadata = [:]) -> Logger.Metadata {
        var metadata = values
        metadata[JournalEvent.key] = "\(event.rawValue)"
        return metadata
    }
}
