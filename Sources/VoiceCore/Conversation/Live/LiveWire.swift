/// A GPT-Live connection without audio, to check whether the service accepts it.
package struct LiveWire: ServiceWire {
    private var translator: LiveTranslator

    package init(_ settings: LiveSettings) { translator = LiveTranslator(settings) }

    package mutating func connected() -> [ServiceReport] { Self.reports(translator.connected()) }

    package mutating func read(_ text: UnsafeRawBufferPointer, at now: Duration) -> [ServiceReport]? {
        LiveEventDecoder.decode(text).map { Self.reports(translator.take($0, at: now)) }
    }

    package mutating func write(_ request: ServiceRequest, at now: Duration) -> [[UInt8]] {
        translator.ask(request, at: now).compactMap { effect in
            if case .send(let event) = effect { event.encoded } else { nil }
        }
    }

    private static func reports(_ effects: [LiveTranslator.Effect]) -> [ServiceReport] {
        effects.compactMap { effect in
            if case .report(let report) = effect { report } else { nil }
        }
    }
}
