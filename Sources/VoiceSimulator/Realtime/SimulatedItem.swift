/// An item of the conversation as the server remembers it.
struct SimulatedItem: Sendable {
    var value: SimulatedJSON
    /// Assistant audio generated for it, in bytes of PCM16; nil for items without audio output.
    var audioBytes: Int?
    var previous: String?

    /// Audio at 24 kHz, 48 bytes per millisecond.
    var audioMilliseconds: Int? { audioBytes.map { $0 / 48 } }
}
