package import VoiceBase

/// What the Realtime server says, reduced to what the daemon acts upon.
///
/// Audio deltas are not here: they never leave the network thread (see `AudioDelta`). Everything the daemon does not
/// need arrives as `ignored`, everything it has never heard of as `unknown`; neither is an error.
package enum ServerEvent: Equatable, Sendable {
    /// `session.created`: the first event of a session; `expiresAt` in Unix seconds where the server says it.
    case sessionCreated(id: String?, expiresAt: Int?)
    /// `session.updated`: the configuration that is now in force, whole.
    case sessionUpdated(JSONValue)
    /// `input_audio_buffer.speech_started`: `audioStart` in ms since the session's first sample.
    case speechStarted(itemID: String, audioStart: Int)
    /// `input_audio_buffer.speech_stopped`.
    case speechStopped(itemID: String, audioEnd: Int)
    /// `input_audio_buffer.committed`: the user's turn is an item of the conversation.
    case committed(itemID: String, previous: String? = nil)
    /// `conversation.item.added` (beta: `.created`): the item is in the conversation, behind `previous`; `callID` for a
    /// call's output.
    case itemAdded(itemID: String, kind: String, callID: String?, previous: String? = nil)
    case responseCreated(id: String, clientEventID: String?)
    /// `response.output_item.added`: an item of the response begins; of a call its name and id may be known.
    case outputItemAdded(responseID: String, itemID: String, kind: String, call: FunctionCall? = nil)
    /// `response.function_call_arguments.done`: the arguments are written, in a response that may yet be cut off.
    case callWritten(responseID: String, itemID: String, call: FunctionCall)
    /// `response.output_item.done` of a function call; complete only when `isComplete`.
    case functionCall(responseID: String, call: FunctionCall, isComplete: Bool)
    /// `response.output_audio_transcript.delta`: a piece of what the voice says in this part.
    case spokenDelta(responseID: String, itemID: String, contentIndex: Int, text: String)
    /// `response.output_audio_transcript.done`: what the voice says in this part, whole.
    case spokenTranscript(responseID: String, itemID: String, text: String, contentIndex: Int = 0)
    /// `response.output_audio.done`: no more audio comes for this part.
    case audioDone(responseID: String, itemID: String, contentIndex: Int)
    case responseDone(ResponseOutcome)
    /// `conversation.item.input_audio_transcription.delta`: a piece of what a separate recogniser heard.
    case heardDelta(itemID: String, contentIndex: Int, text: String)
    /// `conversation.item.input_audio_transcription.completed`: what it heard, whole, and what it is charged for.
    case heardTranscript(itemID: String, contentIndex: Int, text: String, usage: TranscriptionUsage? = nil)
    case heardTranscriptFailed(itemID: String, reason: String)
    case error(ServerError)
    /// A known event that asks for nothing.
    case ignored(type: String)
    /// An event with a name this program does not know.
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
    /// The calls among its output, where the server lists it.
    package var calls: [AnnouncedCall]

    package init(
        id: String,
        status: Status,
        reason: String? = nil,
        clientEventID: String? = nil,
        usage: Usage? = nil,
        calls: [AnnouncedCall] = []
    ) {
        self.id = id
        self.status = status
        self.reason = reason
        self.clientEventID = clientEventID
        self.usage = usage
        self.calls = calls
    }
}

/// An `error` event. Most leave the session usable.
package struct ServerError: Equatable, Sendable {
    package var type: String
    package var code: String?
    package var message: String
    package var param: String?
    /// The client's event it answers; often absent even when one was set.
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
    /// The response that an event is about, its beginning apart.
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

    /// Something that a response says or does, rather than its end.
    var isOfRunningResponse: Bool {
        switch self {
        case .responseDone, .audioDone: false
        default: responseID != nil
        }
    }
}
