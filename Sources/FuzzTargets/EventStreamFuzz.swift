import VoiceAgent

/// Event streams of the agent.
enum EventStreamFuzz {
    private static let limits = ServerSentEventParser.Limits(lineBytes: 512, eventBytes: 1024)

    /// The events do not depend on how the bytes are cut.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 1 else { return }
        let whole = events([UnsafeRawBufferPointer(rebasing: bytes.dropFirst())])
        let cut = events(Pieces.of(bytes))
        precondition(whole.failed == cut.failed, "the cut decides whether it is too long")
        precondition(whole.failed || whole.events == cut.events, "the cut changes the events")
    }

    private static func events(_ pieces: [UnsafeRawBufferPointer]) -> (events: [ServerSentEvent], failed: Bool) {
        var parser = ServerSentEventParser(limits: limits)
        var events: [ServerSentEvent] = []
        for piece in pieces {
            do {
                for event in try parser.feed(piece) {
                    precondition(!event.data.isEmpty && !event.name.isEmpty, "an empty event")
                    events.append(event)
                }
            } catch {
                return (events, true)
            }
        }
        return (events, false)
    }
}
