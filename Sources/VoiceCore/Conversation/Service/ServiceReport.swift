/// What a voice service reports, in words that no wire knows. The conversation, and what counts, writes down and wakes up,
/// read nothing else.
///
/// Items, responses and calls are named by the service, or by its translator where the service has no names. Sound is not
/// here: it never leaves the network thread.
package enum ServiceReport: Equatable, Sendable {
    /// The service is there and waits for `ServiceRequest.open`; `ends` in Unix seconds where it says when the session will.
    case opened(id: String?, ends: Int?)
    /// What was asked for with `open` is in force, or refused.
    case ready(ServiceReadiness)
    /// The session ends for the reason given, with one line for the log. No report follows.
    case closing(ServiceClosing, String)

    /// The user begins to speak, `at` ms into the session's audio; 0 where the service does not say.
    case userStarted(item: String, at: Int)
    /// He has stopped, `at` ms into it.
    case userStopped(at: Int)
    /// What he said is an item of the conversation, behind `after` where that is known.
    case userTurn(item: String, after: String?)
    /// What a recogniser heard in it: a piece of a part, or the whole of it.
    case heard(item: String, part: Int, text: String, isWhole: Bool)
    /// Nothing was made out, and why.
    case notHeard(item: String, reason: String)

    /// An item of any kind has its place in the conversation.
    case placed(item: String, after: String?)
    /// So has the answer to a call.
    case answerPlaced(call: String)

    /// A response begins; `request` is the id of `ServiceRequest.respond` where the service says that it answers one.
    case responseBegan(response: String, request: String?)
    /// The response begins to say something.
    case speaks(response: String, item: String)
    /// What it says: a piece of a part, or the whole of it.
    case said(response: String, item: String, part: Int, text: String, isWhole: Bool)
    /// No more audio comes of it.
    case audioEnded(response: String, item: String)
    /// The response goes on with something that asks for nothing.
    case responseGoesOn(response: String)
    case responseEnded(ResponseEnd)
    /// The service has cut the response because it heard somebody: what of it was not heard is not to be. Its end follows.
    case interrupted(response: String)

    /// The response begins to write a call, `call` where its name and id are known already.
    case callBegan(response: String, item: String, call: FunctionCall?)
    /// The call is written, in a response that may yet be cut off.
    case callWritten(response: String, item: String, call: FunctionCall)
    /// The call is to be made, or was cut off where it is not `isComplete`. A delegation is a call of `ask_jarvis`.
    case call(response: String, call: FunctionCall, isComplete: Bool)

    /// What becomes of a tool on the service's own side: nothing is to be answered.
    case toolNews(tool: String, status: String)

    /// An error, which ends nothing by itself.
    case trouble(ServiceError)
    /// The session has little room left for what is said: another should take over in a quiet moment.
    case nearlyFull
    /// Something is charged for.
    case charged(ServiceBill)
    /// Something the service does by itself and tells, in words for the log.
    case news(String)
    /// A message that the translator does not know, by its name.
    case unknown(String)
}

/// How a session has taken what it was asked to be.
package struct ServiceReadiness: Equatable, Sendable {
    /// Where the session is named, and its end told, only now.
    package var id: String?
    package var ends: Int?
    /// The service said so; otherwise its settings are taken for granted.
    package var isConfirmed: Bool
    /// Settings that are in force otherwise than asked for, by their names on the wire.
    package var differing: [String]
    /// The first of them without which there is no conversation: tools, role, format.
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
    /// We asked for it.
    case asked
    /// It has lasted as long as it may.
    case expired
    /// The service will not have us.
    case refused
    /// The service does not go on with what is spoken of.
    case moderated
    /// For any other reason.
    case lost
}

/// How a response ended.
package struct ResponseEnd: Equatable, Sendable {
    package enum Status: String, Sendable {
        case completed, cancelled, failed, incomplete
        /// A status that the translator does not know.
        case other
    }

    package var response: String
    package var status: Status
    /// What the service names as the reason, for the log.
    package var reason: String?
    /// What the reason means, where the response failed.
    package var failure: ErrorClass
    /// The id of `ServiceRequest.respond`, where the service says it.
    package var request: String?
    /// The calls among its output, where the service lists them.
    package var calls: [AnnouncedCall]

    package init(
        response: String,
        status: Status,
        reason: String? = nil,
        failure: ErrorClass = .other,
        request: String? = nil,
        calls: [AnnouncedCall] = []
    ) {
        self.response = response
        self.status = status
        self.reason = reason
        self.failure = failure
        self.request = request
        self.calls = calls
    }
}

/// An error that a service reports. Most leave the session usable.
package struct ServiceError: Equatable, Sendable {
    /// What it means for the session, and what can be done about it.
    package var meaning: ErrorClass
    /// The service's own name for it, a code or a type.
    package var name: String
    package var text: String
    /// The setting it is about, by its name on the wire.
    package var setting: String?
    /// The id of the request it answers; often absent.
    package var request: String?
    /// The pause that the service asks for.
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

/// A call as an item tells it.
package struct AnnouncedCall: Equatable, Sendable {
    package var call: FunctionCall
    /// Not cut off while it was written.
    package var isComplete: Bool

    package init(call: FunctionCall, isComplete: Bool) {
        self.call = call
        self.isComplete = isComplete
    }
}

extension ServiceReport {
    /// The response that a report is about, its beginning apart.
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

    /// Something that a response says or does, rather than its end.
    var isOfRunningResponse: Bool {
        switch self {
        case .responseEnded, .audioEnded: false
        default: response != nil
        }
    }
}

// MARK: What is charged for

/// What is charged for at once.
package struct ServiceBill: Equatable, Sendable {
    /// The same for a bill that is told twice.
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

/// What a service takes money for.
package enum ServiceCharge: String, Equatable, Sendable {
    /// Tokens, at the price of the model.
    case tokens
    /// The time that a session is open.
    case time
    /// Nothing: it is the user's own.
    case nothing
}
