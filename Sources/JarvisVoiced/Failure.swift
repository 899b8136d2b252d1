import ArgumentParser
import VoiceActivation
import VoiceAudio
import VoiceBase

/// Runs `body`; prints its error to standard error, one line per problem, and ends the program with the sysexits code.
func exiting<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch { throw reported(error) }
}

func exitingAsync<T>(_ body: () async throws -> T) async throws -> T {
    do { return try await body() } catch { throw reported(error) }
}

private func reported(_ error: any Error) -> any Error {
    let code: VoiceBase.ExitCode
    switch error {
    case is CleanExit, is ArgumentParser.ExitCode, is ValidationError: return error
    case is ConfigurationError: code = .configuration
    case let failure as AudioDeviceError: code = failure.exitCode
    case let problem as WakeWordError: code = problem.exitCode
    default: code = .system
    }
    for line in "\(error)".split(separator: "\n") {
        // Use the log's outlet, so that it follows pending log lines.
        logOutlet.put(
            JournalLogHandler.failure("\(line)", style: logOutlet.style, hasJournal: logOutlet.hasJournal)
        )
    }
    return ArgumentParser.ExitCode(code.rawValue)
}
