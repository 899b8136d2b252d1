/// The model's speech: the response that is playing, and those the user silenced.
struct ModelVoice: Equatable, Sendable {
    /// Speech of one response, from its first audio in to its last sample out.
    struct Speech: Equatable, Sendable {
        var responseID: String
        /// Whether the response also holds a call.
        var isFiller: Bool
        /// That call is complete; until then it is still being written.
        var hasCall = false
        var isDone = false
        var isDrained = false
    }

    private static let mostResponses = 32
    private static let mostSilenced = 64

    private(set) var speech: Speech?
    /// The latest responses of this session; it does not know earlier ones that are still playing.
    private(set) var responses: [String] = []
    /// The response whose audio arrived last.
    private var latest: String?
    /// Responses the user cut short: further audio of them is stale.
    private var silenced: [String] = []

    var isSilent: Bool { speech == nil }

    func knows(_ responseID: String) -> Bool { responses.contains(responseID) }
    func isSilenced(_ responseID: String) -> Bool { silenced.contains(responseID) }

    /// Whether the latest audio belongs to this response.
    func wasVoiced(_ responseID: String) -> Bool { latest == responseID }

    /// Whether the response is an acknowledgement before the answer, rather than the answer.
    /// - Parameter isOnTheWay: the assumption for a response that is not playing.
    func isFiller(_ responseID: String, isOnTheWay: Bool) -> Bool {
        if let speech, speech.responseID == responseID { speech.isFiller } else { isOnTheWay }
    }

    mutating func responseBegan(_ responseID: String) {
        responses.append(responseID)
        if responses.count > Self.mostResponses { responses.removeFirst() }
    }

    /// Notes audio of a response.
    /// - Returns: nil if it was silenced; otherwise whether it is an acknowledgement.
    mutating func received(_ responseID: String, isOnTheWay: Bool) -> Bool? {
        guard !isSilenced(responseID) else { return nil }
        latest = responseID
        var next = Speech(responseID: responseID, isFiller: isOnTheWay, hasCall: isOnTheWay)
        if let known = speech, known.responseID == responseID {
            next = known
            next.isDrained = false
        }
        speech = next
        return next.isFiller
    }

    /// Notes audio of the box itself, which ends with its last sample.
    /// - Returns: false if it was silenced.
    mutating func boxSpeaks(_ name: String) -> Bool {
        guard !isSilenced(name) else { return false }
        speech = Speech(responseID: name, isFiller: false, isDone: true)
        return true
    }

    /// Notes that the response holds a call.
    /// - Returns: whether it is playing and had counted as the answer.
    mutating func becameFiller(_ responseID: String) -> Bool {
        guard speech?.responseID == responseID, speech?.isFiller == false else { return false }
        speech?.isFiller = true
        return true
    }

    /// Notes that a call of the response is complete.
    mutating func callBegan(in responseID: String) {
        if speech?.responseID == responseID { speech?.hasCall = true }
    }

    mutating func responseEnded(_ responseID: String) {
        if speech?.responseID == responseID { speech?.isDone = true }
    }

    /// Notes that all received audio has been played.
    mutating func drained() { speech?.isDrained = true }

    /// Ends the speech once its last sample is played and its response has ended; a response that no longer runs has ended
    /// unnoticed.
    /// - Returns: the response that was played to its end.
    mutating func settle(_ sequencer: ResponseSequencer) -> String? {
        guard let speaking = speech else { return nil }
        if !sequencer.mayRun(speaking.responseID) { speech?.isDone = true }
        guard speech?.isDone == true, speaking.isDrained else { return nil }
        speech = nil
        return speaking.responseID
    }

    /// Silences a response the user does not want to hear.
    mutating func silence(_ responseID: String) {
        silenced.append(responseID)
        if silenced.count > Self.mostSilenced { silenced.removeFirst(silenced.count - Self.mostSilenced) }
    }

    /// Cuts the current speech and the rest of every response that could still send audio.
    ///
    /// - Parameters:
    ///   - active: the running response.
    ///   - always: cuts even if nothing is known to be playing, as the first audio may be on its way.
    /// - Returns: nil if there is nothing to cut; otherwise the response that was playing, and those to refuse.
    mutating func cut(active: String?, always: Bool) -> (sounding: String?, stale: [String])? {
        var stale: [String] = []
        if let active { stale.append(active) }
        if let speech, !stale.contains(speech.responseID) { stale.append(speech.responseID) }
        if always { stale += responses.filter { !stale.contains($0) } }
        guard !stale.isEmpty || always else { return nil }
        defer { speech = nil }
        for responseID in stale { silence(responseID) }
        return (speech?.responseID, stale)
    }

    /// Notes that playback was cut at these parts. A response that began to play before the cut was cut as well, and would
    /// never end otherwise.
    mutating func wereCut(_ parts: [HeardPart]) {
        guard let lost = speech?.responseID, parts.contains(where: { $0.part.responseID == lost }) else { return }
        silence(lost)
        speech = nil
    }

    /// Ends all responses of the session. Received audio is still played.
    mutating func sessionEnded() {
        silenced = []
        responses = []
        speech?.isDone = true
    }
}
