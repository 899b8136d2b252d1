internal import ServiceSimulators
package import VoiceSimulator

extension FuzzTarget {
    /// All targets; those of a service are in the folder of its simulator.
    package static let all = own + SimulatorRegistry.all.compactMap { $0.fuzz }

    private static let own: [FuzzTarget] = [
        FuzzTarget(name: "websocket", run: WebSocketFuzz.frames),
        FuzzTarget(name: "handshake", run: WebSocketFuzz.handshake),
        FuzzTarget(name: "events", run: EventFuzz.run),
        FuzzTarget(name: "reply", run: ReplyFuzz.run),
        FuzzTarget(name: "configuration", run: ConfigurationFuzz.run),
        FuzzTarget(name: "sse", run: EventStreamFuzz.run),
        FuzzTarget(name: "base64", run: Base64Fuzz.run),
        FuzzTarget(name: "media", run: MediaFuzz.run),
        FuzzTarget(name: "script", run: ScriptFuzz.run),
        FuzzTarget(name: "wyoming", run: WyomingFuzz.run),
        FuzzTarget(name: "home", run: HomeAssistantFuzz.run),
        FuzzTarget(name: "native", run: NativeFuzz.run),
    ]

    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// Splits bytes as a socket might; the sizes are derived from the first byte.
enum Pieces {
    static func of(_ bytes: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
        guard let first = bytes.first else { return [] }
        var rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        var pieces: [UnsafeRawBufferPointer] = []
        var size = Int(first & 0x1f) + 1
        while !rest.isEmpty {
            let count = min(size, rest.count)
            pieces.append(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            size = size % 37 + Int(first >> 5) + 1
        }
        return pieces
    }
}
