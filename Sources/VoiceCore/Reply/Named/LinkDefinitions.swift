/// The targets of Markdown references: `[1]: https://e.org/a.mp3 "Title"` (CommonMark 0.30, section 4.7).
struct LinkDefinitions {
    struct Target: Equatable {
        let address: String
        let title: String
    }

    private static let most = 200
    private var targets: [String: Target] = [:]

    init(_ bytes: [UInt8]) {
        guard bytes.contains(UInt8(ascii: "[")) else { return }
        for line in bytes.split(separator: 0x0A) where targets.count < Self.most {
            guard let (label, target) = Self.definition(in: line), targets[label] == nil else { continue }
            targets[label] = target
        }
    }

    func target(of label: some StringProtocol) -> Target? {
        targets.isEmpty ? nil : targets[Self.normal(label)]
    }

    /// Returns the label and the target that a line defines; nil if it defines none.
    static func definition(in line: ArraySlice<UInt8>) -> (label: String, target: Target)? {
        let start = line.drop { $0 == 0x20 }
        guard start.count < 5000, line.count - start.count <= 3, start.first == UInt8(ascii: "["),
            let close = start.firstIndex(of: UInt8(ascii: "]")), close - start.startIndex <= 200,
            start.indices.contains(close + 1), start[close + 1] == UInt8(ascii: ":")
        else { return nil }
        let label = normal(String(decoding: start[(start.startIndex + 1)..<close], as: UTF8.self))
        let rest = start[(close + 2)...].drop { $0 <= 0x20 }
        let isBracketed = rest.first == UInt8(ascii: "<")
        let text = isBracketed ? rest.dropFirst().prefix { $0 != UInt8(ascii: ">") } : rest.prefix { $0 > 0x20 }
        let behind = rest[(text.endIndex + (isBracketed && text.endIndex < rest.endIndex ? 1 : 0))...]
        let title = String(decoding: behind, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !label.isEmpty, title.isEmpty || "\"'(".contains(title.prefix(1)) else { return nil }
        let address = SoundAddress.encoded(String(decoding: text, as: UTF8.self))
        return SoundAddress(address) == nil ? nil : (label, Target(address: address, title: title))
    }

    /// Normalises case and runs of spaces.
    private static func normal(_ label: some StringProtocol) -> String {
        label.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
