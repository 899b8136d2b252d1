internal import CLinux
internal import FoundationEssentials
internal import Glibc

/// Replaces a small file atomically: after a power failure either the old or the new one exists, never a part. Damaged
/// files are kept beside it.
package enum StateFile {
    /// Why a file was not written: its path and the system's error.
    package struct Fault: Error, Sendable, Equatable, CustomStringConvertible {
        package var path: String
        package var errno: Int32
        /// The folder that is missing and cannot be made, if that is the cause.
        package var folder: String?

        package init(path: String, errno: Int32, folder: String? = nil) {
            self.path = path
            self.errno = errno
            self.folder = folder
        }

        package var description: String {
            let cause = folder.map { "\($0) cannot be made: " } ?? ""
            return "\(path) cannot be written: \(cause)\(String(cString: strerror(errno)))"
        }
    }

    /// Writes a temporary file, syncs it, renames it, and syncs the folder. Creates missing folders (mode 700); the file is
    /// readable by its owner only (mode 600).
    package static func write(_ bytes: [UInt8], to path: String) throws(Fault) {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        let missing = makeFolders(folder)
        let temporary = path + ".new"
        // Left over from a crash: our own, and useless.
        remove(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            guard code == ENOENT, let missing else { throw Fault(path: path, errno: code) }
            throw Fault(path: path, errno: missing.code, folder: missing.folder)
        }
        var problem = fill(descriptor, with: bytes)
        if problem == 0, fsync(descriptor) != 0 { problem = errno }
        if close(descriptor) != 0, problem == 0 { problem = errno }
        if problem == 0, rename(temporary, path) != 0 { problem = replaceFolder(path, by: temporary) }
        guard problem == 0 else {
            unlink(temporary)
            throw Fault(path: path, errno: problem)
        }
        let directory = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        _ = fsync(directory)
        close(directory)
    }

    /// Makes a folder and those above it (mode 700), if they are missing.
    package static func makeFolder(_ folder: String) throws(Fault) {
        if let missing = makeFolders(folder), access(folder, F_OK) != 0 {
            throw Fault(path: folder, errno: missing.code, folder: missing.folder)
        }
    }

    /// A file cannot be renamed over a folder, so the folder is moved aside.
    private static func replaceFolder(_ path: String, by temporary: String) -> Int32 {
        guard errno == EISDIR || errno == ENOTEMPTY || errno == EEXIST else { return errno }
        remove(path + damaged)
        guard rename(path, path + damaged) == 0, rename(temporary, path) == 0 else { return errno }
        return 0
    }

    /// Removes a path of any kind. Folders do not belong here, and one in place of the file would block it for ever.
    static func remove(_ path: String) {
        guard unlink(path) != 0, errno == EISDIR || errno == EPERM else { return }
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Suffix of a damaged file that was kept.
    static let damaged = ".damaged"

    /// Keeps an unusable file under another name for inspection. Until the next `write` replaces it, the file also stays
    /// under its own name: an absent file would mean that there is nothing to be careful about.
    /// - Returns: whether one had been kept before; that one is lost.
    @discardableResult
    package static func keepAside(_ path: String) -> Bool {
        let other = path + damaged
        let isAgain = keptAside(path) != nil
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return isAgain }
        remove(other)
        // A hard link to another user's file is refused (proc(5), protected_hardlinks).
        if link(path, other) != 0 { rename(path, other) }
        return isAgain
    }

    /// Since when a damaged file has been kept beside this one, in Unix seconds; nil if there is none.
    static func keptAside(_ path: String) -> Int? {
        // Its contents may be old: what counts is when it got this name.
        let seconds = clinux_changed_at(path + damaged)
        return seconds < 0 ? nil : Int(seconds)
    }

    /// Returns the system's error, or 0.
    fileprivate static func fill(_ descriptor: Int32, with bytes: [UInt8]) -> Int32 {
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

    /// Returns the first folder that is missing and cannot be made.
    private static func makeFolders(_ folder: String) -> (folder: String, code: Int32)? {
        var path = ""
        var first: (folder: String, code: Int32)?
        for part in folder.split(separator: "/") {
            path += "/" + part
            if mkdir(path, 0o700) != 0, errno != EEXIST { first = first ?? (path, errno) }
        }
        return first
    }
}

/// Writes a file that only its owner may read.
package enum PrivateFile {
    /// Replaces an existing file, without following links.
    package static func write(_ bytes: [UInt8], to path: String) throws(StateFile.Fault) {
        unlink(path)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw StateFile.Fault(path: path, errno: errno) }
        defer { close(file) }
        let problem = StateFile.fill(file, with: bytes)
        guard problem == 0 else { throw StateFile.Fault(path: path, errno: problem) }
    }
}

/// The directory for the daemon's persistent state.
package enum StateDirectory {
    /// The service's directory, created by StateDirectory= of the unit.
    package static let service = "/var/lib/jarvis-voiced"

    /// `$STATE_DIRECTORY` (systemd, the first of several), else `$XDG_STATE_HOME/jarvis-voiced`, else
    /// `~/.local/state/jarvis-voiced`; nil if none of them is an absolute path.
    package static func path(environment: [String: String]) -> String? {
        if let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first, given.hasPrefix("/") {
            return String(given)
        }
        if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return base + "/jarvis-voiced" }
        if let home = environment["HOME"], home.hasPrefix("/"), home != "/" {
            return home + "/.local/state/jarvis-voiced"
        }
        return nil
    }

    /// Bytes; with less the disk counts as full.
    private static let full = 1 << 20

    /// Why nothing can be saved in the folder, in words for people; nil if it can, or if it does not exist yet. May wait for
    /// the disk.
    package static func problem(_ path: String) -> String? {
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return nil }
        if access(path, W_OK) != 0 {
            return errno == EROFS ? "the disk is read-only" : "the folder \(path) cannot be written"
        }
        let (free, isHuge) = Int(clamping: disk.f_bavail).multipliedReportingOverflow(by: Int(clamping: disk.f_frsize))
        return !isHuge && free < full ? "the disk is full" : nil
    }
}
