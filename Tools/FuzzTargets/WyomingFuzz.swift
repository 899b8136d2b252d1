import VoiceNetwork

/// Data of a Wyoming server, split as by a socket.
enum WyomingFuzz {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var decoder = WyomingDecoder()
        var transcript = WyomingTranscript()
        for piece in Pieces.of(bytes) {
            guard let frames = try? decoder.consume(piece) else { return }
            for frame in frames {
                transcript.receive(WyomingEvent(frame))
                precondition(transcript.text.utf8.count <= 2 * WyomingEvent.longestText, "a transcript without end")
                var again = WyomingDecoder()
                precondition((try? again.consume(frame.bytes)) == [frame], "another frame comes back")
            }
        }
    }
}
