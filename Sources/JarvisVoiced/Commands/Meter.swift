import ArgumentParser
import Glibc
import Logging
import VoiceAudio
import VoiceBase
import VoiceCore

/// `jarvis-voiced meter`: shows the microphone level, for setting its gain. Needs no key and no network.
struct Meter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the level of the microphone.",
        discussion: "Exit status: 0 something was heard, 74 the microphone is silent, or was lost."
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(name: .long, help: "Duration in seconds.")
    var seconds = 10

    func validate() throws {
        guard (1...3600).contains(seconds) else { throw ValidationError("--seconds must be a number from 1 to 3600") }
    }

    func run() async throws {
        let values = try options.loadForSound()
        var audio = AudioConfiguration(values.audio, echo: values.echo)
        audio.echoCanceller.echoCancellation = false
        audio.earcons = false
        audio.realtimePriority = 0
        let ports = AudioPorts()
        let sound = AudioSupervisor(configuration: audio, ports: ports, logger: makeLogger(level: .error))
        try await exitingAsync { try await sound.start(insisting: [.capture]) }
        write("microphone \(values.audio.input), before audio.capture_gain_db; speak as usual\n")
        if let problem = ports.capture.choice?.problem { write("warning: \(problem)\n") }
        let isTerminal = isatty(STDOUT_FILENO) == 1
        var wasOpen = false
        var isLost = false
        var isHeard = false
        for step in 1...5 * seconds where ports.gauges.state == .running {
            try? await Task.sleep(for: .milliseconds(200))
            let line = MeterLine(
                ports.gauges.levels, isConstant: ports.capture.deliversOneValue, microphone: ports.capture.state
            )
            // A device that is reopened because it is muted is not lost.
            wasOpen = wasOpen || line.absence == nil
            isHeard = isHeard || line.isHeard
            isLost = isLost || wasOpen && line.absence != nil
            if isTerminal {
                // The longest verdict may follow a shorter one, and the other way round.
                write("\r\(line.text)\u{1B}[K")
            } else if step % 5 == 0 {
                write("\(line.text)\n")
            }
        }
        if isTerminal { write("\n") }
        await sound.stop()
        if isLost || !wasOpen {
            write(wasOpen ? "the microphone was lost\n" : "no sound came from the microphone\n")
            throw ArgumentParser.ExitCode(VoiceBase.ExitCode.inputOutput.rawValue)
        }
        if !isHeard {
            write("nothing was heard: unmute the microphone, raise its gain or come nearer\n")
            throw ArgumentParser.ExitCode(VoiceBase.ExitCode.inputOutput.rawValue)
        }
    }

    /// Writes to standard output without buffering, so that the bar moves immediately.
    private func write(_ text: String) {
        var text = text
        _ = text.withUTF8 { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
