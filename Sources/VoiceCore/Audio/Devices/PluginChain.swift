internal import CAlsa

/// ALSA's own description of an open device: the plugins through which it leads, down to the card. Every name of ALSA's
/// configuration may hide any of them.
struct PluginChain {
    private let text: String

    init(_ text: String) { self.text = text }

    /// nil if ALSA describes nothing.
    init?(of pcm: OpaquePointer) {
        var opened: OpaquePointer?
        guard snd_output_buffer_open(&opened) == 0, let output = opened else { return nil }
        defer { snd_output_close(output) }
        guard snd_pcm_dump(pcm, output) >= 0 else { return nil }
        var start: UnsafeMutablePointer<CChar>?
        let count = snd_output_buffer_string(output, &start)
        guard let start, count > 0 else { return nil }
        text = String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    /// The sound server at its end; nil if none.
    var server: SoundServer? {
        if text.contains("PulseAudio PCM") { return .pulseAudio }
        if text.contains("PipeWire PCM") { return .pipeWire }
        return nil
    }

    /// The channels of the device that a `plug` converts, once it is set up. `plug` grants any number, and fills those
    /// that its card lacks with silence. nil without a `plug`.
    var channelsBehindPlug: Int? {
        var isBehindPlug = false
        var isConversion = true
        for line in text.split(separator: "\n") {
            let isPlug = line.contains("Plug PCM: ")
            if isPlug || line.hasPrefix("Slave: ") {
                isBehindPlug = isBehindPlug || isPlug
                isConversion = line.contains("conversion PCM")
            }
            guard isBehindPlug, !isConversion else { continue }
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].contains("  channels ") else { continue }
            return parts[1].split(separator: " ").first.flatMap { Int($0) }
        }
        return nil
    }
}
