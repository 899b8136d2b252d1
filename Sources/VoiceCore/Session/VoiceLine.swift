internal import VoiceBase
package import VoiceConversation
package import VoiceNetwork

/// A piece of the cleaned microphone, 24 kHz, with what the audio thread knows of it. Good during a call only.
package struct MicrophoneChunk {
    package var samples: UnsafeBufferPointer<Int16>
    /// Somebody is heard to speak in it; never true where nothing tells voices from other sound.
    package var isVoice = false
    /// The gate or mute held it back: it is zero.
    package var isHeldBack = false
    /// Speech of the box is being played, or waits to be.
    package var boxSounds = false

    package init(_ samples: UnsafeBufferPointer<Int16>) { self.samples = samples }
}

/// Where the microphone goes and the voice comes from: the connection of a service. Lives on the network thread.
package protocol VoiceLine: AnyObject {
    /// Sound may be sent.
    var isOpen: Bool { get }
    /// Bytes that wait to leave.
    var pendingSendBytes: Int { get }

    /// - Returns: the bytes that are on their way, 0 where nothing leaves yet; nil where the sound is lost.
    func send(_ chunk: MicrophoneChunk, by encoder: any UplinkEncoder) -> Int?

    /// How far the loudspeaker has come with what came from here.
    func sounded(_ progress: PlayoutQueue.Progress)
}

extension VoiceLine {
    package func sounded(_ progress: PlayoutQueue.Progress) {}
}

extension WebSocketConnection: VoiceLine {
    package func send(_ chunk: MicrophoneChunk, by encoder: any UplinkEncoder) -> Int? {
        var bytes = 0
        let size = encoder.longestMessage(samples: chunk.samples.count)
        let isSent = send(textOfAtMost: size) { buffer in
            bytes = encoder.write(chunk.samples, into: buffer)
            return bytes
        }
        return isSent ? bytes : nil
    }
}
