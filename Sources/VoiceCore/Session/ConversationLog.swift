internal import Logging
internal import VoiceBase
internal import VoiceConversation

/// Writes a conversation to the log: one line per state change, one per call, one per turn.
struct ConversationLog: Sendable {
    let logger: Logger
    /// Whether transcripts may appear.
    var transcripts: Bool

    /// - Parameter turn: the number of the turn in which the effect happens; 0 before the first.
    func write(_ effect: ConversationEffect, turn: Int = 0) {
        switch effect {
        case .stateChanged(let from, let to):
            logger.info("state", metadata: .event(.state, ["from": .public(from.name), "to": .public(to.name)]))
        case .turnEnded(let report): write(report)
        case .note(let note): write(note, turn: turn)
        case .connect: logger.debug("connecting")
        case .connectBeside: logger.debug("opening the next session beside this one")
        case .send(let request): logger.trace("sent", metadata: ["type": "\(request.name)"])
        default: break
        }
    }

    func write(_ timing: CallTiming) {
        var metadata: Logger.Metadata = ["call": "\(timing.callID)", "turn": .public(timing.turn)]
        metadata["dispatch_ms"] = timing.dispatch.map { .public(Self.milliseconds($0, digits: 3)) }
        metadata["agent_ms"] = timing.agent.map { .public(Self.milliseconds($0)) }
        metadata["output_ms"] = timing.delivery.map { .public(Self.milliseconds($0, digits: 3)) }
        logger.info("call answered", metadata: .event(.callAnswered, metadata))
    }

    /// Logs a line of the transcript, to the journal only.
    func write(_ line: TranscriptLine) {
        guard transcripts else { return }
        var metadata: Logger.Metadata = [
            "line": .public(line.number), "speaker": .public(line.speaker.rawValue), "text": "\(line.text)",
        ]
        if let heard = line.heard {
            metadata["interrupted"] = .public("yes")
            metadata["heard_ms"] = .public(heard)
        }
        if let name = line.name { metadata["name"] = "\(name)" }
        if line.isLate { metadata["late"] = .public("yes") }
        logger.info("said", metadata: .event(.said, metadata))
    }

    func write(_ signal: BudgetSignal) {
        switch signal {
        case .near(let report):
            logger.warning("most of the budget is spent", metadata: .event(.budgetNear, Self.metadata(report)))
        case .spent(let report):
            logger.warning(
                "the budget is spent: no conversation until it is renewed",
                metadata: .event(.budgetSpent, Self.metadata(report))
            )
        case .renewed:
            logger.info("the budget is renewed", metadata: .event(.budgetRenewed))
        }
    }

    private static func metadata(_ report: BudgetReport) -> Logger.Metadata {
        ["period": .public(report.period.rawValue), "spent": .public(report.amounts), "until": "\(report.until)"]
    }

    private func write(_ report: TurnReport) {
        var metadata: Logger.Metadata = ["turn": .public(report.number), "calls": .public(report.calls)]
        func stage(_ name: String, _ time: Duration?) {
            if let time { metadata[name] = .public(Self.milliseconds(time)) }
        }
        stage("dispatched_ms", report.dispatched)
        stage("acknowledged_ms", report.acknowledged)
        stage("answered_ms", report.answered)
        stage("first_delta_ms", report.firstDelta)
        stage("first_sample_ms", report.firstSample)
        if report.interrupted { metadata["interrupted"] = .public("yes") }
        if let waited = report.waited { metadata["waited"] = .public(waited) }
        if let failure = report.failure { metadata["failed"] = .public(failure.rawValue) }
        logger.info("turn", metadata: .event(.turn, metadata))
    }

    private func write(_ note: ConversationNote, turn: Int) {
        switch note {
        case .sessionOpened(let id, _):
            logger.info("session opened", metadata: .event(.sessionOpened, ["id": "\(id ?? "unnamed")"]))
        case .connectionLost(let failure, .zero):
            logger.info("the session has ended, opening the next one: \(private: failure.reason)")
        case .connectionLost(let failure, let pause):
            logger.warning(
                "connection lost: \(private: failure.reason)",
                metadata: .event(.connectionLost, ["retry_in_ms": .public(Self.milliseconds(pause))])
            )
        case .sessionSwapped(let id):
            logger.info(
                "the next session has taken over", metadata: .event(.sessionRotated, ["id": "\(id ?? "unnamed")"])
            )
        case .serviceReplaced(let name, let other, let reason?):
            logger.warning(
                "\(other) takes the place of \(name): \(private: reason)",
                metadata: .event(.serviceReplaced, ["service": .public(other)])
            )
        case .serviceReplaced(_, let other, nil):
            logger.notice("\(other) is back", metadata: .event(.serviceReplaced, ["service": .public(other)]))
        case .rotationFailed(let reason):
            logger.warning(
                "the next session cannot be opened yet, this one continues: \(private: reason)",
                metadata: .event(.rotationFailed)
            )
        case .questionLost(true):
            logger.info(
                "the session ended before its answer, the question is asked again", metadata: .event(.questionLost)
            )
        case .questionLost(false):
            logger.warning(
                "the session ended before its answer, the question is lost", metadata: .event(.questionLost)
            )
        case .questionGivenUp:
            logger.warning(
                "a second session ended before the answer to the same question; the question is dropped",
                metadata: .event(.questionLost)
            )
        case .refused(let reason):
            logger.error(
                "the service refuses the connection: \(private: reason); \"jarvis-voiced doctor\" says what to change",
                metadata: .event(.serviceRefused)
            )
        case .settingsDiffer(let paths):
            logger.warning(
                "the service changed the settings", metadata: ["settings": "\(paths.joined(separator: ","))"]
            )
        case .serviceError(let error):
            logger.warning(
                "the service reported an error: \(private: error.text)",
                metadata: .event(.serviceError, ["code": "\(error.name)", "param": "\(error.setting ?? "-")"])
            )
        case .responseFailed(let status, let reason):
            logger.warning(
                "a response did not complete",
                metadata: .event(.responseFailed, ["status": "\(status)", "reason": "\(reason ?? "-")"])
            )
        case .silentResponse(let hadWords):
            logger.warning(
                hadWords ? "an answer had words but no sound" : "the service ended a response without a word",
                metadata: .event(.responseFailed)
            )
        case .noAnswer(let limit):
            logger.warning(
                "the service has not answered the user in time",
                metadata: .event(.responseFailed, ["ms": .public(Self.milliseconds(limit))])
            )
        case .fieldsLeftOut(let fields):
            logger.warning(
                "the service does not accept these settings or events; left out for this session",
                metadata: ["settings": "\(fields.joined(separator: ","))"]
            )
        case .callStarted(let call):
            logger.info(
                "call",
                metadata: .event(.toolCall, ["tool": "\(call.name)", "call": "\(call.callID)", "turn": .public(turn)])
            )
            if transcripts { logger.info("asked", metadata: ["arguments": "\(call.arguments)"]) }
        case .callRepeated(let callID):
            logger.debug("duplicate call ignored", metadata: ["call": "\(callID)"])
        case .callIncomplete(let callID):
            logger.info("incomplete call ignored", metadata: ["call": "\(callID)"])
        case .callsLimited:
            logger.warning("the model calls tools without end: further calls are refused until the user speaks again")
        case .callStopped(let callID):
            logger.info("call dropped: the user said stop", metadata: ["call": "\(callID)"])
        case .outputSent(let callID):
            logger.debug("tool output sent", metadata: ["call": "\(callID)"])
        case .serviceTool(let tool, let status):
            logger.info(
                "the service uses a tool", metadata: .event(.serviceTool, ["tool": "\(tool)", "status": "\(status)"])
            )
        case .heard, .spoken, .typedQuestion:
            // Transcripts are written in the order of the conversation; see `TranscriptLine`.
            break
        case .budgetSpent(let until):
            logger.notice("the budget is spent: no conversation", metadata: .event(.budgetSpent, ["until": "\(until)"]))
        case .speechDropped(let source, let count):
            logger.notice("dropped unheard", metadata: ["source": .public(source), "count": .public(count)])
        case .saidByLocalVoice(let source):
            logger.notice(
                "the voice service did not say it; the local voice does", metadata: ["source": .public(source)]
            )
        case .answerKept:
            logger.notice("the service takes no answer to an earlier session's call; it is kept for another voice")
        case .lost(let loss): write(loss)
        case .news(let what): logger.info("the service: \(private: what)")
        case .unexpected(let what):
            logger.debug("unexpected: \(private: what)")
        }
    }

    private func write(_ loss: StreamLoss) {
        switch loss {
        case .microphone(let milliseconds):
            logger.warning(
                "the network did not accept the microphone's audio in time; the oldest was dropped",
                metadata: .event(.soundLost, ["lost_ms": .public(milliseconds)])
            )
        case .voice(let milliseconds):
            logger.warning(
                "playback queue full: speech dropped", metadata: .event(.soundLost, ["lost_ms": .public(milliseconds)])
            )
        case .messages(let count):
            logger.warning("the service sent an unreadable message", metadata: ["messages": .public(count)])
        }
    }

    /// Formats a time for the log, in ms, with 0 or 3 decimals.
    private static func milliseconds(_ time: Duration, digits: Int = 0) -> String {
        guard digits > 0 else { return String(Int(time.fractionalMilliseconds.rounded())) }
        let micros = Int((time.fractionalMilliseconds * 1000).rounded())
        let fraction = String(abs(micros) % 1000)
        return "\(micros < 0 ? "-" : "")\(abs(micros) / 1000)." + String(repeating: "0", count: 3 - fraction.count)
            + fraction
    }
}
