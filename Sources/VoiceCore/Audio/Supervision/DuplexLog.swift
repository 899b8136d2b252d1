package import Logging
internal import VoiceBase

/// Selects the changes between full and half duplex that are worth a line of the log.
///
/// A state is logged once it has lasted for a second and differs from the last one logged. Lines are at least a minute apart,
/// so that a canceller on the edge does not fill the journal. States within that second, and learning at the start, are not
/// logged. A move of the box is logged immediately, at most once a minute, as the state often stays the same.
struct DuplexLog: Sendable {
    struct Line: Sendable {
        var text: String
        var metadata: Logger.Metadata
        /// Whether the user should act.
        var isTrouble: Bool
    }

    static let settling = Duration.seconds(1)
    static let spacing = Duration.seconds(60)

    private var logged: DuplexState?
    private var worker: EchoWorker?
    private var lastLine: Duration?
    private var current = DuplexState.learning
    private var since: Duration?
    private var moves: UInt64 = 0
    private var lastMove: Duration?

    /// Takes the status at `now`; returns the line to write, if any.
    mutating func step(_ status: EchoStatus, at now: Duration) -> Line? {
        defer { worker = status.worker }
        if worker == .hardware, status.worker == .both {
            return Line(
                text:
                    "echo: the device leaves too much of it, and the daemon's canceller now works as well;"
                    + " see jarvis-voiced echo-test",
                metadata: ["reason": .public("device_canceller_poor"), "mode": .public("both")],
                isTrouble: true
            )
        }
        if let line = move(status, at: now) { return line }
        if since == nil || status.state != current {
            current = status.state
            since = now
        }
        guard let since, now - since >= Self.settling, isNews(current) else { return nil }
        if let lastLine, now - lastLine < Self.spacing { return nil }
        logged = current
        lastLine = now
        return line(status)
    }

    private mutating func move(_ status: EchoStatus, at now: Duration) -> Line? {
        guard status.moves != moves else { return nil }
        moves = status.moves
        guard status.isLearningMove else { return nil }
        if let lastMove, now - lastMove < Self.spacing { return nil }
        lastMove = now
        var metadata: Logger.Metadata = ["reason": .public("moved")]
        metadata.merge(status.metadata) { own, _ in own }
        return Line(text: "echo: \(EchoStatus.movedNote)", metadata: metadata, isTrouble: false)
    }

    /// Returns whether a state is news. Full duplex with and without audible echo are the same to the reader.
    private func isNews(_ state: DuplexState) -> Bool {
        guard let logged else { return state != .learning && state != .forcedFull && state != .forcedHalf }
        return state.isFull != logged.isFull || !state.isFull && state != logged
    }

    private func line(_ status: EchoStatus) -> Line {
        var metadata: Logger.Metadata = [
            "reason": .public(status.state.reason), "mode": .public(status.worker.rawValue),
        ]
        if status.blocks > 0 { metadata.merge(status.metadata) { _, new in new } }
        let text =
            switch status.state {
            case .clear, .good, .forcedFull: "echo: full duplex"
            case .learning: "echo: the echo has changed, learning it again"
            case .poor, .clipping: "echo: \(EchoStatus.strainedNote)"
            case .cancellerOff:
                "echo: half duplex, because the echo canceller is off; for headphones, set echo.duplex = \"full\""
            case .forcedHalf: "echo: half duplex"
            }
        return Line(
            text: text, metadata: metadata, isTrouble: status.isStrained
        )
    }
}

extension EchoStatus {
    /// The measurements for the log.
    package var metadata: Logger.Metadata {
        Dictionary(uniqueKeysWithValues: measured.map { ($0.log, .public($0.value)) })
    }
}
