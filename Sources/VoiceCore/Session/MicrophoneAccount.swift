internal import VoiceBase

/// The microphone audio that is kept for the next session, as positions of the microphone's ring.
struct KeptMicrophone {
    /// Samples that may be held.
    let longest: Int
    /// Samples kept while no connection takes them.
    var preRoll = 0
    /// Everything from this position on is kept for the next session; nil if nothing is held.
    private var from: UInt64?
    /// Held audio ends at this position and is sent in full.
    private(set) var until: UInt64 = 0

    init(longest: Int) { self.longest = longest }

    /// Samples to keep without an uplink.
    var wanted: Int { from == nil ? preRoll : longest }

    /// Holds everything from the pre-roll on, none of it from before `start`.
    mutating func hold(at position: UInt64, since start: UInt64) {
        from = from ?? max(start, position - min(position, UInt64(preRoll)))
    }

    mutating func release() { from = nil }

    mutating func forget(before position: UInt64) {
        if from != nil { from = position }
        until = 0
    }

    /// Ends the hold.
    /// - Parameter most: samples to send, the newest; nil for all of them.
    /// - Returns: the first position to send; nil if nothing was held.
    mutating func handOver(at position: UInt64, _ most: Int?) -> UInt64? {
        guard let start = from else { return nil }
        from = nil
        until = position
        return max(start, position - min(position, most.map(UInt64.init) ?? position))
    }
}

/// The audio that was sent to the connection that has the microphone, as positions of the microphone's ring.
struct SentMicrophone {
    /// How long a service may take to report the start of speech, plus how long before that the voice may have begun.
    private static let lead = UInt64(6 * AudioFormat.wireRate)

    /// Samples sent to this connection.
    var samples = 0
    /// No turn to come begins before this position: audio from before was not sent, or belongs to the turn before.
    var earliest: UInt64 = 0
    /// Start of the range searched for the voice of the current turn.
    private(set) var turnFrom: UInt64 = 0

    /// Another connection begins with this position.
    mutating func begin(at position: UInt64) { (samples, earliest) = (0, position) }

    /// The voice of the turn may be anywhere in the audio held for the session, but not in audio that was not sent.
    mutating func turnBegan(at now: UInt64, heldUntil: UInt64) {
        let isOfHeld = heldUntil > 0 && now < heldUntil + Self.lead
        turnFrom = max(earliest, isOfHeld || now < Self.lead ? 0 : now - Self.lead)
    }
}
