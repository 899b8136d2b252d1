/// Why a device cannot be used as it is, and what to configure instead. Pure.
struct StreamRefusal {
    var device: String
    var direction: AudioDirection
    var abilities: DeviceAbilities

    /// The key that sets the rate of this side.
    private var key: String { direction == .capture ? "audio.input_rate" : "audio.output_rate" }

    /// ALSA found no parameters at all.
    static let undefined =
        "cannot run as ALSA's configuration defines it, perhaps with a rate that the card lacks: leave rate, format and "
        + "channels out of the definition, or name the card itself"

    var access: String { "has no interleaved access: \(converted)" }

    /// - Parameter fixed: the configured rate, if any.
    func rate(fixed: Int?) -> String {
        guard let fixed else { return "runs at \(abilities.ratesText): choose another device" }
        return "does not run at \(fixed) Hz, but at \(abilities.ratesText): "
            + "set \(key) to \(abilities.rates.count == 1 ? "that" : "one of these"), or to 0 for the best"
    }

    /// - Parameters:
    ///   - count: number of channels it has.
    ///   - wanted: configured channel, counted from 1.
    static func channels(_ count: Int, wanted: Int) -> String {
        "has \(count == 1 ? "one channel" : "\(count) channels"), and no channel \(wanted): see audio.input_channel and "
            + "audio.input_channels, which count from 1"
    }

    var format: String {
        if abilities.formats.contains(where: { $0.hasPrefix("IEC958") }) {
            return "has only \(abilities.formatsText), the frames of a digital line: \(digital)"
        }
        return "has only the formats \(abilities.formatsText): \(converted)"
    }

    /// A device name with format conversion, which ALSA does without loss, unless this name converts already.
    private var converted: String {
        if device.hasPrefix("hw:") { return "use it as plug\(device)" }
        if device.hasPrefix("plug") || device == "default" { return "choose another device" }
        return device.contains(":") ? "choose another device" : "use it as plug:\(device)"
    }

    /// ALSA's name for the digital output of a card, which packs samples into the frames of a digital line.
    private var digital: String {
        let parts = device.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["hw", "plughw"].contains(parts[0]) else {
            return "use ALSA's hdmi: name of the card, such as hdmi:CARD=vc4hdmi0,DEV=0"
        }
        let fields = parts[1].split(separator: ",", omittingEmptySubsequences: false)
        func field(_ index: Int, _ key: String) -> Substring? {
            if let named = fields.first(where: { $0.hasPrefix(key + "=") }) { return named.dropFirst(key.count + 1) }
            return fields.indices.contains(index) && !fields[index].contains("=") ? fields[index] : nil
        }
        return "use it as hdmi:CARD=\(field(0, "CARD") ?? "0"),DEV=\(field(1, "DEV") ?? "0")"
    }
}
