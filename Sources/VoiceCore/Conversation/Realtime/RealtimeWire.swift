/// The Realtime protocol as one connection speaks it: decoder, translator and encoder.
package struct RealtimeWire: ServiceWire {
    private let decoder: ServerEventDecoder
    private let dialect: Dialect
    private var translator: RealtimeTranslator

    /// - Parameter settings: what the session is asked to be, and the dialect of the service.
    package init(_ settings: RealtimeSettings) {
        dialect = settings.dialect
        decoder = ServerEventDecoder(dialect: settings.dialect)
        translator = RealtimeTranslator(settings)
    }

    package mutating func read(_ text: UnsafeRawBufferPointer, at now: Duration) -> [ServiceReport]? {
        (try? decode(text)).map { take($0) }
    }

    package mutating func write(_ request: ServiceRequest, at now: Duration) -> [[UInt8]] {
        translator.ask(request).map(encode)
    }

    // MARK: The same in two steps, for whoever has to look at the events

    package func decode(_ text: UnsafeRawBufferPointer) throws(ServerEventDecoder.Failure) -> ServerEvent {
        try decoder.decode(text)
    }

    package mutating func take(_ event: ServerEvent) -> [ServiceReport] { translator.take(event) }

    /// The event as a text message; one whose text is too long in short.
    package func encode(_ event: ClientEvent) -> [UInt8] { event.fitting.encoded(for: dialect) }
}
