/// Which element of which card's mixer: "Speaker", "Speaker,1", "hw:PCH/Speaker" or "PCH/Speaker".
package struct MixerPlace: Sendable, Equatable {
    /// Control device as ALSA names it: "hw:PCH", "default".
    package var card: String
    package var element: String
    package var index: Int

    /// - Parameters:
    ///   - text: as configured.
    ///   - device: the PCM whose card is meant where the text names none.
    package init(_ text: String, device: String) throws(MixerError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.last ?? ""
        card = parts.count == 2 ? Self.control(of: String(parts[0])) : Self.control(of: device)
        // "Name,1" is the second element of that name; a name may hold a comma of its own.
        if let comma = name.lastIndex(of: ","), let number = Int(name[name.index(after: comma)...]), number >= 0 {
            element = String(name[..<comma])
            index = number
        } else {
            element = String(name)
            index = 0
        }
        guard !element.isEmpty, !card.isEmpty, index <= 1000 else { throw .badName(text) }
    }

    /// "hw:PCH" of "plughw:CARD=PCH,DEV=0", "plughw:PCH,0", "hw:PCH" or "PCH".
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

/// Why a mixer was not set, in one line with the way out.
package enum MixerError: Error, Sendable, Equatable, CustomStringConvertible {
    case badName(String)
    case noCard(String, reason: String)
    case noElement(MixerPlace, known: [String])
    case noVolume(MixerPlace)
    case refused(MixerPlace, reason: String)

    package var description: String {
        switch self {
        case .badName(let text):
            return "\"\(text)\" is no mixer element: write \"Speaker\" or \"hw:CARD/Speaker\""
        case .noCard(let card, let reason):
            return "the mixer of \"\(card)\" does not open: \(reason); name the card, as in \"hw:CARD/Speaker\""
        case .noElement(let place, let known):
            let list = known.isEmpty ? "it has none of this direction" : "it has: \(known.joined(separator: ", "))"
            return "\(place.card) has no mixer element \"\(place.element)\"; \(list)"
        case .noVolume(let place):
            return "mixer element \"\(place.element)\" of \(place.card) has no volume, only a switch or a choice"
        case .refused(let place, let reason):
            return "mixer element \"\(place.element)\" of \(place.card) cannot be set: \(reason)"
        }
    }
}

/// What to write into a mixer element for a volume in percent.
///
/// With a decibel scale: 100 % is the element's 0 dB, or its top if that is lower or there is nothing above the bottom
/// below 0 dB; less follows the taper of `Volumes`. Without one: in a straight line between bottom and top.
package enum MixerLevel: Sendable, Equatable {
    /// Hundredths of a decibel.
    case decibels(Int)
    case raw(Int)

    /// - Parameters:
    ///   - decibels: the element's scale in hundredths of a decibel; nil when it has none.
    ///   - raw: the element's own range.
    ///   - direction: a microphone's 100 % is the top: 0 dB says nothing about what it gives.
    package init(
        percent: Int,
        decibels: ClosedRange<Int>?,
        raw: ClosedRange<Int>,
        direction: AudioDirection = .playback
    ) {
        let percent = min(100, max(0, percent))
        guard let decibels, decibels.lowerBound < decibels.upperBound else {
            self = .raw(raw.lowerBound + (raw.upperBound - raw.lowerBound) * percent / 100)
            return
        }
        let hasZero = direction == .playback && decibels.lowerBound < 0
        let top = hasZero ? min(0, decibels.upperBound) : decibels.upperBound
        guard let below = Volumes.decibels(percent: percent) else {
            self = .decibels(decibels.lowerBound)
            return
        }
        // Some cards call their bottom -99999.99 dB: that is silence, and the taper never gets there.
        self = .decibels(max(decibels.lowerBound, top + Int((below * 100).rounded())))
    }
}
