/// Asks by `/v1/responses` as a stream: the run outlives its connection, and a lost connection is made anew.
///
///     POST -> events -> lost? -> GET events after the last one -> ... -> completed, failed, cancelled
///
/// The server shows every ten seconds that it lives. A stream without any byte for longer is given up and joined anew,
/// until the one who asks gives up. A run the server no longer knows (it was restarted) is asked for again only when
/// no tool had been used, since tools may have done something.
struct ResponsesBackend: JarvisBackend {
    /// Pauses between attempts to join a run again; the last one repeats.
    static let pauses: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)]
    private static let repetitions = 2

    let connection: JarvisConnection
    /// Longest time without a sign of life.
    let silence: Duration

    private enum Ended {
        case finished
        /// The stream broke or ended early; the run may go on.
        case interrupted
        /// Nothing came of it.
        case refused(JarvisFailure, status: Int?)
        case cancelled
    }

    func run(_ question: JarvisQuestion, onPrompt: @escaping @Sendable (JarvisPrompt) -> Void) async -> JarvisOutcome {
        var question = question
        var hasRecovered = false
        for attempt in 0... {
            var run = ResponsesRun()
            let outcome = await follow(question, &run, onPrompt)
            if Task.isCancelled {
                if let id = run.runID, run.outcome == nil { connection.tell(connection.request.cancel(run: id)) }
                return JarvisOutcome(.failure(.cancelled))
            }
            switch outcome.result {
            case .failure(.busy) where !hasRecovered:
                // Another run, or an id that is not the latest any more.
                hasRecovered = true
                let state = await connection.waitUntilIdle(question.sessionID)
                question.previous = state?.lastResponseID ?? question.previous
                question.key += "-2"
            case .failure(.staleConversation) where !hasRecovered:
                hasRecovered = true
                question.previous = await connection.state(of: question.sessionID)?.lastResponseID
                question.key += "-3"
            case .failure(.lost) where !run.usedTools && attempt < Self.repetitions:
                question.previous = await connection.state(of: question.sessionID)?.lastResponseID ?? question.previous
                question.key += "-r"
            case .failure(.staleConversation): return JarvisOutcome(.failure(.busy))
            default: return outcome
            }
        }
        return JarvisOutcome(.failure(.lost))
    }

    private func follow(
        _ question: JarvisQuestion,
        _ run: inout ResponsesRun,
        _ onPrompt: @Sendable (JarvisPrompt) -> Void
    ) async -> JarvisOutcome {
        var request = connection.request.response(question, previous: question.previous)
        var failures = 0
        while true {
            let before = run.lastSequence
            let ended = await read(request, &run, isFirst: run.runID == nil, onPrompt)
            if run.lastSequence > before { failures = 0 }
            switch ended {
            case .finished: break
            case .cancelled: return JarvisOutcome(.failure(.cancelled))
            case .refused(let failure, let status):
                // While the run is known, only the server itself can say that it is lost.
                guard run.runID != nil else { return JarvisOutcome(.failure(failure)) }
                if status == 404 { return JarvisOutcome(.failure(.lost)) }
                if status == 409, await recover(&run) { break }
                if failure == .authentication { return JarvisOutcome(.failure(failure)) }
            case .interrupted:
                // Sent twice under one key it is one run.
                if run.runID == nil, failures >= Self.repetitions {
                    return JarvisOutcome(.failure(.offline(detail: "the connection broke")))
                }
            }
            if let result = run.outcome { return JarvisOutcome(result, continuation: run.continuation) }
            await connection.surroundings.sleep(Self.pauses[min(failures, Self.pauses.count - 1)])
            failures += 1
            if Task.isCancelled { return JarvisOutcome(.failure(.cancelled)) }
            if let id = run.runID { request = connection.request.events(run: id, after: run.lastSequence) }
        }
    }

    /// Reads one stream to its end.
    private func read(
        _ request: JarvisHTTPRequest,
        _ run: inout ResponsesRun,
        isFirst: Bool,
        _ onPrompt: @Sendable (JarvisPrompt) -> Void
    ) async -> Ended {
        let transport = connection.transport
        let opened = await patiently { await transport.open(request) }
        let stream: any JarvisReplyStream
        switch opened {
        case nil: return Task.isCancelled ? .cancelled : .interrupted
        case .failure(let fault):
            if case .connectionLost = fault { return .interrupted }
            let failure = JarvisReply.failure(of: fault)
            return failure == .cancelled ? .cancelled : .refused(failure, status: nil)
        case .success(let open): stream = open
        }
        defer { stream.close() }
        guard stream.head.status == 200, stream.head.mediaType == "text/event-stream" else {
            return await refusal(stream, isFirst: isFirst)
        }
        if isFirst, let id = stream.head.runID { run = ResponsesRun(runID: id) }
        var parser = ServerSentEventParser()
        while true {
            guard let next = await patiently({ await stream.next() }) else {
                return Task.isCancelled ? .cancelled : .interrupted
            }
            switch next {
            case .failure(.cancelled): return .cancelled
            case .failure(.replyTooLarge): return .refused(.tooLarge, status: nil)
            case .failure: return .interrupted
            case .success(nil): return .interrupted
            case .success(let bytes?):
                guard let events = try? parser.feed(bytes) else { return .refused(.tooLarge, status: nil) }
                for event in events {
                    switch run.handle(event) {
                    case .none, .progress: continue
                    case .prompt(let prompt): onPrompt(prompt)
                    case .streamEnded: return .interrupted
                    case .finished: return .finished
                    }
                }
            }
        }
    }

    private func refusal(_ stream: any JarvisReplyStream, isFirst: Bool) async -> Ended {
        var reply = stream.head
        while reply.body.count < 64 << 10, case .success(let bytes?)? = await patiently({ await stream.next() }) {
            reply.body += bytes
        }
        if reply.status == 200, reply.mediaType == "application/json" {
            return .refused(.badReply(detail: "no event stream"), status: 200)
        }
        if case .failure(let failure) = JarvisReply.content(of: .response(reply)) {
            let isStale = isFirst && JarvisReply.isStale(reply)
            return .refused(isStale ? .staleConversation : failure, status: reply.status)
        }
        return .refused(.badReply(detail: "no event stream"), status: reply.status)
    }

    /// The events are no longer kept: the snapshot of the run has the end of it.
    private func recover(_ run: inout ResponsesRun) async -> Bool {
        guard let id = run.runID else { return false }
        let reply = await connection.transport.exchange(connection.request.snapshot(run: id))
        guard case .response(let response) = reply, response.status == 200 else { return false }
        return run.take(snapshot: response.body)
    }

    private func patiently<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value? {
        await Patience.value(within: silence, sleep: connection.surroundings.sleep, of: work)
    }
}
