internal import CZlib
import VoiceBase

/// Unpacks a body compressed with gzip or deflate (RFC 9110 section 8.4.1), a slice at a time: a few bytes may unpack to a
/// thousand times as many. Used by one thread at a time.
final class Inflater {
    struct Malformed: Error {}

    /// Bytes per slice.
    static let slice = 64 << 10

    private let stream: UnsafeMutablePointer<z_stream>
    private var input: ArraySlice<UInt8> = []
    private var hasBegun = false
    /// Whether a member is complete; another one may follow.
    private var isBetween = false
    private var isOver = false

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if hasBegun { inflateEnd(stream) }
        stream.deallocate()
    }

    /// Adds compressed bytes; call `next` until it returns nil before adding more.
    func add(_ bytes: [UInt8]) { input = input.isEmpty ? bytes[...] : input + bytes }

    /// Returns the next slice, which is not empty; nil until there is more input.
    func next() throws(Malformed) -> [UInt8]? {
        while !input.isEmpty, !isOver {
            if isBetween, input.first != 0x1F {
                // Browsers ignore what follows too.
                isOver = true
                break
            }
            isBetween = false
            try begin()
            var status = Z_OK
            var used = 0
            let output = [UInt8](unsafeUninitializedCapacity: Self.slice) { room, count in
                input.withUnsafeBytes { bytes in
                    let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                    stream.pointee.next_in = start?.assumingMemoryBound(to: UInt8.self)
                    stream.pointee.avail_in = UInt32(bytes.count)
                    stream.pointee.next_out = room.baseAddress
                    stream.pointee.avail_out = UInt32(room.count)
                    status = inflate(stream, Z_NO_FLUSH)
                    used = bytes.count - Int(stream.pointee.avail_in)
                    count = room.count - Int(stream.pointee.avail_out)
                }
            }
            input = input.dropFirst(used)
            switch status {
            case Z_STREAM_END:
                isBetween = true
                isOver = inflateReset(stream) != Z_OK
            case Z_OK: break
            // No progress is possible without more input.
            case Z_BUF_ERROR: if used == 0, output.isEmpty { return nil }
            default: throw Malformed()
            }
            if !output.isEmpty { return output }
        }
        if isOver { input = [] }
        return nil
    }

    /// Servers send deflate with or without the header of zlib.
    private func begin() throws(Malformed) {
        guard !hasBegun, let first = input.first else { return }
        let isWrapped = first == 0x1F || first & 0x0F == 8
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(stream, isWrapped ? 15 + 32 : -15, ZLIB_VERSION, size) == Z_OK else { throw Malformed() }
        hasBegun = true
    }
}
