import VoiceConversation
package import VoiceNetwork
package import VoiceSession

/// Takes the microphone in Realtime's messages, for tests of the pump alone.
extension WebSocketConnection: VoiceLine {
    package func send(_ chunk: MicrophoneChunk) -> Int? {
        Base64Uplink(RealtimeWire.audioMessage).send(chunk.samples, on: self)
    }
}
