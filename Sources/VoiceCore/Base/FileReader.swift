internal import Glibc

/// Reads small files as a whole; tests replace it with a dictionary.
package struct FileReader: Sendable {
    /// A file that was read.
    package struct File: Sendable, Equatable {
        package var bytes: [UInt8]
        /// Whether users other than the owner and the group may read it.
        package var isReadableByOthers: Bool

        package init(bytes: [UInt8], isReadableByOthers: Bool = false) {
            self.bytes = bytes
            self.isReadableByOthers = isReadableByOthers
        }
    }

    /// Why a file could not be read. The description can follow its path.
    package enum Fault: Error, Equatable, CustomStringConvertible {
        case absent
        case notRegular
        /// A link of another user, or a file with a second name.
        case foreignLink
        case tooLarge(limit: Int)
        case system(Int32)

        package var description: String {
            switch self {
            case .absent: "no such file"
            case .notRegular: "not a regular file"
            case .foreignLink: "a link that another user may have made"
            case .tooLarge(let limit): "larger than \(limit) bytes"
            case .system(let code): String(cString: strerror(code))
            }
        }
    }

    package let read: @Sendable (_ path: String, _ limit: Int) throws(Fault) -> File

    package init(read: @escaping @Sendable (_ path: String, _ limit: Int) throws(Fault) -> File) {
        self.read = read
    }

    /// Reads the files of this machine. Opens without blocking, so that a FIFO in place of a file cannot hang the daemon.
    package static let system = FileReader { (path, limit) throws(Fault) in
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR ? .absent : .system(errno)
        }
        return try contents(descriptor, limit).file
    }

    /// The same for a program of root in a folder of another user: follows links of root and of this user only, and reads no
    /// file that has a second name.
    package static let withoutForeignLinks = FileReader { (path, limit) throws(Fault) in
        let descriptor = OwnPath.open(path)
        guard descriptor >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR ? .absent : errno == ELOOP ? .foreignLink : .system(errno)
        }
        let (file, names) = try contents(descriptor, limit)
        guard names == 1 else { throw .foreignLink }
        return file
    }

    /// Reads and closes an open file; also returns the number of its names.
    private static func contents(_ descriptor: Int32, _ limit: Int) throws(Fault) -> (file: File, names: UInt64) {
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .system(errno) }
            guard count > 0 else { break }
            guard bytes.count + count <= limit else { throw .tooLarge(limit: limit) }
            bytes.append(contentsOf: chunk[..<count])
        }
        return (File(bytes: bytes, isReadableByOthers: status.st_mode & S_IROTH != 0), UInt64(status.st_nlink))
    }
}

/// The contents of a folder.
package enum Folder {
    /// The names in a folder, sorted, without "." and ".."; empty if it cannot be read.
    package static func names(in path: String) -> [String] {
        guard let handle = opendir(path) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

/// Opens files like open(2), but follows symbolic links of root and of this user only.
private enum OwnPath {
    private static let mostLinks = 16
    /// O_PATH, which Swift does not import: a folder may be searchable without being readable.
    private static let searchOnly: Int32 = 0o10000000 | O_DIRECTORY

    /// Returns a descriptor for reading, or -1 with errno: ELOOP for a link of another user.
    /// - Parameter path: absolute.
    static func open(_ path: String) -> Int32 {
        var folder = Glibc.open("/", searchOnly | O_CLOEXEC)
        var parts = Array(path.split(separator: "/").reversed())
        var links = 0
        while let part = parts.popLast(), folder >= 0 {
            var status = stat()
            guard fstatat(folder, String(part), &status, AT_SYMLINK_NOFOLLOW) == 0 else { return failed(folder, errno) }
            if status.st_mode & S_IFMT == S_IFLNK {
                links += 1
                guard links <= mostLinks, [0, geteuid()].contains(status.st_uid) else { return failed(folder, ELOOP) }
                guard let target = target(of: String(part), in: folder) else { return failed(folder, errno) }
                if target.hasPrefix("/") {
                    close(folder)
                    folder = Glibc.open("/", searchOnly | O_CLOEXEC)
                }
                parts += target.split(separator: "/").reversed()
                continue
            }
            let kind = parts.isEmpty ? O_RDONLY | O_NONBLOCK | O_NOCTTY : searchOnly
            // A part that became a link meanwhile is refused with ELOOP.
            let next = openat(folder, String(part), kind | O_NOFOLLOW | O_CLOEXEC)
            guard next >= 0 else { return failed(folder, errno) }
            close(folder)
            folder = next
        }
        return folder
    }

    private static func target(of link: String, in folder: Int32) -> String? {
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = readlinkat(folder, link, &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func failed(_ descriptor: Int32, _ code: Int32) -> Int32 {
        close(descriptor)
        errno = code
        return -1
    }
}
