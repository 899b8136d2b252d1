internal import Glibc
import Logging
import VoiceSimulator

/// The simulated services in their own process, so that the soak measures the daemon's memory alone.
///
/// Reports to its parent on standard output, one line each: `p REALTIME AGENT` the ports; `c N`, `d N` connection N
/// opened, closed; `a N SAMPLES` audio received; `s` start of speech detected; `e CODE` an error was sent.
struct SoakServices {
    private static let option = "--soak-services"
    /// A session ends after so many events, like a real one after an hour.
    private static let sessionEvents = 52_000

    private static let answers = [
        "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen.",
        "The train to the coast leaves at nine thirty from the second platform and arrives a little after noon.",
        "You have two meetings today and lunch with Ada at twelve at the usual place behind the old station.",
        "It will be cloudy in the morning with a light wind from the west and some rain late in the evening.",
    ]

    private let speed: Double

    /// Returns nil if the arguments are for another command.
    init?(_ arguments: [String]) {
        guard arguments.count == 2, arguments[0] == Self.option, let speed = Double(arguments[1]) else { return nil }
        self.speed = speed
    }

    static func arguments(speed: Double) -> [String] { [option, "\(speed)"] }

    /// Serves until killed, or until the parent has exited.
    func run() async throws {
        let parent = getppid()
        var script = ConversationScript()
        script.turns = (0..<2000).map { turn in
            if turn % 10 == 9 {
                return .init(
                    transcript: "What is on today",
                    action: .call(
                        filler: "Checking now.", tool: "ask_jarvis", arguments: ["query": "What is on today?"]
                    )
                )
            }
            return .init(transcript: "Tell me", action: .say(Self.answers[turn % Self.answers.count]))
        }
        script.faults.expireAfterEvents = Self.sessionEvents
        let speed = speed
        let services = try await SimulatedServices.start(
            script,
            agentDelayMilliseconds: Int(1500 / speed),
            configure: {
                $0.voice = .natural
                $0.speed = 4 * speed
                $0.responseLatencyMilliseconds = max(1, Int(200 / speed))
                $0.releaseMilliseconds = 300
            },
            events: Self.log
        )
        Self.line("p \(services.realtimePort) \(services.agentPort)")
        while getppid() == parent { try await Task.sleep(for: .seconds(1)) }
    }

    private static func log(_ event: RealtimeSimulator.Event) {
        switch event {
        case .connected(let number): line("c \(number)")
        case .disconnected(let number): line("d \(number)")
        case .client(let number, let value):
            guard value["type"] == "input_audio_buffer.append", let audio = value["audio"]?.string else { return }
            // Base64 (RFC 4648): four characters for three bytes, less the padding.
            let padding = audio.utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
            line("a \(number) \((audio.utf8.count / 4 * 3 - padding) / 2)")
        case .server(_, let value):
            switch value["type"]?.string {
            case "input_audio_buffer.speech_started": line("s")
            case "error":
                line("e \(value["error"]?["code"]?.string ?? "-") \(value["error"]?["message"]?.string ?? "")")
            default: break
            }
        case .closing: break
        }
    }

    private static func line(_ text: String) {
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            // The parent has exited: the services are no longer needed.
            if count < 0, errno != EINTR { exit(0) }
            if count > 0 { bytes = bytes.dropFirst(count) }
        }
    }
}
