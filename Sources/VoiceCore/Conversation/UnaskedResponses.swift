/// Responses to no request of the user: to news, announcements, delays. They may speak but make no calls.
struct UnaskedResponses: Equatable, Sendable {
    private static let most = 32

    /// The last request was for such a response, and none has begun since.
    private var isRequested = false
    /// The request for that response, until the user speaks: a failed response is requested again with the same words.
    private(set) var last: Request?
    private var responses: [String] = []

    struct Request: Equatable, Sendable {
        var purpose: Authority.Purpose
        /// The instruction for the response; nil if the conversation holds it.
        var words: ServiceRequest?
    }

    func contains(_ responseID: String) -> Bool { responses.contains(responseID) }

    /// Notes a request for a response.
    /// - Parameter request: nil if the user's words are behind it.
    mutating func requested(_ request: Request?) {
        isRequested = request != nil
        last = request
    }

    /// The next repetition asks for this instead.
    mutating func repeats(_ request: Request) { last = request }

    /// - Parameter isAmbiguous: whether it may also answer the user.
    mutating func began(_ responseID: String, isAmbiguous: Bool) {
        guard isRequested else { return }
        isRequested = false
        guard !isAmbiguous else { return }
        responses.append(responseID)
        if responses.count > Self.most { responses.removeFirst() }
    }

    mutating func userSpoke() { last = nil }

    /// Forgets the responses: another session may reuse their names.
    mutating func sessionEnded() {
        isRequested = false
        responses = []
    }
}
