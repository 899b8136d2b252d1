internal import VoiceBase
package import VoiceConversation

/// A chunk of cleaned microphone audio at 24 kHz, with the audio thread's findings. Valid during a call only.
package struct MicrophoneChunk {
    package var samples: UnsafeBufferPointer<Int16>
    /// Whether it contains a voice; always false without a voice detector.
    package var isVoice = false
    /// Whether the gate or mute held it back; its samples are then zero.
    package var isHeldBack = false
    /// Whether speech of the box is playing or queued.
    package var boxSounds = false

    package init(_ samples: UnsafeBufferPointer<Int16>) { self.samples = samples }

    /// Calls `body` with each 10 ms of it; the last may be shorter.
    func forEachPeriod(_ body: (MicrophoneChunk) -> Void) {
        for start in stride(from: 0, to: samples.count, by: AudioFormat.wirePeriodSamples) {
            let end = min(start + AudioFormat.wirePeriodSamples, samples.count)
            var period = self
            period.samples = UnsafeBufferPointer(rebasing: samples[start..<end])
            body(period)
        }
    }
}

/// Takes the microphone and delivers the voice: the connection to a service. Lives on the network thread.
package protocol VoiceLine: AnyObject {
    /// Whether audio may be sent.
    var isOpen: Bool { get }
    /// Bytes queued for sending.
    var pendingSendBytes: Int { get }

    /// - Returns: the bytes now under way; 0 if nothing leaves yet; nil if the sound is lost.
    func send(_ chunk: MicrophoneChunk) -> Int?

    /// Reports how far the loudspeaker has played this connection's speech.
    func sounded(_ progress: PlayoutQueue.Progress)
}

extension VoiceLine {
    package func sounded(_ progress: PlayoutQueue.Progress) {}
}
