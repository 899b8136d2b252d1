/// The pure half of a service: what one connection reads and writes, without socket, clock and task.
///
/// A value for each connection, with its translator inside. Sound passes it by: whoever holds the connection takes that
/// from the messages itself, before they are read here.
package protocol ServiceWire: Sendable {
    /// The connection is open.
    mutating func connected() -> [ServiceReport]

    /// What a text message means, in the order in which it is to be read; nil where it cannot be read at all. `now` is monotonic.
    mutating func read(_ text: UnsafeRawBufferPointer, at now: Duration) -> [ServiceReport]?

    /// The text messages that a request becomes, in the order in which they are to be sent; none where the service has none
    /// for it.
    mutating func write(_ request: ServiceRequest, at now: Duration) -> [[UInt8]]
}

extension ServiceWire {
    package mutating func connected() -> [ServiceReport] { [] }
}
