/// The faults of one connection, drawn from a seed before it begins, so that a run can be repeated.
package struct FaultPlan: Sendable, Equatable {
    /// How the connection begins.
    package enum Opening: Sendable, Equatable {
        case sound
        case refuse(status: Int)
        /// The upgrade request is read or left unread, and not answered.
        case hang(reads: Bool)
        case cut
        case garbage
        case silent
        case invalidKey
        case rejectSettings(code: String, param: String?)
        case lateSettings(milliseconds: Int)
    }

    /// One fault and the event that triggers it.
    package struct Strike: Sendable, Equatable {
        /// Number of events that the service has sent in the session by then.
        package var event: Int
        package var kind: FaultKind
        /// Milliseconds or bytes, for kinds that have an extent.
        package var extent: Int
    }

    package var opening = Opening.sound
    /// In order of their events.
    package var strikes: [Strike] = []
    /// The user's turns and the model's answers.
    package private(set) var turns: [ConversationScript.Turn] = []
    /// Every how many call outputs meet a response that the service began unasked; 0 for none.
    package private(set) var raceEvery = 0
    /// Delays of the transcripts of the user's turns, used in rotation, in milliseconds.
    package private(set) var transcriptDelays = [40]

    /// Which faults may happen, and how often.
    package struct Mix: Sendable, Equatable {
        /// Share of connections with a faulty opening, in percent.
        package var badOpenings = 25
        /// Number of events from one fault to the next.
        package var gap = 3...70
        /// Share of turns that the model answers in an unusual way, in percent.
        package var oddTurns = 35
        /// Duration of a stall, in milliseconds; a longer one would end the session.
        package var stall = 50...900
        /// Longest text of an enormous event, in bytes.
        package var enormous = 300_000

        package init() {}
    }

    /// The plan of the connection with this number.
    package init(seed: UInt64, connection: Int, mix: Mix = Mix()) {
        var random = SplitMix(seed: seed &* 0x9E37_79B9 &+ UInt64(connection) &* 0x1_0001)
        if Int.random(in: 0..<100, using: &random) < mix.badOpenings { opening = Self.drawOpening(&random) }
        var event = Int.random(in: mix.gap, using: &random)
        for _ in 0..<200 {
            let strike = Self.drawStrike(event, mix, &random)
            strikes.append(strike)
            if strike.kind.endsSession { break }
            event += Int.random(in: mix.gap, using: &random)
        }
        for number in 0..<60 { turns.append(Self.drawTurn(number, connection, mix, &random)) }
        raceEvery = Int.random(in: 0...4, using: &random)
        transcriptDelays = (0..<8).map { _ in
            Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 100...1500, using: &random) : 40
        }
    }

    /// The same plan, with the session closed at this event if it would last longer.
    func ending(by event: Int) -> FaultPlan {
        var plan = self
        plan.strikes.removeAll { $0.event >= event }
        if !plan.strikes.contains(where: \.kind.endsSession) {
            plan.strikes.append(Strike(event: event, kind: .closed, extent: 0))
        }
        return plan
    }

    private static func drawOpening(_ random: inout SplitMix) -> Opening {
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: .refuse(status: [401, 403, 404, 429, 500, 503].randomElement(using: &random) ?? 500)
        case 2: .hang(reads: Bool.random(using: &random))
        case 3: .cut
        case 4: .garbage
        case 5: .silent
        case 6: .invalidKey
        case 7:
            Bool.random(using: &random)
                ? .rejectSettings(code: "invalid_value", param: "session.tools")
                : .rejectSettings(code: "server_error", param: nil)
        default: .lateSettings(milliseconds: Int.random(in: 50...500, using: &random))
        }
    }

    private static let ending: [FaultKind] = [.droppedBefore, .droppedAfter, .reset, .closed, .halfOpen, .expired]
    private static let passing: [FaultKind] = [
        .stalledWriting, .stalledReading, .duplicated, .unknown, .malformed, .binary, .incompleteEvent, .wrongTypes,
        .enormous, .errorEvent,
    ]

    private static func drawStrike(_ event: Int, _ mix: Mix, _ random: inout SplitMix) -> Strike {
        let isEnd = Int.random(in: 0..<4, using: &random) == 0
        let kind = (isEnd ? ending : passing).randomElement(using: &random) ?? .unknown
        let extent =
            switch kind {
            case .stalledWriting, .stalledReading: Int.random(in: mix.stall, using: &random)
            case .enormous: Int.random(in: 1000...max(1000, mix.enormous), using: &random)
            default: Int.random(in: 0..<1000, using: &random)
            }
        return Strike(event: event, kind: kind, extent: extent)
    }

    // MARK: Turns

    private static let answers = ["Two things.", "It rains in the morning.", "Yes, of course, at noon."]

    private static func drawTurn(
        _ number: Int,
        _ connection: Int,
        _ mix: Mix,
        _ random: inout SplitMix
    ) -> ConversationScript.Turn {
        let name = "\(connection)-\(number)"
        func call(_ part: Int = 0) -> ConversationScript.Call {
            .init(tool: "ask_jarvis", arguments: ["query": .string("Question \(name)-\(part)?")])
        }
        let say = answers.randomElement(using: &random) ?? ""
        let isOdd = Int.random(in: 0..<100, using: &random) < mix.oddTurns
        guard isOdd else {
            let asks = Int.random(in: 0..<3, using: &random) > 0
            return .init(
                transcript: "Turn \(name)",
                action: asks ? .calls(filler: Bool.random(using: &random) ? "Checking." : nil, [call()]) : .say(say)
            )
        }
        let action: ConversationScript.Action =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .fail(code: "server_error", message: "The model failed.")
            case 1: .fail(code: "rate_limit_exceeded", message: "Slow down.")
            case 2: .compose([.say(say)], end: .incomplete(reason: "max_output_tokens"))
            case 3: .compose([.say(say), .call(call())], end: .cancelled(reason: "client_cancelled"))
            case 4: .nothing
            case 5: .compose([.say("Well."), .say(say), .say("So.")], end: .completed)
            case 6: .compose([.say("Hm."), .call(call()), .say("And."), .call(call(1))], end: .completed)
            default: .calls(filler: "Both.", [call(), call(1), call(2)])
            }
        return .init(transcript: "Turn \(name)", action: action)
    }
}

extension ConversationScript.Action {
    /// The fault that this action represents, if any.
    var fault: FaultKind? {
        switch self {
        case .say, .call, .callOnly: nil
        case .calls(_, let calls): calls.count > 1 ? .severalCalls : nil
        case .fail(let code, _): code.hasPrefix("rate") ? .rateLimited : .responseFailed
        case .nothing: .noResponse
        case .compose(_, .completed): .severalItems
        case .compose(_, .incomplete): .responseIncomplete
        case .compose(_, .cancelled): .responseCancelled
        }
    }
}
