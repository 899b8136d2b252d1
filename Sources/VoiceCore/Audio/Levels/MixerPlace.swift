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
