/// A Hero365 connection without audio, to check whether the service accepts it.
package struct Hero365Wire: ServiceWire {
    private var translator: Hero365Translator

    package init(_ settings: Hero365Settings, session: String) {
        translator = Hero365Translator(settings, session: session)
    }

    package mutating func connected() -> [ServiceReport] { Self.reports(translator.connected()) }

    package mutating func read(_ text: UnsafeRawBufferPointer, at now: Duration) -> [ServiceReport]? {
        Hero365Decoder.decode(text).map { Self.reports(translator.take($0, at: now)) }
    }

    package mutating func write(_ request: ServiceRequest, at now: Duration) -> [[UInt8]] {
        translator.ask(request, at: now).compactMap { effect in
            guard case .send(let message) = effect else { return nil }
            return translator.encoded(message)
        }
    }

    private static func reports(_ effects: [Hero365Translator.Effect]) -> [ServiceReport] {
        effects.compactMap { effect in
            if case .report(let report) = effect { report } else { nil }
        }
    }
}
