import BridgeCore

/// Bytes of a client of the ESPHome native API, split as by a socket.
enum NativeFuzz {
    /// A box with a key must take nothing from a client that has not shown it; one without answers with messages that can be sent,
    /// and not without end.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var locked = wire(key: [UInt8](repeating: 7, count: 32))
        var open = wire(key: nil)
        let house = NativeHouse(name: "box", version: "1.0.0", states: [])
        var machine = NativeMachine(NativeSettings(), address: "02:00:00:00:00:01", house: house)
        for piece in Pieces.of(bytes) {
            for case .message in locked.receive(piece) { preconditionFailure("a message without the key") }
            let outputs = open.receive(piece)
            // After a fault nothing is sent, not even the answers to what came before it.
            let isClosed = if case .close? = outputs.last { true } else { false }
            for case .message(let message) in outputs {
                let effects = machine.handle(.message(message))
                precondition(effects.count <= 100, "too many effects of a message")
                for case .send(let answer) in effects {
                    precondition(isClosed || open.send(answer) != nil, "an answer that cannot be sent")
                }
            }
        }
    }

    private static func wire(key: [UInt8]?) -> NativeWire {
        NativeWire(.init(name: "box", address: "02:00:00:00:00:01", key: key))
    }
}
