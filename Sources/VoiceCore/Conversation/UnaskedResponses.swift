/// Responses to no request of the user: to news, announcements, delays. They may speak but make no calls.
struct UnaskedResponses: Equatable, Sendable {
    private static let most = 32

    /// The last request was for such a response, and none has begun since.
    private var isRequested = false
    /// Its purpose, until the user speaks: a failed response is requested again for the same purpose.
    private(set) var last: Authority.Purpose?
    private var responses: [String] = []

    func contains(_ responseID: String) -> Bool { responses.contains(responseID) }

    /// Notes a request for a response.
    /// - Parameter purpose: nil if the user's words are behind it.
    mutating func requested(_ purpose: Authority.Purpose?) {
        isRequested = purpose != nil
        last = purpose
    }

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
