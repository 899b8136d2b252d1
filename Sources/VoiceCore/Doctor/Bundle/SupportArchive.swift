internal import FoundationEssentials
internal import Glibc
internal import VoiceBase

/// Packs a few texts into a .tar.gz with the system's `tar` and `gzip`.
enum SupportArchive {
    /// The only top-level folder of the archive.
    static let folder = "jarvis-voiced-support"
    private static let longestArchive = 64 << 20

    /// Writes the archive, readable only by its owner. The files in it belong to root, so that no user is named.
    ///
    /// - Parameters:
    ///   - files: a "/" in a name makes folders; characters not allowed in names become "_".
    ///   - tar: the program, looked up in PATH.
    /// - Returns: nil; if tar or gzip is missing, the folder beside `path` that holds the files instead.
    static func write(
        _ files: [(name: String, text: String)],
        to path: String,
        tar: String = "tar"
    ) async throws(StateFile.Fault) -> String? {
        // Fails early if the path cannot be written.
        try PrivateFile.write([], to: path)
        let staging = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        var (isPacked, isKept) = (false, false)
        defer {
            if !isPacked { unlink(path) }
            if !isKept { try? FileManager.default.removeItem(atPath: staging) }
        }
        mkdir(staging, 0o700)
        mkdir("\(staging)/\(folder)", 0o700)
        for file in files {
            let parts = safe(file.name)
            let parent = ([staging[...], folder[...]] + parts.dropLast()).joined(separator: "/")
            try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            try PrivateFile.write(Array(file.text.utf8), to: "\(parent)/\(parts.last ?? "_")")
        }
        let command = [
            tar, "--create", "--gzip", "--file=-", "--owner=root:0", "--group=root:0", "--directory=\(staging)", folder,
        ]
        guard let bytes = await Command.output(command, limit: .seconds(30), maximumBytes: longestArchive) else {
            isKept = true
            return "\(staging)/\(folder)"
        }
        try PrivateFile.write(bytes, to: path)
        isPacked = true
        return nil
    }

    /// The path components of a file; none leads outside the archive.
    private static func safe(_ name: String) -> [Substring] {
        let bytes = name.utf8.map { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") ? $0 : UInt8(ascii: "_") }
        return String(decoding: bytes, as: UTF8.self).split(separator: "/").filter { $0 != "." && $0 != ".." }
    }
}
