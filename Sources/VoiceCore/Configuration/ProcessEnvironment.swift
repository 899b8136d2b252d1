internal import CLinux
internal import FoundationEssentials

/// The environment that this program was started with. The secrets in it are here alone once it has been read: the process
/// has them no more, nor have its children, nor shows /proc/PID/environ them.
package enum ProcessEnvironment {
    /// The names of the variables that may hold a secret.
    package static let secrets = ServiceKey.allCases.map(\.variable) + ["JARVIS_TOKEN", "TERM_LLM_SERVE_TOKEN"]

    /// To be read before there are threads that read the environment by themselves.
    package static let values: [String: String] = {
        let values = ProcessInfo.processInfo.environment
        for name in secrets { clinux_scrub_environment(name) }
        return values
    }()

    /// Keeps what this process knows from others of the same user, its own children among them: no debugger, no core.
    package static func close() {
        _ = values
        _ = clinux_forbid_inspection()
    }
}
