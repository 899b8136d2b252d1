internal import Glibc
package import VoiceBase

/// A file that setup writes.
package struct SetupFile: Sendable {
    package let path: String
    let bytes: [UInt8]
    /// A secret gets the rights and the owner below, whatever it had before. Any other file that exists keeps its own.
    let isSecret: Bool
    let mode: mode_t
    /// nil for the user who runs setup.
    var owner: uid_t?

    /// Replaces all the files or none: each is written in full beside its place before the first is renamed.
    package static func replace(_ files: [SetupFile]) throws(StateFile.Fault) {
        var staged: [(stage: String, path: String)] = []
        do throws(StateFile.Fault) {
            for file in files {
                let path = file.target
                staged.append((path + ".setup", path))
                try StateFile.write(file.bytes, to: path + ".setup")
                try file.giveRights(to: path + ".setup", as: path)
            }
            for (stage, path) in staged where rename(stage, path) != 0 {
                throw StateFile.Fault(path: path, errno: errno)
            }
        } catch {
            for (stage, _) in staged { unlink(stage) }
            throw error
        }
    }

    private func giveRights(to stage: String, as path: String) throws(StateFile.Fault) {
        var mode = mode
        var owner: (user: uid_t, group: gid_t)? = self.owner.map { ($0, gid_t.max) }
        var status = stat()
        if lstat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw StateFile.Fault(path: path, errno: status.st_mode & S_IFMT == S_IFLNK ? ELOOP : EISDIR)
            }
            if !isSecret {
                owner = (status.st_uid, status.st_gid)
                mode = status.st_mode & 0o777
            }
        }
        let descriptor = open(stage, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        defer { close(descriptor) }
        guard descriptor >= 0, owner.map({ fchown(descriptor, $0.user, $0.group) == 0 }) ?? true,
            fchmod(descriptor, mode) == 0
        else { throw StateFile.Fault(path: path, errno: errno) }
    }

    /// Follows a link to a configuration. A secret replaces a link in its place, or it would end up where the link leads.
    private var target: String {
        guard !isSecret, let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
