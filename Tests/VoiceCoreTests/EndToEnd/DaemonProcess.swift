import CLinux
import Glibc
import Testing

@testable import StageSupport
@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore

/// The built program, run as a daemon in a separate process: a minimal environment, separate folders, no card.
final class DaemonProcess: Sendable {
    let id: pid_t
    let folder: String

    /// Path of the control socket, once the daemon serves it.
    var socket: String { "\(folder)/run/jarvis-voiced/control.sock" }

    /// - Parameters:
    ///   - realtimePort: port of a simulated service on loopback.
    ///   - standardError: becomes the daemon's; nil discards it.
    ///   - folder: the folder of an earlier daemon, to restart it.
    init(
        realtimePort: Int,
        key: String = Stage.key,
        standardError: Int32? = nil,
        settings: [String] = [],
        folder: String? = nil
    ) throws {
        self.folder = folder ?? "/tmp/daemon-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        for path in [self.folder, self.folder + "/run", self.folder + "/state"] { mkdir(path, 0o700) }
        var arguments = [try Self.program, "run"]
        let own = [
            "realtime.url=ws://127.0.0.1:\(realtimePort)/v1/realtime", "jarvis.url=http://127.0.0.1:9/",
            "audio.input=jarvis_test_none", "audio.output=jarvis_test_none", "audio.realtime_priority=0",
        ]
        for setting in own + settings { arguments += ["--set", setting] }
        let environment = [
            "PATH=/usr/bin:/bin", "HOME=\(self.folder)", "XDG_RUNTIME_DIR=\(self.folder)/run",
            "XDG_STATE_HOME=\(self.folder)/state", "OPENAI_API_KEY=\(key)",
        ]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        if let standardError {
            posix_spawn_file_actions_adddup2(&actions, standardError, STDERR_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        var process = pid_t(0)
        let words = arguments.map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for word in words + variables { free(word) } }
        try #require(posix_spawn(&process, arguments[0], &actions, nil, words, variables) == 0)
        id = process
    }

    /// Path of the program, in the folder of the tests.
    static var program: String {
        get throws {
            var path = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/exe", &path, path.count - 1)
            let tests = String(decoding: path.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
            let program = String(tests.prefix(upTo: tests.lastIndex(of: "/") ?? tests.startIndex)) + "/jarvis-voiced"
            try #require(access(program, X_OK) == 0, "\(program) is not built")
            return program
        }
    }

    /// Sends a signal.
    func signal(_ number: Int32) { kill(id, number) }

    /// Waits until the daemon serves its control socket.
    func serves() async throws {
        for _ in 0..<3000 {
            if (try? ControlClient(paths: [socket], patience: .seconds(30))) != nil { return }
            try #require(isRunning)
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("the daemon never served its socket")
    }

    /// Returns the result of a command.
    func perform(_ words: String...) async throws -> JSONValue {
        let socket = socket
        return try await OwnThread.run("test") {
            Result {
                var client = try ControlClient(paths: [socket], patience: .seconds(30))
                return try client.perform(ControlRegistry.standard.request(words: words))
            }
        }.get()
    }

    /// Whether the process is still running.
    var isRunning: Bool {
        var information = siginfo_t()
        return waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) == 0
            && siginfoProcess(information) == 0
    }

    /// Ends it as the service manager does; returns its status as in waitpid(2), or nil if it did not end in time.
    func stop(within limit: Duration = .seconds(20)) async -> Int32? {
        signal(SIGTERM)
        return await ended(within: limit)
    }

    func ended(within limit: Duration = .seconds(20)) async -> Int32? {
        let end = Monotonic.now() + limit
        var status: Int32 = 0
        while Monotonic.now() < end {
            if waitpid(id, &status, WNOHANG) == id { return status }
            try? await Task.sleep(for: .milliseconds(5))
        }
        kill(id, SIGKILL)
        waitpid(id, &status, 0)
        return nil
    }

    /// The signals that it catches, as bits starting with signal 1.
    var caughtSignals: UInt64 {
        let status = (try? FileReader.system.read("/proc/\(id)/status", 64 << 10).bytes) ?? []
        let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
        return line.flatMap { UInt64($0.dropFirst(7).drop { $0 == "\t" || $0 == " " }, radix: 16) } ?? 0
    }
}

/// The process that a siginfo_t of waitid(2) refers to, 0 for none: after three integers and padding, in the union that
/// Swift does not import.
private func siginfoProcess(_ information: siginfo_t) -> pid_t {
    withUnsafeBytes(of: information) { $0.load(fromByteOffset: 16, as: pid_t.self) }
}
