internal import CAlsa

/// What ALSA does not tell of a device behind which a sound server is.
enum SoundServer {
    /// By how much it may move on at once, in frames at 48 kHz, whatever period its plugin grants: the default of PipeWire's
    /// quantum, and its least in a virtual machine.
    static let step = 1024

    /// Whether the device leads to PipeWire or PulseAudio, under whatever name. What ALSA prints of a device names the plugin,
    /// also where others are before it.
    static func isBehind(_ pcm: OpaquePointer) -> Bool {
        var opened: OpaquePointer?
        guard snd_output_buffer_open(&opened) == 0, let output = opened else { return false }
        defer { snd_output_close(output) }
        guard snd_pcm_dump(pcm, output) >= 0 else { return false }
        var text: UnsafeMutablePointer<CChar>?
        let count = snd_output_buffer_string(output, &text)
        guard let text, count > 0 else { return false }
        let dump = String(decoding: UnsafeRawBufferPointer(start: text, count: Int(count)), as: UTF8.self)
        return dump.contains("PipeWire PCM") || dump.contains("PulseAudio PCM")
    }
}
