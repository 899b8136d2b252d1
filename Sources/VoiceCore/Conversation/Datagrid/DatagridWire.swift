/// A Datagrid session without audio, to check whether the service accepts it.
package struct DatagridWire: ServiceWire {
    private var translator: DatagridTranslator

    package init(_ translator: DatagridTranslator) { self.translator = translator }

    package mutating func connected() -> [ServiceReport] { Self.reports(translator.connected()) }

    package mutating func read(_ text: UnsafeRawBufferPointer, at now: Duration) -> [ServiceReport]? {
        DatagridDecoder.decode(text).map { Self.reports(translator.take($0, at: now)) }
    }

    package mutating func write(_ request: ServiceRequest, at now: Duration) -> [[UInt8]] {
        translator.ask(request, at: now).compactMap { effect in
            if case .send(let message) = effect { message.encoded } else { nil }
        }
    }

    private static func reports(_ effects: [DatagridTranslator.Effect]) -> [ServiceReport] {
        effects.compactMap { effect in
            if case .report(let report) = effect { report } else { nil }
        }
    }
}
