internal import VoiceBase

/// The sound of another program, such as snapclient or librespot, which writes it into a FIFO: 16 bits, two channels.
package struct SoundInput: Sendable, Equatable {
    /// As the user calls it.
    package var name: String
    /// Absolute.
    package var path: String
    /// Frames in a second.
    package var rate: Int

    /// Of most programs; snapclient's is the server's, usually 48000.
    private static let usualRate = 44_100
    private static let rates = 8_000...192_000
    private static let most = 8

    /// "Snapcast=/run/snapcast/pipe:48000"; nil for anything else.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 4096, let mark = text.firstIndex(of: "=") else { return nil }
        let name = ForeignText.title(text[..<mark])
        var path = String(text[text.index(after: mark)...])
        var rate = Self.usualRate
        if let colon = path.lastIndex(of: ":") {
            guard let given = Int(path[path.index(after: colon)...]), Self.rates ~= given else { return nil }
            rate = given
            path = String(path[..<colon])
        }
        guard !name.isEmpty, path.hasPrefix("/"), path.count > 1 else { return nil }
        (self.name, self.path, self.rate) = (name, path, rate)
    }

    /// The first word of a list that is not an input; nil if all are.
    package static func firstWrong(in text: String) -> Substring? {
        text.split(separator: " ").first { SoundInput($0) == nil }
    }

    /// The inputs of a list, separated by blanks.
    package static func list(_ text: String) -> [SoundInput] {
        Array(text.split(separator: " ").compactMap { SoundInput($0) }.prefix(most))
    }
}
