/// A parser of outside bytes, with properties that must hold for any input; a violation ends the process.
///
/// Used by the fuzzer and by a test that feeds it the files of `Tests/Corpus/<name>`.
package struct FuzzTarget: Sendable {
    package let name: String
    /// Feeds the parser. The first byte of the input often determines how the rest is split.
    package let run: @Sendable (UnsafeRawBufferPointer) -> Void

    package static let all: [FuzzTarget] = [
        FuzzTarget(name: "websocket", run: WebSocketFuzz.frames),
        FuzzTarget(name: "handshake", run: WebSocketFuzz.handshake),
        FuzzTarget(name: "events", run: EventFuzz.run),
        FuzzTarget(name: "datagrid", run: DatagridFuzz.run),
        FuzzTarget(name: "reply", run: ReplyFuzz.run),
        FuzzTarget(name: "configuration", run: ConfigurationFuzz.run),
        FuzzTarget(name: "sse", run: EventStreamFuzz.run),
        FuzzTarget(name: "base64", run: Base64Fuzz.run),
        FuzzTarget(name: "media", run: MediaFuzz.run),
        FuzzTarget(name: "hero365", run: Hero365Fuzz.run),
        FuzzTarget(name: "script", run: ScriptFuzz.run),
        FuzzTarget(name: "live", run: LiveFuzz.run),
        FuzzTarget(name: "wyoming", run: WyomingFuzz.run),
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
