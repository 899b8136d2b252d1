/// The Realtime protocol of one connection: decoder, translator and encoder.
package struct RealtimeWire: ServiceTranslator {
    package typealias Effect = ServiceEffect<[UInt8], Never>

    package static let audioMessage = (before: #"{"type":"input_audio_buffer.append","audio":""#, after: #""}"#)
    package static let readsBinary = false

    private let decoder: ServerEventDecoder
    private var translator: RealtimeTranslator
    /// Maximum size of an event without audio, in bytes.
    private let longestEvent: Int
    private var part = SpokenPart(responseID: "", itemID: "", contentIndex: 0)

    /// - Parameter settings: the settings of the session, and the dialect of the service.
    package init(_ settings: RealtimeSettings) {
        decoder = ServerEventDecoder(dialect: settings.dialect)
        translator = RealtimeTranslator(settings)
        longestEvent = ServerEventDecoder.longest(echoing: settings)
    }

    package mutating func connected() -> [Effect] { [] }

    package mutating func read(_ text: UnsafeRawBufferPointer, _ downlink: Downlink, at now: Duration) -> [Effect]? {
        if let delta = AudioDelta(text) {
            let part = SpokenPart(
                responseID: String(decoding: text[delta.responseID], as: UTF8.self),
                itemID: String(decoding: text[delta.itemID], as: UTF8.self), contentIndex: delta.contentIndex
            )
            return play(UnsafeRawBufferPointer(rebasing: text[delta.audio]), of: part, downlink)
        }
        if text.count > longestEvent { return readSlowly(text, downlink) }
        guard let event = try? decoder.decode(text) else { return nil }
        let reports = translator.receive(event).map { Effect.report($0) }
        switch event {
        case .ignored(let type) where AudioDelta.realtimeTypes.contains(type):
            return readSlowly(text, downlink)
        case .audioDone(let responseID, let itemID, let contentIndex):
            return [.finish(SpokenPart(responseID: responseID, itemID: itemID, contentIndex: contentIndex))] + reports
        default: return reports
        }
    }

    package mutating func ask(_ request: ServiceRequest, at now: Duration) -> [Effect] {
        translator.ask(request).map { .send($0.fitting.encoded(for: translator.settings.dialect)) }
    }

    package func encoded(_ message: [UInt8]) -> [UInt8] { message }

    private mutating func readSlowly(_ text: UnsafeRawBufferPointer, _ downlink: Downlink) -> [Effect]? {
        guard var delta = AudioDelta.slowly(text) else { return nil }
        let part = SpokenPart(
            responseID: delta.responseID ?? "", itemID: delta.itemID ?? "", contentIndex: delta.contentIndex ?? 0
        )
        return delta.audio.withUTF8 { play(UnsafeRawBufferPointer($0), of: part, downlink) }
    }

    private mutating func play(
        _ base64: UnsafeRawBufferPointer,
        of part: SpokenPart,
        _ downlink: Downlink
    ) -> [Effect]? {
        let continues = part == self.part
        self.part = part
        guard let samples = downlink.decode(base64, continues: continues) else { return nil }
        return samples.isEmpty ? [] : [.play(0..<samples.count, of: part)]
    }
}
