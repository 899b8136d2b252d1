internal import Logging
internal import VoiceBase
internal import VoiceNetwork
internal import VoiceReply

/// Asks through `/v1/responses` as a stream: the run outlives its connection, and a lost connection is replaced.
///
///     POST -> events -> lost? -> GET events after the last one -> ... -> completed, failed, cancelled
///
/// The server sends a heartbeat every ten seconds. A stream silent for longer is closed and rejoined until the caller gives
/// up; an unreachable server is given up after `Outage.patience`. `LostRun` decides about a question whose run is gone. A
/// question that gets no reply at all may be waiting behind a run that is not ours: see `StrayRun`.
struct ResponsesBackend: JarvisBackend {
    /// Pauses between attempts to rejoin a run; the last one repeats.
    static let pauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2)]
    private static let repetitions = 2

    let connection: JarvisConnection
    /// Longest time without any byte.
    let silence: Duration
    /// Maximum number of words spoken of a reply.
    let maximumWords: Int

    private enum Ended: Error {
        case finished
        /// The stream broke or ended early; the run may go on.
        case interrupted
        /// The request failed or was refused.
        case refused(JarvisFailure, status: Int?)
        /// Another client's run is in the way.
        case blocked(run: String?)
        case cancelled
    }

    /// The state of the attempt to get an answer.
    private struct Path {
        var run = ResponsesRun()
        /// Splits the reply into sentences; kept when the question is asked again, so that nothing is spoken twice.
        var speech: SpeechStream
        /// A segment ended after some of its sentences were spoken. If the next segment has words, those sentences are
        /// not part of the answer; if the reply ends with an empty segment, the answer is the segment before it.
        var hasSpokenSegment = false
        /// Runs of others seen in the conversation.
        var others: Set<String> = []
        let notice = Notice()
        /// Monotonic time of the latest bytes of the reply to the question itself.
        var replied: Duration?

        var hasBegun: Bool { run.runID != nil }

        init(speech: SpeechStream) { self.speech = speech }

        /// Follows this run from its first event; it may repeat what an earlier run wrote.
        mutating func follow(_ run: ResponsesRun) {
            self.run = run
            speech.withdrawn()
        }

        /// Takes a reply of a server that does not stream, or does not say that it does; false if it holds no answer.
        mutating func receive(whole reply: HTTPResponse) -> Bool {
            if run.receive(snapshot: reply.body) { return true }
            var parser = ServerSentEventParser()
            for event in (try? parser.feed(reply.body + Array("\n\n".utf8))) ?? [] { _ = run.handle(event) }
            if run.outcome == nil, case .success(let text) = JarvisReply.content(of: .success(reply), runsTools: true) {
                run.end(with: text)
            }
            return run.outcome != nil
        }
    }

    nonisolated(nonsending) func run(_ question: JarvisQuestion, onSign: (JarvisSign) -> Void) async -> JarvisOutcome {
        var path = Path(speech: SpeechStream(maximumWords: maximumWords, omitting: AgentBriefing.mark))
        var outcome = await answer(question, &path, onSign)
        if Task.isCancelled, path.run.outcome == nil {
            let state = await connection.withdraw(
                path.run.runID, in: question.sessionID, isDurable: true, others: path.others
            )
            outcome = JarvisOutcome(.failure(.cancelled), continuation: state?.lastResponseID)
            outcome.mayGoOn = state == nil
        }
        outcome.notice = path.notice.text
        outcome.replied = path.replied
        return outcome
    }

    nonisolated(nonsending) private func answer(
        _ question: JarvisQuestion,
        _ path: inout Path,
        _ onSign: (JarvisSign) -> Void
    ) async -> JarvisOutcome {
        var question = question
        var (hasWaited, hasCaughtUp, repeated) = (false, false, 0)
        while true {
            let outcome = await follow(question, &path, onSign)
            guard !Task.isCancelled else { return outcome }
            switch outcome.result {
            case .failure(.busy) where !hasWaited && path.others.isEmpty:
                hasWaited = true
                let state = await connection.waitUntilIdle(question.sessionID)
                question.previous = state?.lastResponseID ?? question.previous
                question.key += "-2"
                onSign(.askedAgain)
            case .failure(let failure) where !hasWaited && failure.pauseBeforeRepeating != nil && !path.hasBegun:
                hasWaited = true
                await connection.environment.sleep(failure.pauseBeforeRepeating ?? .zero)
                question.key += "-2"
                onSign(.askedAgain)
            case .failure(let failure) where failure.mayBeLength:
                var outcome = outcome
                outcome.hasWorked = path.run.showedWork
                if !outcome.hasWorked { outcome.hasWorked = await connection.hasWorked(on: question) }
                return outcome
            case .failure(.staleConversation) where !hasCaughtUp:
                // Without an id to continue from, a question would begin a new conversation.
                guard let state = await connection.state(of: question.sessionID) else { return outcome }
                hasCaughtUp = true
                question.previous = state.lastResponseID
                question.key += "-3"
            case .failure(.staleConversation): return JarvisOutcome(.failure(.busy))
            case .failure(.lost) where repeated < Self.repetitions:
                repeated += 1
                switch await examine(question, path) {
                case .failure(let failure):
                    var outcome = JarvisOutcome(.failure(failure))
                    outcome.mayGoOn = true
                    return outcome
                case .success((.report, let state)):
                    return JarvisOutcome(.failure(.lost), continuation: state?.lastResponseID)
                case .success((.join(let run), _)): path.follow(ResponsesRun(runID: run))
                case .success((.askAgain, let state)):
                    question.previous = state?.lastResponseID ?? question.previous
                    // A run that had not begun may still be on its way: under the same key it is the same run.
                    if path.hasBegun { question.key += "-r" }
                    path.follow(ResponsesRun())
                    onSign(.askedAgain)
                }
                continue
            case .failure(.lost) where !path.hasBegun:
                return JarvisOutcome(.failure(.cutOff(detail: "it closes every connection early")))
            default: return outcome
            }
            path.follow(ResponsesRun())
        }
    }

    /// Reads what the server has recorded of a question whose run is gone.
    private func examine(
        _ question: JarvisQuestion,
        _ path: Path
    ) async -> Result<(LostRun.Decision, JarvisState?), JarvisFailure> {
        var outage = Outage()
        for attempt in 0... {
            let result = await connection.transport.exchange(connection.request.messages(session: question.sessionID))
            switch result {
            case .failure(.cancelled): return .failure(.cancelled)
            case .failure(let failure):
                _ = outage.begin(at: connection.environment.now())
                let isGone = outage.isOver(at: connection.environment.now())
                guard !isGone, !Task.isCancelled else {
                    // The question had been sent: part of it may be done.
                    return .failure(.cutOff(detail: failure.reason))
                }
                await connection.environment.sleep(Self.pauses[min(attempt, Self.pauses.count - 1)])
            case .success:
                let state = await connection.state(of: question.sessionID)
                let lost = LostRun(
                    question: question.query, hadBegun: path.hasBegun, showedWork: path.run.showedWork,
                    record: JarvisRecord(result), activeRun: state?.activeRun
                )
                return .success((lost.decision, state))
            }
        }
        return .failure(.lost)
    }

    nonisolated(nonsending) private func follow(
        _ question: JarvisQuestion,
        _ path: inout Path,
        _ onSign: (JarvisSign) -> Void
    ) async -> JarvisOutcome {
        var request =
            path.run.runID.map { connection.request.events(run: $0, after: path.run.lastSequence) }
            ?? connection.request.response(question, previous: question.previous)
        var failures = 0
        var outage = Outage()
        while true {
            let before = path.run.lastSequence
            let ended = await read(request, question, &path, onSign)
            if path.run.lastSequence > before { failures = 0 }
            switch ended {
            case .finished: outage.end()
            case .cancelled: return JarvisOutcome(.failure(.cancelled))
            case .blocked(let run):
                if let run { path.others.insert(run) }
                // The question may have been accepted at the last moment.
                _ = await connection.withdraw(nil, in: question.sessionID, isDurable: true, others: path.others)
                return JarvisOutcome(.failure(.busy))
            case .refused(let failure, let status):
                // While the run is known, only the server itself can declare it lost.
                guard path.hasBegun else { return JarvisOutcome(.failure(failure)) }
                if status == 404 { return JarvisOutcome(.failure(.lost)) }
                if status == 409, await recover(&path) { break }
                // Asking again would change nothing.
                if failure == .authentication || failure == .tooLarge { return JarvisOutcome(.failure(failure)) }
                guard case .offline(let detail) = failure else { break }
                if outage.begin(at: connection.environment.now()) {
                    connection.logger.warning(
                        "Jarvis cannot be reached during a request", metadata: ["why": "\(detail)"]
                    )
                } else if outage.isOver(at: connection.environment.now()) {
                    var outcome = JarvisOutcome(.failure(.cutOff(detail: detail)))
                    outcome.mayGoOn = true
                    return outcome
                }
            case .interrupted:
                outage.end()
                guard path.hasBegun else { return JarvisOutcome(.failure(.lost)) }
            }
            if let result = path.run.outcome { return JarvisOutcome(result, continuation: path.run.continuation) }
            await connection.environment.sleep(Self.pauses[min(failures, Self.pauses.count - 1)])
            failures += 1
            if Task.isCancelled { return JarvisOutcome(.failure(.cancelled)) }
            if let id = path.run.runID { request = connection.request.events(run: id, after: path.run.lastSequence) }
        }
    }

    /// Reads one stream to its end.
    nonisolated(nonsending) private func read(
        _ request: HTTPRequest,
        _ question: JarvisQuestion,
        _ path: inout Path,
        _ onSign: (JarvisSign) -> Void
    ) async -> Ended {
        let isFirst = !path.hasBegun
        if isFirst { onSign(.sent(at: Monotonic.now())) }
        let stream: any JarvisReplyStream
        switch await opened(request, clearing: isFirst ? question : nil, path.notice) {
        case .success(let open): stream = open
        case .failure(let ended): return ended
        }
        defer { stream.close() }
        guard stream.head.status == 200, stream.head.mediaType == "text/event-stream" else {
            return await readWhole(stream, &path, isFirst: isFirst)
        }
        if isFirst, let id = stream.head.runID { path.follow(ResponsesRun(runID: id)) }
        var parser = ServerSentEventParser()
        while true {
            switch await next(of: stream) {
            case .failure(.cancelled): return Task.isCancelled ? .cancelled : .interrupted
            case .failure(.tooLarge): return .refused(.tooLarge, status: nil)
            case .failure, .success(nil): return .interrupted
            case .success(let bytes?):
                if isFirst { path.replied = Monotonic.now() }
                guard let events = try? parser.feed(bytes) else { return .refused(.tooLarge, status: nil) }
                for event in events {
                    switch path.run.handle(event) {
                    case .none: continue
                    case .words: tell(&path, onSign)
                    case .withdrawn: path.speech.withdrawn()
                    case .progress:
                        if !path.speech.given.isEmpty { path.hasSpokenSegment = true }
                        path.speech.segmentEnded()
                        tell(&path, onSign)
                    case .activity(let activity): connection.board.show(activity)
                    case .prompt(let prompt): onSign(.prompt(prompt))
                    case .streamEnded: return .interrupted
                    case .finished: return .finished
                    }
                }
            }
        }
    }

    /// Signals the sentences that are settled now. A reply preceded by a notice is not streamed.
    private func tell(_ path: inout Path, _ onSign: (JarvisSign) -> Void) {
        if path.hasSpokenSegment, !path.run.segment.allSatisfy(\.isWhitespace) {
            path.hasSpokenSegment = false
            onSign(.words([], given: []))
        }
        guard path.notice.text == nil else { return }
        let new = path.speech.consume(path.run.segment)
        if !new.isEmpty { onSign(.words(new, given: path.speech.given)) }
    }

    /// The next bytes. A stream that is silent for too long is closed.
    nonisolated(nonsending) private func next(of stream: any JarvisReplyStream) async -> Result<[UInt8]?, JarvisFailure>
    {
        let clock = Task {
            await connection.environment.expire(silence)
            if !Task.isCancelled { stream.close() }
        }
        defer { clock.cancel() }
        return await stream.read()
    }

    /// Opens the reply to a request; while a question waits for its reply, checks whether a run is in its way.
    private func opened(
        _ request: HTTPRequest,
        clearing question: JarvisQuestion?,
        _ notice: Notice
    ) async -> Result<any JarvisReplyStream, Ended> {
        await withTaskGroup(of: Result<any JarvisReplyStream, Ended>?.self) { group in
            group.addTask {
                await connection.transport.open(request).mapError { failure in
                    switch failure {
                    case .cutOff: .interrupted
                    case .cancelled: .cancelled
                    default: .refused(failure, status: nil)
                    }
                }
            }
            group.addTask {
                await connection.environment.expire(silence)
                return .failure(Task.isCancelled ? .cancelled : .interrupted)
            }
            if let question {
                group.addTask {
                    await connection.environment.expire(JarvisConnection.silenceBeforeLook)
                    guard case .busy(let run) = await connection.clearTheWay(for: question, notice) else { return nil }
                    return .failure(.blocked(run: run))
                }
            }
            defer { group.cancelAll() }
            for await case let opening? in group { return opening }
            return .failure(.interrupted)
        }
    }

    /// Reads a reply whose type is not an event stream.
    private func readWhole(_ stream: any JarvisReplyStream, _ path: inout Path, isFirst: Bool) async -> Ended {
        var reply = stream.head
        let limit = reply.status == 200 ? JarvisRequest.maximumReplyBytes : 64 << 10
        while reply.body.count < limit, case .success(let bytes?) = await next(of: stream) { reply.body += bytes }
        if isFirst { path.replied = Monotonic.now() }
        if reply.status == 200, path.receive(whole: reply) { return .finished }
        if case .failure(let failure) = JarvisReply.content(of: .success(reply), runsTools: true) {
            // The proxy's connection to the server broke: as with a connection of our own, the server knows what it did.
            if case .cutOff(let detail) = failure {
                return isFirst ? .interrupted : .refused(.offline(detail: detail), status: reply.status)
            }
            let isStale = isFirst && JarvisReply.isStale(reply)
            return .refused(isStale ? .staleConversation : failure, status: reply.status)
        }
        return .refused(.badReply(detail: "no event stream"), status: reply.status)
    }

    /// Ends the run from its snapshot, since its events are no longer kept.
    private func recover(_ path: inout Path) async -> Bool {
        guard let id = path.run.runID else { return false }
        let reply = await connection.transport.exchange(connection.request.snapshot(run: id))
        guard case .success(let response) = reply, response.status == 200 else { return false }
        return path.run.receive(snapshot: response.body)
    }
}
