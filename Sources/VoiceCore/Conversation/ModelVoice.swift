/// What the model says: the response that sounds, and those that are not to be heard any more.
struct ModelVoice: Equatable, Sendable {
    /// Speech of one response, from its first audio in to its last sample out.
    struct Speech: Equatable, Sendable {
        var responseID: String
        /// It belongs to a response that also holds a call.
        var isFiller: Bool
        /// That call is complete; until then it is still being written.
        var hasCall = false
        var isDone = false
        var isDrained = false
    }

    private static let mostResponses = 32
    private static let mostSilenced = 64

    private(set) var speech: Speech?
    /// Responses of this session, the latest ones; what is still played of an earlier one is not known to it.
    private(set) var responses: [String] = []
    /// The response that was last heard from, by its audio.
    private var latest: String?
    /// Responses the user cut short: what still comes of them is stale.
    private var silenced: [String] = []

    var isSilent: Bool { speech == nil }

    func knows(_ responseID: String) -> Bool { responses.contains(responseID) }
    func isSilenced(_ responseID: String) -> Bool { silenced.contains(responseID) }

    /// Whether it is the last one of which anything came in.
    func wasVoiced(_ responseID: String) -> Bool { latest == responseID }

    /// Whether it is said on the way to the answer, rather than the answer.
    /// - Parameter isOnTheWay: what is known of it besides.
    func isFiller(_ responseID: String, isOnTheWay: Bool) -> Bool {
        if let speech, speech.responseID == responseID { speech.isFiller } else { isOnTheWay }
    }

    mutating func responseBegan(_ responseID: String) {
        responses.append(responseID)
        if responses.count > Self.mostResponses { responses.removeFirst() }
    }

    /// Audio of a response comes in.
    /// - Returns: nil where it was silenced; whether it is said on the way to the answer.
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

    /// The response turns out to hold a call.
    /// - Returns: whether it sounds, and had been taken for the answer.
    mutating func becameFiller(_ responseID: String) -> Bool {
        guard speech?.responseID == responseID, speech?.isFiller == false else { return false }
        speech?.isFiller = true
        return true
    }

    /// A call of the response is complete.
    mutating func callBegan(in responseID: String) {
        if speech?.responseID == responseID { speech?.hasCall = true }
    }

    mutating func responseEnded(_ responseID: String) {
        if speech?.responseID == responseID { speech?.isDone = true }
    }

    /// All that came in was played.
    mutating func drained() { speech?.isDrained = true }

    /// Speech is over with its last sample, and its response with its end; one that runs no more has ended unheard.
    /// - Returns: the response that was played to its end.
    mutating func settle(_ sequencer: ResponseSequencer) -> String? {
        guard let speaking = speech else { return nil }
        if !sequencer.mayRun(speaking.responseID) { speech?.isDone = true }
        guard speech?.isDone == true, speaking.isDrained else { return nil }
        speech = nil
        return speaking.responseID
    }

    /// The user does not want to hear it.
    mutating func silence(_ responseID: String) {
        silenced.append(responseID)
        if silenced.count > Self.mostSilenced { silenced.removeFirst(silenced.count - Self.mostSilenced) }
    }

    /// Whatever sounds is cut, with the rest of every response that could still send audio.
    ///
    /// - Parameters:
    ///   - active: the response that runs.
    ///   - always: also where nothing is known to sound: the first of it may be on its way here.
    /// - Returns: nil where there is nothing to cut; the response that sounded, and those to be refused.
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

    /// The card has cut these parts. A response may have begun to sound before it did so: it went with the rest, and never
    /// ends by itself.
    mutating func wereCut(_ parts: [HeardPart]) {
        guard let lost = speech?.responseID, parts.contains(where: { $0.part.responseID == lost }) else { return }
        silence(lost)
        speech = nil
    }

    /// Nothing more comes in of its responses. What did is played.
    mutating func sessionEnded() {
        silenced = []
        responses = []
        speech?.isDone = true
    }
}
