/// A mixer element of a card: "Speaker", "Speaker,1", "hw:PCH/Speaker" or "PCH/Speaker".
package struct MixerPlace: Sendable, Equatable {
    /// ALSA's name of the control device: "hw:PCH", "default".
    package var card: String
    package var element: String
    package var index: Int

    /// - Parameters:
    ///   - text: as configured.
    ///   - device: PCM whose card is used if `text` names none.
    package init(_ text: String, device: String) throws(MixerError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.last ?? ""
        card = parts.count == 2 ? Self.control(of: String(parts[0])) : Self.control(of: device)
        // "Name,1" is the second element of that name; a name may itself contain a comma.
        if let comma = name.lastIndex(of: ","), let number = Int(name[name.index(after: comma)...]), number >= 0 {
            element = String(name[..<comma])
            index = number
        } else {
            element = String(name)
            index = 0
        }
        guard !element.isEmpty, !card.isEmpty, index <= 1000 else { throw .badName(text) }
    }

    /// Returns "hw:PCH" for "plughw:CARD=PCH,DEV=0", "plughw:PCH,0", "hw:PCH" or "PCH".
    private static func control(of device: String) -> String {
        guard let colon = device.firstIndex(of: ":") else {
            return device == "default" || device.isEmpty ? device : "hw:" + device
        }
        let arguments = device[device.index(after: colon)...].split(separator: ",")
        let named = arguments.first { $0.hasPrefix("CARD=") }?.dropFirst(5)
        guard let card = named ?? arguments.first, !card.isEmpty else { return "default" }
        return "hw:" + card
    }
}

/// Why a mixer was not set, in one line with a remedy.
package enum MixerError: Error, Sendable, Equatable, CustomStringConvertible {
    case badName(String)
    case noCard(String, reason: String)
    case noElement(MixerPlace, known: [String])
    case noVolume(MixerPlace)
    case refused(MixerPlace, reason: String)

    package var description: String {
        switch self {
        case .badName(let text):
            return "\"\(text)\" is not a mixer element: write \"Speaker\" or \"hw:CARD/Speaker\""
        case .noCard(let card, let reason):
            return "the mixer of \"\(card)\" cannot be opened: \(reason); name the card, as in \"hw:CARD/Speaker\""
        case .noElement(let place, let known):
            let list = known.isEmpty ? "it has none for this direction" : "it has: \(known.joined(separator: ", "))"
            return "\(place.card) has no mixer element \"\(place.element)\"; \(list)"
        case .noVolume(let place):
            return "mixer element \"\(place.element)\" of \(place.card) has no volume, only a switch or a choice"
        case .refused(let place, let reason):
            return "mixer element \"\(place.element)\" of \(place.card) cannot be set: \(reason)"
        }
    }
}

/// The value to write into a mixer element for a volume in percent.
///
/// With a decibel scale, 100 % is the element's 0 dB, or its top if the top is lower or the scale has nothing below 0 dB;
/// lower volumes follow the taper of `Volumes`. Without one, linear between bottom and top.
package enum MixerLevel: Sendable, Equatable {
    /// Hundredths of a decibel.
    case decibels(Int)
    case raw(Int)

    /// - Parameters:
    ///   - decibels: the element's scale in hundredths of a decibel; nil if it has none.
    ///   - raw: the element's own range.
    package init(
        percent: Int,
        decibels: ClosedRange<Int>?,
        raw: ClosedRange<Int>
    ) {
        let percent = min(100, max(0, percent))
        guard let decibels, decibels.lowerBound < decibels.upperBound else {
            self = .raw(raw.lowerBound + (raw.upperBound - raw.lowerBound) * percent / 100)
            return
        }
        let hasZero = decibels.lowerBound < 0
        let top = hasZero ? min(0, decibels.upperBound) : decibels.upperBound
        guard let below = Volumes.decibels(percent: percent) else {
            self = .decibels(decibels.lowerBound)
            return
        }
        // Some cards report -99999.99 dB as their bottom. That means silence, which the taper never reaches.
        self = .decibels(max(decibels.lowerBound, top + Int((below * 100).rounded())))
    }
}
