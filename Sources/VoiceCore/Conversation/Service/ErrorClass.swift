/// The meaning of an error for the session, independent of the service's own codes.
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
    /// The service does not know this field and did without it, or wants the request again without it.
    case field
    /// The service does not implement this event of the client, which is not sent any more.
    case event
    /// No response is made before every call has its output.
    case outputsMissing
    /// Every session the service can hold is in use.
    case full
    /// Both sides acted at the same time; nothing is broken.
    case race
    case other

    /// Whether only a person can resolve it.
    package var isFatal: Bool { self == .account || self == .configuration }
}
