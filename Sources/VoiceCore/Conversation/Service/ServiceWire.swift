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

/// A translator whose effects are reports, messages to the service, and what happens to the audio.
package protocol ServiceTranslator: Sendable {
    associatedtype Effect

    /// The connection is open.
    mutating func connected() -> [Effect]
    /// Translates a text message; nil if it is unreadable.
    mutating func read(_ text: UnsafeRawBufferPointer, at now: Duration) -> [Effect]?
    mutating func ask(_ request: ServiceRequest, at now: Duration) -> [Effect]
    /// The report in an effect; nil for any other effect.
    func reported(_ effect: Effect) -> ServiceReport?
    /// The message that an effect sends; nil for any other effect.
    func encoded(_ effect: Effect) -> [UInt8]?
}

/// A connection without audio, to check whether the service accepts it.
package struct SilentWire<Translator: ServiceTranslator>: ServiceWire {
    private var translator: Translator

    package init(_ translator: Translator) { self.translator = translator }

    package mutating func connected() -> [ServiceReport] { reports(translator.connected()) }

    package mutating func read(_ text: UnsafeRawBufferPointer, at now: Duration) -> [ServiceReport]? {
        translator.read(text, at: now).map(reports)
    }

    package mutating func write(_ request: ServiceRequest, at now: Duration) -> [[UInt8]] {
        translator.ask(request, at: now).compactMap(translator.encoded)
    }

    private func reports(_ effects: [Translator.Effect]) -> [ServiceReport] {
        effects.compactMap(translator.reported)
    }
}
