package import VoiceBase

/// Events from the Realtime server, reduced to those the daemon acts on.
///
/// Audio deltas are not among them: they never leave the network thread (see `AudioDelta`). Known events the daemon does
/// not need become `ignored`, all others `unknown`; neither is an error.
package enum ServerEvent: Equatable, Sendable {
    /// `session.created`: the first event of a session; `expiresAt` in Unix seconds, if stated.
    case sessionCreated(id: String?, expiresAt: Int?)
    /// `session.updated`: the complete configuration now in force.
    case sessionUpdated(JSONValue)
    /// `input_audio_buffer.speech_started`: `audioStart` in ms since the session's first sample.
    case speechStarted(itemID: String, audioStart: Int)
    /// `input_audio_buffer.speech_stopped`.
    case speechStopped(itemID: String, audioEnd: Int)
    /// `input_audio_buffer.committed`: the user's turn became an item of the conversation.
    case committed(itemID: String, previous: String? = nil)
    /// `conversation.item.added` (beta: `.created`): the item is in the conversation, after `previous`; `callID` for a
    /// call's output.
    case itemAdded(itemID: String, kind: String, callID: String?, previous: String? = nil)
    case responseCreated(id: String, clientEventID: String?)
    /// `response.output_item.added`: an item of the response begins; for a call, its name and id may be known.
    case outputItemAdded(responseID: String, itemID: String, kind: String, call: FunctionCall? = nil)
    /// `response.function_call_arguments.done`: the arguments are complete, but the response may still be cut off.
    case callWritten(responseID: String, itemID: String, call: FunctionCall)
    /// `response.output_item.done` of a function call; complete only if `isComplete`.
    case functionCall(responseID: String, call: FunctionCall, isComplete: Bool)
    /// `response.output_audio_transcript.delta`, `response.output_text.delta`: a piece of the text of this part.
    case spokenDelta(responseID: String, itemID: String, contentIndex: Int, text: String)
    /// `response.output_audio_transcript.done`, `response.output_text.done`: the whole text of this part.
    case spokenTranscript(responseID: String, itemID: String, text: String, contentIndex: Int = 0)
    /// `response.output_audio.done`: the audio of this part is complete.
    case audioDone(responseID: String, itemID: String, contentIndex: Int)
    case responseDone(ResponseOutcome)
    /// `conversation.item.input_audio_transcription.delta`: a piece of the user's transcript, from a separate recogniser.
    case heardDelta(itemID: String, contentIndex: Int, text: String)
    /// `conversation.item.input_audio_transcription.completed`: the user's whole transcript, and its usage.
    case heardTranscript(itemID: String, contentIndex: Int, text: String, usage: TranscriptionUsage? = nil)
    case heardTranscriptFailed(itemID: String, reason: String)
    case error(ServerError)
    /// A known event that needs no reaction.
    case ignored(type: String)
    /// An event of an unknown type.
    case unknown(type: String)
}

/// How a response ended (`response.done`).
package struct ResponseOutcome: Equatable, Sendable {
    package typealias Status = ResponseEnd.Status

    package var id: String
    package var status: Status
    /// `turn_detected`, `client_cancelled`, `max_output_tokens`, `content_filter`, or the error's code.
    package var reason: String?
    package var clientEventID: String?
    package var usage: Usage?
    /// The calls in its output, if the server lists them.
    package var calls: [AnnouncedCall]
    /// The words of its messages, if the server lists them.
    package var words: String
    /// The server's text about the reason.
    package var message: String?

    package init(
        id: String,
        status: Status,
        reason: String? = nil,
        clientEventID: String? = nil,
        usage: Usage? = nil,
        calls: [AnnouncedCall] = [],
        words: String = "",
        message: String? = nil
    ) {
        self.id = id
        self.status = status
        self.reason = reason
        self.clientEventID = clientEventID
        self.usage = usage
        self.calls = calls
        self.words = words
        self.message = message
    }

    /// The meaning of the reason.
    var failure: ErrorClass {
        let named = ErrorClass(code: reason)
        guard named == .other, let message else { return named }
        return ErrorClass(ServerError(type: "", code: reason, message: message))
    }
}

/// An `error` event. Most leave the session usable.
package struct ServerError: Equatable, Sendable {
    package var type: String
    package var code: String?
    package var message: String
    package var param: String?
    /// The client event it answers; often absent even if one was set.
    package var eventID: String?

    package init(type: String, code: String?, message: String, param: String? = nil, eventID: String? = nil) {
        self.type = type
        self.code = code
        self.message = message
        self.param = param
        self.eventID = eventID
    }
}

extension ServerEvent {
    /// The response an event concerns; nil for the beginning of one.
    var responseID: String? {
        switch self {
        case .outputItemAdded(let id, _, _, _), .functionCall(let id, _, _), .callWritten(let id, _, _),
            .spokenDelta(let id, _, _, _),
            .spokenTranscript(let id, _, _, _), .audioDone(let id, _, _):
            id
        case .responseDone(let outcome): outcome.id
        default: nil
        }
    }

    /// Whether the event is speech or an action of a running response, not its end.
    var isOfRunningResponse: Bool {
        switch self {
        case .responseDone, .audioDone: false
        default: responseID != nil
        }
    }
}
