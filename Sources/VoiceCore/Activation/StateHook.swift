internal import Glibc
package import Logging
internal import Synchronization
internal import VoiceBase

/// Shows the state of the box outside the daemon: runs a command when the state changes.
///
/// At most one command runs at a time and four start per second; of faster changes, only the latest is shown. A command
/// that takes longer than five seconds is killed.
package actor StateHook {
    private static let pause = Duration.milliseconds(250)

    private let command: String
    private let logger: Logger
    private let changes: AsyncStream<ActivationStatus>
    private let continuation: AsyncStream<ActivationStatus>.Continuation
    private let isEnding = Ending()
    private var isBroken = false

    /// Set once; read by the thread that waits for the command.
    private final class Ending: Sendable {
        private let flag = Atomic<Bool>(false)

        var value: Bool { flag.load(ordering: .acquiring) }
        func set() { flag.store(true, ordering: .releasing) }
    }

    package init(command: String, logger: Logger) {
        self.command = command
        self.logger = logger
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package nonisolated func show(_ status: ActivationStatus) {
        continuation.yield(status)
    }

    package nonisolated func finish() {
        isEnding.set()
        continuation.finish()
    }

    package func run() async {
        for await status in changes {
            await execute(status)
            try? await Task.sleep(for: Self.pause)
        }
    }

    private func execute(_ status: ActivationStatus) async {
        guard !command.isEmpty else { return }
        let (command, environment) = (command, Self.environment(status))
        let isEnding = isEnding
        let result = await OwnThread.run("jv-hook") {
            HookProcess.run(command, environment, within: .seconds(5)) { isEnding.value }
        }
        let problem: String? =
            switch result {
            case .ended(0): nil
            case .ended(let code): "ended with \(code)"
            case .tookTooLong: "took longer than five seconds and was ended"
            case .notStarted(let errno): String(cString: strerror(errno))
            }
        if let problem, !isBroken {
            logger.warning("activation.state_command: \(private: command): \(private: problem)")
        }
        isBroken = problem != nil
    }

    /// The environment variables of the command.
    static func environment(_ status: ActivationStatus) -> [String] {
        [
            "JARVIS_PHASE=\(status.phase.rawValue)", "JARVIS_STATE=\(status.conversation)",
            "JARVIS_MODE=\(status.mode.rawValue)", "JARVIS_MUTED=\(status.isMuted ? 1 : 0)",
            "PATH=/usr/local/bin:/usr/bin:/bin",
        ]
    }
}
