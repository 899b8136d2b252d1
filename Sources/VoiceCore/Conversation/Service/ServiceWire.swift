/// The pure half of a service: how one connection reads and writes messages, without socket, clock or task.
///
/// One value per connection; it contains the translator. Audio bypasses it: the owner of the connection extracts audio from
/// the messages before they are read here.
package protocol ServiceWire: Sendable {
    /// The connection is open.
    mutating func connected() -> [ServiceReport]

    /// Translates a text message into reports, in order; nil if it is unreadable. `now` is monotonic.
    mutating func read(_ text: UnsafeRawBufferPointer, at now: Duration) -> [ServiceReport]?

    /// Translates a request into text messages, in sending order; empty if the service has none for it.
    mutating func write(_ request: ServiceRequest, at now: Duration) -> [[UInt8]]
}

extension ServiceWire {
    package mutating func connected() -> [ServiceReport] { [] }
}
