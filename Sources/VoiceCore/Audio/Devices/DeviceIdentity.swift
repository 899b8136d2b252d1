internal import CAlsa

/// The sound server behind a device, recognised by the plugin that leads there, as ALSA does not state it.
enum SoundServer: Sendable {
    /// Also PipeWire with its PulseAudio interface.
    case pulseAudio
    case pipeWire

    /// Frames at 48 kHz by which it may advance in one step, whatever period its plugin grants: PipeWire's default quantum, and
    /// its minimum in a virtual machine.
    static let step = 1024

    /// Finds the server that the device leads to under any name; nil if none.
    init?(behind pcm: OpaquePointer) {
        guard let server = PluginChain(of: pcm)?.server else { return nil }
        self = server
    }
}
