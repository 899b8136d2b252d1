/// Decodes a body in chunks (RFC 9112 section 7.1). A pure value.
struct ChunkedBody: Sendable, Equatable {
    struct Malformed: Error, Equatable, Sendable {}

    private enum State: Equatable {
        case size
        case data(Int)
        /// The line end after a chunk.
        case gap
        case trailer
        case over
    }

    /// Longest line, of a size with its extensions or of the trailer, in bytes.
    private static let longestLine = 4096
    private static let mostTrailers = 64

    private var state = State.size
    private var line: [UInt8] = []
    private var trailers = 0

    var isOver: Bool { state == .over }

    /// Returns the content in these bytes; anything after the end is ignored.
    mutating func consume(_ bytes: some Collection<UInt8>) throws(Malformed) -> [UInt8] {
        var content: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty, state != .over {
            if case .data(let left) = state {
                let piece = rest.prefix(left)
                content += piece
                rest = rest.dropFirst(piece.count)
                state = piece.count == left ? .gap : .data(left - piece.count)
                continue
            }
            let end = rest.firstIndex(of: 0x0A)
            line += rest[..<(end ?? rest.endIndex)]
            guard line.count <= Self.longestLine else { throw Malformed() }
            guard let end else { break }
            rest = rest[rest.index(after: end)...]
            if line.last == 0x0D { line.removeLast() }
            try finishLine()
            line = []
        }
        return content
    }

    private mutating func finishLine() throws(Malformed) {
        switch state {
        case .gap:
            guard line.isEmpty else { throw Malformed() }
            state = .size
        case .size:
            let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
            guard (1...15).contains(digits.count),
                let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0
            else { throw Malformed() }
            state = size == 0 ? .trailer : .data(size)
        case .trailer:
            trailers += 1
            guard trailers <= Self.mostTrailers else { throw Malformed() }
            if line.isEmpty { state = .over }
        case .data, .over: break
        }
    }
}
