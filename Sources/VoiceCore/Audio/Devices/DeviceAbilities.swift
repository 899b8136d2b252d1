internal import CAlsa
internal import VoiceBase

/// Abilities of one direction of a device, without any of ALSA's converters.
package struct DeviceAbilities: Sendable, Equatable {
    /// The supported rates among `SampleRates.known`, lowest first, in Hz.
    package var rates: [Int]
    /// ALSA's names of its sample formats, such as "S16_LE".
    package var formats: [String]
    package var channels: ClosedRange<Int>

    package init(rates: [Int], formats: [String], channels: ClosedRange<Int>) {
        self.rates = rates
        self.formats = formats
        self.channels = channels
    }

    /// Opens the device and queries it. Blocks as long as ALSA does.
    package static func look(
        at device: String,
        direction: AudioDirection
    ) throws(AudioDeviceError) -> DeviceAbilities {
        let pcm = try ALSAStream.openPCM(device, direction)
        defer { snd_pcm_close(pcm) }
        guard let abilities = DeviceAbilities(of: pcm) else {
            throw .unsupported(device: device, direction: direction, reason: StreamRefusal.undefined)
        }
        return abilities
    }

    /// Queries a device that is open and not set up; nil if it reports nothing.
    init?(of pcm: OpaquePointer) {
        var hardware: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&hardware) >= 0 else { return nil }
        defer { snd_pcm_hw_params_free(hardware) }
        guard snd_pcm_hw_params_any(pcm, hardware) >= 0, snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0) >= 0
        else { return nil }
        self.init(pcm, hardware)
    }

    /// Reads ALSA's configuration space of a device; lists are empty if it reports nothing.
    init(_ pcm: OpaquePointer, _ hardware: OpaquePointer?) {
        rates = SampleRates.known.filter { snd_pcm_hw_params_test_rate(pcm, hardware, UInt32($0), 0) == 0 }
        formats = (0...SND_PCM_FORMAT_LAST.rawValue).compactMap { code in
            let format = snd_pcm_format_t(rawValue: code)
            guard snd_pcm_hw_params_test_format(pcm, hardware, format) == 0, let name = snd_pcm_format_name(format)
            else { return nil }
            return String(cString: name)
        }
        channels = 1...1
        var least: UInt32 = 1
        var most: UInt32 = 1
        if snd_pcm_hw_params_get_channels_min(hardware, &least) == 0,
            snd_pcm_hw_params_get_channels_max(hardware, &most) == 0, least <= most
        {
            channels = Int(least)...Int(most)
        }
    }

    // MARK: For people

    /// "16000 Hz; S16_LE; 1 channel".
    package var text: String {
        let rates = rates.isEmpty ? "no usual rate" : rates.map(String.init).joined(separator: " ") + " Hz"
        // ALSA's plugins convert to any format.
        let formats = formats.count > 16 ? "any format" : formats.joined(separator: " ")
        return "\(rates); \(formats.isEmpty ? "no format" : formats); \(channelsText)"
    }

    /// "1 channel", "2 to 8 channels".
    package var channelsText: String {
        // ALSA's plugins accept any number.
        if channels.upperBound >= 1000 { return "any number of channels" }
        let (low, high) = (channels.lowerBound, channels.upperBound)
        return (low == high ? "\(low)" : "\(low) to \(high)") + " channel" + (high == 1 ? "" : "s")
    }

    /// "16000 Hz", "44100 and 48000 Hz", or a text for no rate at all.
    var ratesText: String {
        rates.isEmpty ? "no rate from 8000 to 192000 Hz" : Self.list(rates.map(String.init)) + " Hz"
    }

    /// "S16_LE and S24_3LE", or "none".
    var formatsText: String { formats.isEmpty ? "none" : Self.list(formats) }

    private static func list(_ items: [String]) -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return items.dropLast().joined(separator: ", ") + " and " + last
    }
}
