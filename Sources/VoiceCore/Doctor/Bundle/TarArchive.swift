/// A tar archive (POSIX.1-1988 "ustar") of small files, all owned by root, mode 600.
struct TarArchive: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Unix seconds that every file is stamped with.
    private let time: Int

    init(time: Int) {
        self.time = time
    }

    /// Adds a file. A name beyond 100 bytes is cut at its front, and what no name may hold becomes "_".
    mutating func add(_ name: String, _ content: [UInt8]) {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: some Sequence<UInt8>, at offset: Int) {
            for (index, byte) in text.enumerated() { header[offset + index] = byte }
        }
        func octal(_ value: Int, digits: Int) -> [UInt8] {
            let text = String(value, radix: 8)
            return Array((String(repeating: "0", count: max(0, digits - text.utf8.count)) + text).utf8.suffix(digits))
        }
        let safe = name.utf8.map { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") ? $0 : UInt8(ascii: "_") }
        put(safe.suffix(100), at: 0)
        put(octal(0o600, digits: 7), at: 100)
        put(octal(0, digits: 7), at: 108)
        put(octal(0, digits: 7), at: 116)
        put(octal(content.count, digits: 11), at: 124)
        put(octal(max(0, time), digits: 11), at: 136)
        put("        ".utf8, at: 148)
        header[156] = UInt8(ascii: "0")
        put("ustar".utf8, at: 257)
        put("00".utf8, at: 263)
        put("root".utf8, at: 265)
        put("root".utf8, at: 297)
        let sum = header.reduce(0) { $0 + Int($1) }
        put(octal(sum, digits: 6) + [0, 0x20], at: 148)
        bytes += header + content
        bytes += [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
    }

    /// The archive with its end: two empty blocks.
    var closed: [UInt8] { bytes + [UInt8](repeating: 0, count: 1024) }
}
