internal import Glibc

/// Writes a file that only its owner may read.
package enum PrivateFile {
    /// Replaces what is there, but follows no link.
    package static func write(_ bytes: [UInt8], to path: String) throws(StateFile.Fault) {
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw StateFile.Fault(path: path, errno: errno) }
        defer { close(file) }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                raw.baseAddress.map { Glibc.write(file, $0 + done, raw.count - done) } ?? 0
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw StateFile.Fault(path: path, errno: count < 0 ? errno : EIO) }
            done += count
        }
    }
}
