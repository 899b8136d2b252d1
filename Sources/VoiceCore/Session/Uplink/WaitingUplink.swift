internal import VoiceBase

/// Silence for a session that runs on the audio it is sent and does not have the microphone yet: a standby, which would end
/// for lack of audio. Lives on the network thread.
struct WaitingUplink {
    /// 40 ms.
    private static let silence = [Int16](repeating: 0, count: AudioFormat.wireRate / 25)

    private var clock: UplinkClock?

    /// Sends the silence due by now.
    mutating func keep(_ line: any VoiceLine, by encoder: any UplinkEncoder, at now: Duration) {
        var clock = clock ?? UplinkClock(chunk: Self.silence.count, at: now)
        let due = clock.step(at: now, oldest: now, waiting: 0, isHeld: true).silence / Self.silence.count
        self.clock = clock
        Self.silence.withUnsafeBufferPointer { silence in
            for _ in 0..<due {
                guard line.isOpen, line.send(MicrophoneChunk(silence), by: encoder) != nil else { return }
            }
        }
    }
}
