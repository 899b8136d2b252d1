internal import FoundationEssentials

extension String {
    /// A JSON string: quotes in it are escaped, so that it shows where a text from outside begins and ends.
    package var quoted: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // A string always encodes.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}
