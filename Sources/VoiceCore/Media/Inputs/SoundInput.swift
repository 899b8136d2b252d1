internal import VoiceBase

/// The sound of another program, such as snapclient or librespot.
package struct SoundInput: Sendable, Equatable {
    package enum Source: Sendable, Equatable {
        /// The program writes it into a FIFO: 16 bits, two channels. `rate`: frames in a second.
        case fifo(String, rate: Int)
        /// The program plays it into a device of ALSA's, whose other side is this one.
        case device(String)
    }

    /// The user's name for it.
    package var name: String
    package var source: Source

    /// The rate of most programs; snapclient uses its server's, usually 48000.
    private static let usualRate = 44_100
    private static let rates = 8_000...192_000
    private static let most = 8

    /// "Snapcast=/run/snapcast/pipe:48000", "Snapcast=hw:Loopback,1"; nil for anything else.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 4096, let mark = text.firstIndex(of: "=") else { return nil }
        let name = ForeignText.title(text[..<mark])
        let place = String(text[text.index(after: mark)...])
        guard !name.isEmpty, let source = place.hasPrefix("/") ? Self.fifo(place) : Self.device(place) else {
            return nil
        }
        (self.name, self.source) = (name, source)
    }

    private static func fifo(_ text: String) -> Source? {
        var (path, rate) = (text, usualRate)
        if let colon = path.lastIndex(of: ":") {
            guard let given = Int(path[path.index(after: colon)...]), rates ~= given else { return nil }
            rate = given
            path = String(path[..<colon])
        }
        return path.count > 1 ? .fifo(path, rate: rate) : nil
    }

    /// A name of ALSA's configuration; what it means shows when it is opened.
    private static func device(_ name: String) -> Source? {
        let signs = Set(":,._-=".utf8)
        let isName = name.utf8.allSatisfy {
            0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || signs.contains($0)
        }
        return 1...200 ~= name.utf8.count && isName ? .device(name) : nil
    }

    /// The FIFO or the device, for people.
    package var place: String {
        switch source {
        case .fifo(let path, _): path
        case .device(let name): name
        }
    }

    /// The file or FIFO into which its program may write a title.
    package var titlePath: String? {
        if case .fifo(let path, _) = source { path + ".title" } else { nil }
    }

    var isDevice: Bool { if case .device = source { true } else { false } }

    /// The first word of a list that is not an input; nil if all are.
    package static func firstWrong(in text: String) -> Substring? {
        text.split(separator: " ").first { SoundInput($0) == nil }
    }

    /// The inputs of a list, separated by blanks.
    package static func list(_ text: String) -> [SoundInput] {
        Array(text.split(separator: " ").compactMap { SoundInput($0) }.prefix(most))
    }
}
