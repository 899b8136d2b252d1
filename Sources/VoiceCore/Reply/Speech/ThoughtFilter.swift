/// Removes the reasoning that some models leave in their answers between `<think>` and `</think>`.
///
/// A tag in backquotes is mentioned, not used, and stays. Without an end tag, the rest is reasoning if the tag is at
/// the beginning of a line; without a start tag, everything before the end tag is.
enum ThoughtFilter {
    private static let opening = [Array("<think>".utf8), Array("<thinking>".utf8)]
    private static let closing = [Array("</think>".utf8), Array("</thinking>".utf8)]

    static func removeThoughts(from text: String) -> String {
        let bytes = Array(text.utf8)
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        var thoughtStart: Int?
        var at = 0
        while at < bytes.count {
            guard bytes[at] == UInt8(ascii: "<"), at == 0 || bytes[at - 1] != UInt8(ascii: "`") else {
                if thoughtStart == nil { kept.append(bytes[at]) }
                at += 1
                continue
            }
            if let length = length(of: closing, in: bytes, at: at) {
                if thoughtStart == nil { kept.removeAll(keepingCapacity: true) }
                thoughtStart = nil
                at += length
            } else if thoughtStart == nil, let length = length(of: opening, in: bytes, at: at) {
                thoughtStart = at
                at += length
            } else {
                if thoughtStart == nil { kept.append(bytes[at]) }
                at += 1
            }
        }
        if let start = thoughtStart, start > 0, bytes[start - 1] != UInt8(ascii: "\n") {
            kept.append(contentsOf: bytes[start...])
        }
        return String(decoding: kept, as: UTF8.self)
    }

    private static func length(of tags: [[UInt8]], in bytes: [UInt8], at start: Int) -> Int? {
        for tag in tags where start + tag.count <= bytes.count {
            if (0..<tag.count).allSatisfy({ lowercase(bytes[start + $0]) == tag[$0] }) { return tag.count }
        }
        return nil
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
    }
}
