/// Responses that nobody spoke for: to news, announcements, delays. They may say something and call nothing.
struct UnaskedResponses: Equatable, Sendable {
    private static let most = 32

    /// The last request was for such a response, and none has begun since.
    private var isRequested = false
    /// What it was for, until the user speaks: a response that failed is asked for again as it was.
    private(set) var last: Authority.Purpose?
    private var responses: [String] = []

    func contains(_ responseID: String) -> Bool { responses.contains(responseID) }

    /// A response is asked for.
    /// - Parameter purpose: nil where somebody spoke for it.
    mutating func requested(_ purpose: Authority.Purpose?) {
        isRequested = purpose != nil
        last = purpose
    }

    /// - Parameter isAmbiguous: it may as well answer the user.
    mutating func began(_ responseID: String, isAmbiguous: Bool) {
        guard isRequested else { return }
        isRequested = false
        guard !isAmbiguous else { return }
        responses.append(responseID)
        if responses.count > Self.most { responses.removeFirst() }
    }

    mutating func userSpoke() { last = nil }

    /// Another session may name its responses like the one before.
    mutating func sessionEnded() {
        isRequested = false
        responses = []
    }
}
