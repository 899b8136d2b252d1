/// What a voice service can do: one value a service. The conversation, the doctor and the documentation read nothing else of
/// it; what it cannot do is not asked of it.
package struct ServiceCapabilities: Equatable, Sendable {
    /// Who does the work that is asked for.
    package enum Work: String, Sendable {
        /// The model calls our tools.
        case calls
        /// The service hands the user's request over; it arrives as a call of `ask_jarvis`.
        case delegation
        /// Tools on the service's side, of which we have news at most.
        case theirs
    }

    /// Who says when the user speaks.
    package enum Turns: String, Sendable {
        /// The service does, and says so.
        case service
        /// The service takes the turn and says nothing: beginnings and ends are heard here.
        case silent
        /// We do, and say so.
        case ours
    }

    /// How the beginning and the end of a response are known.
    package enum ResponseBounds: String, Sendable {
        /// Both are told.
        case bothReported = "both reported"
        /// The end is told, the beginning is the first that is heard of it.
        case endReported = "end reported"
        /// By what sounds.
        case sound
    }

    /// What becomes known of the user's words.
    package enum HeardText: String, Sendable {
        case never
        /// Where it is asked for.
        case optional
        case always
    }

    /// What the service says of its use.
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
        /// With `open` alone.
        case opening
        /// The service, or the agent, remembers by itself.
        case theirs
        case none
    }

    /// Where the key travels.
    package enum Key: String, Sendable {
        case header
        case query
        case none
    }

    package var work = Work.calls
    package var turns = Turns.service
    /// Ends a response on request; otherwise it is cut here, and its end waited for.
    package var cancels = true
    /// Takes note of how much of an item was heard.
    package var truncates = true
    /// Takes an item back.
    package var forgets = true
    /// Takes back what it has heard of a turn that is not over.
    package var clearsInput = true
    /// Names items and responses; otherwise the translator does.
    package var namesItems = true
    package var responseBounds = ResponseBounds.bothReported
    package var heardText = HeardText.optional
    /// Tells what it says as text.
    package var tellsSaidText = true
    package var usage = UsageReports.tokens
    package var charge = ServiceCharge.tokens
    /// How long a session may last where the service does not say it; nil for no known limit.
    package var sessionLimit: Duration?
    /// The session's clock is the uplink: while it is open the uplink never stops, and what is not sent is silence.
    package var continuousUplink = false
    package var uplink = ServiceAudio()
    package var downlink = ServiceAudio()
    /// Takes text.
    package var takesText = true
    /// Takes a question of the user's as text where it takes no other: whatever it is sent, it answers as his.
    package var takesQuestions = false
    /// Says given words.
    package var saysExactly = true
    /// A model speaks: what it is told to say it says in its own words. Otherwise it is told the words.
    package var rewords = true
    /// Can begin to speak when a session opens.
    package var greets = true
    package var history = History.items
    /// A session that waits costs nothing.
    package var warmStandby = true
    /// Fills the time until an answer by itself.
    package var fillsSilence = false
    /// Words count only where a voice was heard here as well.
    package var confirmsLocally = false
    package var key = Key.header

    package init() {}
}

/// The form of sound on the way to a service, or from it: one channel.
package struct ServiceAudio: Equatable, Sendable {
    package enum Codec: String, Sendable {
        /// PCM, 16 bits, little endian, as base64 in JSON.
        case pcm16Base64 = "PCM16, base64"
        /// The same as bytes.
        case pcm16 = "PCM16"
        /// Opus as base64 in JSON.
        case opusBase64 = "Opus, base64"
    }

    /// Samples a second.
    package var rate: Int
    package var codec: Codec

    package init(rate: Int = 24_000, codec: Codec = .pcm16Base64) {
        self.rate = rate
        self.codec = codec
    }
}
