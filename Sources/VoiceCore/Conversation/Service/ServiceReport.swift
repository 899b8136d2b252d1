/// A service-neutral report from a voice service. The conversation, the budget, the transcript and the activation read
/// nothing else.
///
/// The service names items, responses and calls; if it has no names, its translator does. Audio is not part of the reports:
/// it never leaves the network thread.
package enum ServiceReport: Equatable, Sendable {
    /// The service is connected and waits for `ServiceRequest.open`. `ends` is the end of the session in Unix seconds, if
    /// stated.
    case opened(id: String?, ends: Int?)
    /// The settings sent with `open` took effect or were refused.
    case ready(ServiceReadiness)
    /// The session ends for this reason, with one line for the log. No report follows.
    case closing(ServiceClosing, String)

    /// The user begins to speak at `at` ms of the session's audio; 0 if the service does not state it.
    case userStarted(item: String, at: Int)
    /// The user stopped speaking at `at` ms of the session's audio, which was `ago` before a late report.
    case userStopped(at: Int, ago: Duration = .zero)
    /// The user's turn became an item of the conversation, after the item `after` if known.
    case userTurn(item: String, after: String?)
    /// Text the recogniser heard in the turn: a piece of a part, or the whole part.
    case heard(item: String, part: Int, text: String, isWhole: Bool)
    /// The recogniser understood nothing, for this reason.
    case notHeard(item: String, reason: String)

    /// An item of any kind took its place in the conversation.
    case placed(item: String, after: String?)
    /// The answer to a call took its place in the conversation.
    case answerPlaced(call: String)

    /// More of the answer to this call has arrived, and no response is speaking it.
    case answerWaits(call: String)
    /// The response has begun to speak a sentence of the answer to this call, counted from 0 in `ToolResult.sentences` of all its
    /// parts, or has spoken all of it.
    case answerSaid(call: String, response: String, sentence: Int, isWhole: Bool)

    /// A response begins. `request` is the id of the `ServiceRequest.respond` it answers, if the service states it.
    case responseBegan(response: String, request: String?)
    /// The response only reminds the user of the agent's open question.
    case reminds(response: String)
    /// The response begins to speak.
    case speaks(response: String, item: String)
    /// Text of the response: a piece of a part, or the whole part.
    case said(response: String, item: String, part: Int, text: String, isWhole: Bool)
    /// The audio of the item is complete.
    case audioEnded(response: String, item: String)
    /// The response continues with an event that needs no reaction.
    case responseGoesOn(response: String)
    case responseEnded(ResponseEnd)
    /// The service cut the response because it detected speech: discard the rest of its audio. Its end follows.
    case interrupted(response: String)

    /// The response begins to write a call; `call` is nil until its name and id are known.
    case callBegan(response: String, item: String, call: FunctionCall?)
    /// The call is complete, but its response may still be cut off.
    case callWritten(response: String, item: String, call: FunctionCall)
    /// The call should be made, or was cut off if `isComplete` is false. A delegation is a call of `ask_jarvis`.
    case call(response: String, call: FunctionCall, isComplete: Bool)

    /// Progress of a tool on the service's side; needs no answer.
    case toolNews(tool: String, status: String)

    /// An error that does not end the session.
    case trouble(ServiceError)
    /// The session's context is nearly full: another session should take over in a quiet moment.
    case nearlyFull
    /// A charge.
    case charged(ServiceBill)
    /// Too many texts wait to be said, and this one was dropped.
    case dropped(SpeechSource)
    /// An action the service took and reported, in words for the log.
    case news(String)
    /// The type of a message unknown to the translator.
    case unknown(String)
}

/// How a session accepted its settings.
package struct ServiceReadiness: Equatable, Sendable {
    /// The session's id and its end, if the service states them only now.
    package var id: String?
    package var ends: Int?
    /// Whether the service confirmed the settings; otherwise they are assumed to be in force.
    package var isConfirmed: Bool = true
    /// Settings in force with other values than requested, by their names on the wire.
    package var differing: [String] = []
    /// The first of those settings without which no conversation is possible: tools, role, format.
    package var refused: String?

    package init(
        id: String? = nil,
        ends: Int? = nil,
        isConfirmed: Bool = true,
        differing: [String] = [],
        refused: String? = nil
    ) {
        self.id = id
        self.ends = ends
        self.isConfirmed = isConfirmed
        self.differing = differing
        self.refused = refused
    }
}

/// Why a session ends.
package enum ServiceClosing: Equatable, Sendable {
    /// The daemon asked for it.
    case asked
    /// The session reached its maximum length.
    case expired
    /// The service rejects the client.
    case refused
    /// The service stopped the conversation because of its content.
    case moderated
    /// For any other reason.
    case lost
}

/// How a response ended.
package struct ResponseEnd: Equatable, Sendable {
    package enum Status: String, Sendable {
        case completed, cancelled, failed, incomplete
        /// A status unknown to the translator.
        case other
    }

    package var response: String
    package var status: Status
    /// The service's reason, for the log.
    package var reason: String?
    /// The meaning of the reason, if the response failed.
    package var failure: ErrorClass = .other
    /// The id of the `ServiceRequest.respond` it answered, if stated.
    package var request: String?
    /// The calls in its output, if the service lists them.
    package var calls: [AnnouncedCall] = []
    /// The words in its output, if the service lists them.
    package var words = ""
    /// The service's text about the reason, and the pause it requests before a retry.
    package var text: String?
    package var retryAfter: Duration?

    package init(
        response: String,
        status: Status,
        reason: String? = nil,
        failure: ErrorClass = .other,
        request: String? = nil,
        calls: [AnnouncedCall] = [],
        words: String = "",
        text: String? = nil,
        retryAfter: Duration? = nil
    ) {
        self.response = response
        self.status = status
        self.reason = reason
        self.failure = failure
        self.request = request
        self.calls = calls
        self.words = words
        self.text = text
        self.retryAfter = retryAfter
    }

    /// The reason with the service's text about it, for the log.
    var line: String? {
        let parts = [reason, text].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ": ")
    }
}

/// An error that a service reports. Most leave the session usable.
package struct ServiceError: Equatable, Sendable {
    /// The meaning of the error for the session.
    package var meaning: ErrorClass
    /// The service's own name for it, a code or a type.
    package var name: String
    package var text: String
    /// The setting at fault, by its name on the wire.
    package var setting: String?
    /// The id of the request it answers; often absent.
    package var request: String?
    /// The pause the service asks for before a retry.
    package var retryAfter: Duration?

    package init(
        _ meaning: ErrorClass,
        name: String,
        text: String,
        setting: String? = nil,
        request: String? = nil,
        retryAfter: Duration? = nil
    ) {
        self.meaning = meaning
        self.name = name
        self.text = text
        self.setting = setting
        self.request = request
        self.retryAfter = retryAfter
    }

    /// One line for the log and for people.
    package var line: String { "\(name): \(text)" }
}

/// A tool call the model asks for.
package struct FunctionCall: Equatable, Sendable {
    package var callID: String
    package var name: String
    /// The arguments as the JSON text the model wrote, not yet parsed.
    package var arguments: String

    package init(callID: String, name: String, arguments: String) {
        self.callID = callID
        self.name = name
        self.arguments = arguments
    }
}

/// A call as listed in an item.
package struct AnnouncedCall: Equatable, Sendable {
    package var call: FunctionCall
    /// The call was not cut off in mid-writing.
    package var isComplete: Bool

    package init(call: FunctionCall, isComplete: Bool) {
        self.call = call
        self.isComplete = isComplete
    }
}

extension ServiceReport {
    /// The response a report concerns; nil for the beginning of one.
    var response: String? {
        switch self {
        case .speaks(let response, _), .said(let response, _, _, _, _), .audioEnded(let response, _),
            .responseGoesOn(let response), .callBegan(let response, _, _), .callWritten(let response, _, _),
            .call(let response, _, _):
            response
        case .responseEnded(let end): end.response
        default: nil
        }
    }

    /// Whether the report is speech or an action of a running response, not its end.
    var isOfRunningResponse: Bool {
        switch self {
        case .responseEnded, .audioEnded: false
        default: response != nil
        }
    }
}

// MARK: Charges

/// One charge.
package struct ServiceBill: Equatable, Sendable {
    /// Identical for a bill reported twice.
    package var id: String
    package var usage: ServiceUsage

    package init(id: String, _ usage: ServiceUsage) {
        self.id = id
        self.usage = usage
    }
}

package enum ServiceUsage: Equatable, Sendable {
    case response(Usage)
    case transcription(TranscriptionUsage)
}

/// The unit that a service charges for.
package enum ServiceCharge: String, Equatable, Sendable {
    /// Tokens, at the model's price.
    case tokens
    /// The time a session is open.
    case time
    /// Nothing: the user runs it.
    case nothing
}
