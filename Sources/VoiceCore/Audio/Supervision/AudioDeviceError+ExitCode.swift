package import VoiceBase

extension AudioDeviceError {
    /// How the program ends when it cannot go on without the device.
    package var exitCode: ExitCode {
        switch self {
        case .permission: .noPermission
        case .ambiguous, .unsupported: .configuration
        case .notFound, .busy, .processing: .unavailable
        case .thread: .system
        case .failed, .file: .inputOutput
        }
    }
}
