/// The abilities of a voice service: one value per service. The conversation, the doctor and the documentation read
/// nothing else about a service, and never ask it for more.
package struct ServiceCapabilities: Equatable, Sendable {
    /// Where the user's requests are carried out.
    package enum Work: String, Sendable {
        /// The model calls our tools.
        case calls
        /// The service delegates the user's request; it arrives as a call of `ask_jarvis`.
        case delegation
        /// Tools on the service's side, which at most report their progress.
        case theirs
    }

    /// Where turns of the user are detected.
    package enum Turns: String, Sendable {
        /// The service decides and reports it.
        case service
        /// The service decides but reports nothing: the daemon detects beginnings and ends locally.
        case silent
        /// The daemon decides and notifies the service.
        case ours
    }

    /// How the daemon learns the beginning and the end of a response.
    package enum ResponseBounds: String, Sendable {
        /// The service reports both.
        case bothReported = "both reported"
        /// From the audio itself.
        case sound
    }

    /// Whether the service transcribes the user's words.
    package enum HeardText: String, Sendable {
        case never
        /// On request.
        case optional
        case always
    }

    /// What usage the service reports.
    package enum UsageReports: String, Sendable {
        /// Tokens of every response.
        case tokens
        /// Seconds of the session.
        case seconds
        /// At the end of the session.
        case atEnd = "at the end"
        case none
    }

    /// How a new session learns what was said before.
    package enum History: String, Sendable {
        /// As items, at any time.
        case items
        /// Only with `open`.
        case opening
        /// The service or its agent remembers on its own.
        case theirs
        case none
    }

    /// How the key is sent.
    package enum Key: String, Sendable {
        case header
        case query
        case none
    }

    package var work = Work.calls
    package var turns = Turns.service
    /// Ends a response on request; otherwise the answer is cut locally, and the daemon waits for its end.
    package var cancels = true
    /// Can record how much of an item the user heard.
    package var truncates = true
    /// Can delete an item.
    package var forgets = true
    /// Can discard the audio of an unfinished turn.
    package var clearsInput = true
    /// Names items and responses; otherwise the translator does.
    package var namesItems = true
    package var responseBounds = ResponseBounds.bothReported
    package var heardText = HeardText.optional
    /// Sends the text of its speech.
    package var tellsSaidText = true
    package var usage = UsageReports.tokens
    package var charge = ServiceCharge.tokens
    /// Session length limit if the service does not state one; nil if none is known.
    package var sessionLimit: Duration?
    /// The uplink audio is the session's clock: while the session is open the uplink never stops, and gaps are filled with
    /// silence.
    package var continuousUplink = false
    package var uplink = ServiceAudio()
    package var downlink = ServiceAudio()
    /// Accepts text.
    package var takesText = true
    /// Accepts the user's questions as text although it accepts no other text: it answers every text as a question.
    package var takesQuestions = false
    /// Can speak given words verbatim.
    package var saysExactly = true
    /// Can begin to speak an answer that is still being written.
    package var speaksInParts = false
    /// A model phrases given content in its own words. Otherwise the service receives the exact words to say.
    package var rewords = true
    /// Can speak first when a session opens.
    package var greets = true
    package var history = History.items
    /// Answers the user while a call is out; otherwise every response waits until each call has an output.
    package var answersWhileCalling = true
    /// Fills the time until an answer on its own.
    package var fillsSilence = false
    /// Ignores transcribed words unless the local detector heard a voice as well.
    package var confirmsLocally = false
    package var key = Key.header

    package init() {}
}

/// Mono audio format of the uplink or the downlink.
package struct ServiceAudio: Equatable, Sendable {
    package enum Codec: String, Sendable {
        /// 16-bit little-endian PCM as base64 in JSON.
        case pcm16Base64 = "PCM16, base64"
        /// The same as raw bytes.
        case pcm16 = "PCM16"
        /// Opus as base64 in JSON.
        case opusBase64 = "Opus, base64"
    }

    /// Sample rate in Hz.
    package var rate: Int = 24_000
    package var codec: Codec = .pcm16Base64

    package init(rate: Int = 24_000, codec: Codec = .pcm16Base64) {
        self.rate = rate
        self.codec = codec
    }
}
