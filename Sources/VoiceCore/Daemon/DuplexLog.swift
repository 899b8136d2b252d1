internal import Logging

/// Which changes between full and half duplex are worth a line of the log.
///
/// A state is told once it has lasted for a second and differs from the one told last; lines are a minute apart at
/// least, so that a canceller on the edge does not fill the journal. What is learned within that second, and learning
/// itself at the start, is nobody's business.
struct DuplexLog: Sendable {
    struct Line: Sendable {
        var text: String
        var metadata: Logger.Metadata
        /// Someone should do something about it.
        var isTrouble: Bool
    }

    static let settling = Duration.seconds(1)
    static let spacing = Duration.seconds(60)

    private var told: DuplexState?
    private var lastLine: Duration?
    private var current = DuplexState.learning
    private var since: Duration?

    /// Takes the status as it is at `now`; returns the line to write, if any.
    mutating func step(_ status: EchoStatus, at now: Duration) -> Line? {
        if since == nil || status.state != current {
            current = status.state
            since = now
        }
        guard let since, now - since >= Self.settling, isNews(current) else { return nil }
        if let lastLine, now - lastLine < Self.spacing { return nil }
        told = current
        lastLine = now
        return line(status)
    }

    /// Full duplex with or without audible echo is all the same to the reader.
    private func isNews(_ state: DuplexState) -> Bool {
        guard let told else { return state != .learning && state != .forcedFull && state != .forcedHalf }
        return state.isFull != told.isFull || !state.isFull && state != told
    }

    private func line(_ status: EchoStatus) -> Line {
        var metadata: Logger.Metadata = ["reason": "\(status.state.reason)"]
        if status.blocks > 0 { metadata.merge(status.measured) { _, new in new } }
        let text =
            switch status.state {
            case .clear, .good, .forcedFull: "echo: full duplex"
            case .learning: "echo: the echo has changed, learning it again"
            case .poor: "echo: half duplex, the echo is too strong; see jarvis-voiced echo-test"
            case .clipping: "echo: half duplex, the loudspeaker overdrives the microphone; lower one of them"
            case .cancellerOff:
                "echo: half duplex, because the echo canceller is off; headphones: echo.duplex = \"full\""
            case .forcedHalf: "echo: half duplex"
            }
        return Line(
            text: text,
            metadata: metadata,
            isTrouble: status.state == .poor || status.state == .clipping
        )
    }
}
