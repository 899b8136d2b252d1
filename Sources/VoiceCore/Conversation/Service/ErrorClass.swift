/// What an error means for the session, whatever the service calls it.
package enum ErrorClass: Equatable, Sendable {
    /// Key, quota or account: trying again changes nothing.
    case account
    /// The address or the model is wrong: trying again changes nothing.
    case configuration
    /// The session has lasted as long as it may.
    case expired
    /// Too much was asked for in too short a time: later it will do.
    case limited
    /// The service has a bad moment.
    case service
    /// A response was running already.
    case activeResponse
    /// There was no response to cancel.
    case noActiveResponse
    /// What the session was asked to be was rejected, whole.
    case settings
    /// Two sides acted at once; nothing is broken.
    case race
    case other

    /// Whether nothing will change before a person does something.
    package var isFatal: Bool { self == .account || self == .configuration }
}
