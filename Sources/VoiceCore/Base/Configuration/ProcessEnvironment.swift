internal import CLinux
internal import FoundationEssentials

/// The environment this program was started with. Once it has been read, its secrets exist only here: they are removed
/// from the environment of the process, and therefore of its children, and from /proc/PID/environ.
package enum ProcessEnvironment {
    /// Whether a variable may hold a secret.
    package static func isSecret(_ name: String) -> Bool {
        name.hasSuffix(ServiceKey.variableEnding) || ["JARVIS_TOKEN", "TERM_LLM_SERVE_TOKEN"].contains(name)
    }

    /// Read this before any thread starts that may access the environment itself.
    package static let values: [String: String] = {
        let values = ProcessInfo.processInfo.environment
        for name in values.keys where isSecret(name) { clinux_scrub_environment(name) }
        return values
    }()

    /// Protects the memory of this process from other processes of the same user, including its own children: no
    /// debugger can attach, and no core dump is written.
    package static func close() {
        _ = values
        _ = clinux_forbid_inspection()
    }
}
