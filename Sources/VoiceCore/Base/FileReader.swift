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
        case tooLarge(limit: Int)
        case system(Int32)

        package var description: String {
            switch self {
            case .absent: "no such file"
            case .notRegular: "not a regular file"
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
        return File(bytes: bytes, isReadableByOthers: status.st_mode & S_IROTH != 0)
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
