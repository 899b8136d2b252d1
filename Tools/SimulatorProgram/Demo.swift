import ArgumentParser
import Glibc
import VoiceBase

/// `jarvis-simulator demo`: a complete conversation on this machine alone.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Hold a spoken conversation with simulated services: no key, no sound card, no network.",
        discussion: """
            A simulated Realtime service and a stand-in for Jarvis start on loopback; spoken questions go through the \
            same audio thread, echo canceller, WebSocket and dispatcher as in the real daemon. What the loudspeaker \
            plays is written to a WAV file.
            """
    )

    @Option(
        name: .shortAndLong,
        help: "Where to write what the loudspeaker plays (default: jarvis-demo.wav, in this or the temporary folder)."
    )
    var output: String?

    @Option(name: .long, help: "A recorded question to ask instead: a mono 16 bit WAV file at 48 kHz.")
    var question: String?

    @Flag(name: .shortAndLong, help: "Show the daemon's own log as well.")
    var verbose = false

    func run() async throws {
        let output = output ?? DemoRecording.place()
        let conversation = DemoConversation(output: output, question: question, verbose: verbose)
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
