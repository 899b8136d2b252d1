internal import Glibc

/// Replaces a small file whole: after a power cut there is the old one or the new one, never a part.
package enum StateFile {
    /// Why a file was not written: the step and what the system said.
    package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        package var path: String
        package var errno: Int32

        package var description: String { "\(path) cannot be written: \(String(cString: strerror(errno)))" }
    }

    /// Writes to a file beside it, syncs that, renames it, syncs the folder. Missing folders are made (mode 700), the file
    /// is its owner's alone (mode 600).
    package static func write(_ bytes: [UInt8], to path: String) throws(Fault) {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        makeFolders(folder)
        let temporary = path + ".new"
        // Left over from a crash: ours, and worth nothing.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Fault(path: path, errno: errno) }
        var problem = fill(descriptor, with: bytes)
        if problem == 0, fsync(descriptor) != 0 { problem = errno }
        if close(descriptor) != 0, problem == 0 { problem = errno }
        if problem == 0, rename(temporary, path) != 0 { problem = errno }
        guard problem == 0 else {
            unlink(temporary)
            throw Fault(path: path, errno: problem)
        }
        let directory = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        _ = fsync(directory)
        close(directory)
    }

    private static func fill(_ descriptor: Int32, with bytes: [UInt8]) -> Int32 {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                raw.baseAddress.map { Glibc.write(descriptor, $0 + done, raw.count - done) } ?? 0
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            done += count
        }
        return 0
    }

    private static func makeFolders(_ folder: String) {
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/" + part
            mkdir(path, 0o700)
        }
    }
}
