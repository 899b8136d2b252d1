/// What an error means for the session, independent of the service's own codes.
package enum ErrorClass: Equatable, Sendable {
    /// Key, quota or account: a retry cannot help.
    case account
    /// Wrong address or model: a retry cannot help.
    case configuration
    /// The session reached its maximum length.
    case expired
    /// Rate limited: retry later.
    case limited
    /// A temporary fault of the service.
    case service
    /// A response was already running.
    case activeResponse
    /// There was no response to cancel.
    case noActiveResponse
    /// The service rejected the session settings as a whole.
    case settings
    /// Both sides acted at once; nothing is broken.
    case race
    case other

    /// Whether only a person can resolve it.
    package var isFatal: Bool { self == .account || self == .configuration }
}
