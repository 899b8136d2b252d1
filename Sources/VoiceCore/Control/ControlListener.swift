internal import CLinux
internal import Glibc
internal import Synchronization

/// The listening socket at a path, which belongs to this daemon as long as the file there is the one it created.
final class ControlListener: Sendable {
    private struct File: Equatable {
        var device: UInt64
        var inode: UInt64
    }

    private struct State {
        var descriptor: Int32
        var file: File?
    }

    private let path: String
    private let state: Mutex<State>

    /// Creates the socket, accessible by its user and group only.
    init(path: String) throws(ControlServerError) {
        let descriptor = Self.listen(path)
        guard descriptor >= 0 else { throw ControlServerError(path: path, errno: errno) }
        self.path = path
        state = Mutex(State(descriptor: descriptor, file: Self.file(at: path)))
    }

    deinit { close(descriptor) }

    var descriptor: Int32 { state.withLock { $0.descriptor } }

    private static func listen(_ path: String) -> Int32 { clinux_local_listen(path, 0o660, 64) }

    private static func file(at path: String) -> File? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return File(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    /// Creates the socket again if it was removed. Another daemon's socket at the path is left alone.
    /// - Returns: whether it was created again.
    func restore() -> Bool {
        state.withLock { state in
            guard state.file != nil, Self.file(at: path) == nil, errno == ENOENT else { return false }
            if path.hasSuffix("/" + ControlPath.name) { ControlPath.makeFolder(of: path) }
            let fresh = Self.listen(path)
            guard fresh >= 0 else { return false }
            close(state.descriptor)
            state = State(descriptor: fresh, file: Self.file(at: path))
            return true
        }
    }

    /// Removes the socket, unless the file at the path is another daemon's.
    func remove() {
        state.withLock { state in
            if let file = state.file, Self.file(at: path) == file { unlink(path) }
        }
    }
}
