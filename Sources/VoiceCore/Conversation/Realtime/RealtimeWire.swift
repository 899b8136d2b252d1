/// The Realtime protocol of one connection: decoder, translator and encoder.
package struct RealtimeWire: ServiceWire {
    private let decoder: ServerEventDecoder
    private var translator: RealtimeTranslator

    /// - Parameter settings: the settings of the session, and the dialect of the service.
    package init(_ settings: RealtimeSettings) {
        decoder = ServerEventDecoder(dialect: settings.dialect)
        translator = RealtimeTranslator(settings)
    }

    package mutating func read(_ text: UnsafeRawBufferPointer, at now: Duration) -> [ServiceReport]? {
        (try? decode(text)).map { receive($0) }
    }

    package mutating func write(_ request: ServiceRequest, at now: Duration) -> [[UInt8]] {
        translator.ask(request).map(encode)
    }

    // MARK: The same in two steps, for callers that inspect the events

    package func decode(_ text: UnsafeRawBufferPointer) throws(ServerEventDecoder.Failure) -> ServerEvent {
        try decoder.decode(text)
    }

    package mutating func receive(_ event: ServerEvent) -> [ServiceReport] { translator.receive(event) }

    /// Encodes the event as a text message, shortened if its text is too long.
    package func encode(_ event: ClientEvent) -> [UInt8] { event.fitting.encoded(for: translator.settings.dialect) }
}
