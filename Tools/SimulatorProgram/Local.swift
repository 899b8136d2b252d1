import ArgumentParser
import Glibc
import VoiceAudio
import VoiceBase

/// `jarvis-simulator local`: a spoken conversation with real servers for recognition and speech.
struct Local: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hold a spoken conversation with real speech servers in a simulated room, without a sound card.",
        discussion: """
            The Wyoming speaker speaks the user's lines into a simulated microphone. The recogniser recognises them, \
            a stand-in for Jarvis answers (or your agent: --agent, token in JARVIS_TOKEN), and the answer is spoken. \
            Both sides are written to a WAV file. scripts/voices installs and runs such servers.
            """
    )

    @Option(name: .long, help: "host:port of the speech recogniser (default: VOICES_RECOGNISER).")
    var recogniser: String?

    @Option(name: .long, help: "host:port of the speaker (default: VOICES_SPEAKER).")
    var speaker: String?

    @Option(name: .long, help: "Address of an agent to ask instead of the stand-in.")
    var agent: String?

    @Option(
        name: .shortAndLong,
        help:
            "Where to write both sides of the conversation (default: jarvis-demo.wav, here or in the temporary folder)."
    )
    var output: String?

    @Option(name: .long, help: "A file with lines to say instead; each is answered before the next.")
    var lines: String?

    @Option(name: .long, help: "Write a line of JSON for each line to this file: words, errors, waits.")
    var results: String?

    @Option(name: .long, help: "Noise at the microphone, in dBFS.")
    var noise: Double?

    @Option(name: .long, help: "Echo of the loudspeaker in the microphone, in dB.")
    var echo = -25.0

    @Option(name: .long, help: "Reverberation of that echo, in ms.")
    var reverberation = 0

    @Flag(name: .long, help: "Say each line while the answer to the previous one is spoken.")
    var over = false

    @Flag(name: .long, help: "In a terminal, stay until Ctrl-C; Enter holds another conversation.")
    var stay = false

    @Flag(name: .shortAndLong, help: "Show the daemon's own log as well.")
    var verbose = false

    func run() async throws {
        func server(_ option: String?, _ variable: String, _ name: String) throws -> String {
            if let option { return option }
            guard let value = getenv(variable) else {
                throw ValidationError("\(name) host:port, or \(variable), is missing")
            }
            return String(cString: value)
        }
        let servers = LocalConversation.Servers(
            recogniser: try server(recogniser, "VOICES_RECOGNISER", "--recogniser"),
            speaker: try server(speaker, "VOICES_SPEAKER", "--speaker")
        )
        var conversation = LocalConversation(
            servers: servers, output: output ?? DemoRecording.place(), verbose: verbose
        )
        conversation.agent = agent
        conversation.echo.gainDecibels = echo
        conversation.echo.reverberationMilliseconds = reverberation
        conversation.echo.noiseDecibels = noise
        conversation.results = results
        conversation.stays = stay && isatty(STDIN_FILENO) == 1
        if let lines { conversation.lines = try UserLine.read(lines, isOver: over) }
        do {
            try Loopback.check()
            try await conversation.run()
        } catch {
            fflush(nil)
            var text = "jarvis-simulator: \(error)\n"
            text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
            throw ArgumentParser.ExitCode(VoiceBase.ExitCode.system.rawValue)
        }
    }
}
