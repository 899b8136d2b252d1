internal import Glibc
import VoiceBase
import VoiceSimulator

/// A sound card in software for the real program, if the shared tools are available.
///
/// The tools are expected in `rig/virtual-room` under `$VOICE_SHARED` or `../shared`.
struct VirtualRoom {
    private let tools: String
    private let folder: String
    private let environment: [String: String]

    private static var tools: String { (BenchProcess.environment["VOICE_SHARED"] ?? "../shared") + "/rig/virtual-room" }

    /// Whether there are tools, and a daemon was built.
    static var isAvailable: Bool { access(tools + "/up", X_OK) == 0 && access(Program.daemon, X_OK) == 0 }

    /// Starts a separate room; nil if none is available.
    static func find() throws -> VirtualRoom? {
        guard isAvailable else { return nil }
        let folder = "/tmp/voice-bench-\(getpid())"
        let build = BenchProcess.environment["ROOM_BUILD"] ?? "/tmp/voice-bench-room-build"
        var environment = ["VIRTUAL_ROOM": folder, "ROOM_BUILD": build]
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw BenchProblem("\(folder): errno \(errno)") }
        let printed = try BenchProcess.output(
            tools + "/up", ["--echo-delay-ms", "20", "--echo-gain-db", "-25", "--noise-db", "-65"],
            environment: environment
        )
        for line in printed.split(separator: "\n") where line.hasPrefix("export ") {
            let pair = line.dropFirst("export ".count).split(separator: "=", maxSplits: 1)
            if pair.count == 2 { environment[String(pair[0])] = String(pair[1]) }
        }
        return VirtualRoom(tools: tools, folder: folder, environment: environment)
    }

    /// Starts the daemon with this room as its card.
    /// - Parameter activation: keys of that section.
    func daemon(_ services: SimulatedServices, activation: String = "") throws -> BenchProcess {
        try write(
            Array(
                """
                [audio]
                input = "room"
                output = "room"
                realtime_priority = 0
                [realtime]
                url = "ws://127.0.0.1:\(services.realtimePort)/v1/realtime"
                [jarvis]
                url = "http://127.0.0.1:\(services.agentPort)/ui"
                [activation]
                \(activation)

                """.utf8
            ),
            to: "config.toml"
        )
        var environment = environment
        environment["OPENAI_API_KEY"] = SimulatedServices.key
        environment["JARVIS_TOKEN"] = SimulatedServices.token
        return try BenchProcess(Program.daemon, ["run", "--config", folder + "/config.toml"], environment: environment)
    }

    /// Starts the official SDK's client with this room as its card.
    func client(_ services: SimulatedServices, python: String) throws -> BenchProcess {
        // PortAudio lists a card with conversion only if it is told what that converts to.
        try write(
            Array(
                """
                <\(tools)/asound.conf>
                pcm.card { type plug slave { pcm room rate 48000 channels 1 } }

                """.utf8
            ),
            to: "client.conf"
        )
        var environment = environment
        environment["ALSA_CONFIG_PATH"] = folder + "/client.conf"
        environment["no_proxy"] = "127.0.0.1"
        environment["OPENAI_API_KEY"] = SimulatedServices.key
        return try BenchProcess(
            python, ["scripts/sdk_client.py", "127.0.0.1:\(services.realtimePort)", "card"], environment: environment,
            captures: true
        )
    }

    /// Plays a question into the microphone.
    func ask() throws {
        let samples = SimulatedServices.question().map { Int16($0 * 32767) }
        try write(MonoWave.bytes(samples: samples, rate: AudioFormat.deviceRate), to: "question.wav")
        _ = try BenchProcess.output(tools + "/say", [folder + "/question.wav"], environment: environment)
    }

    func close() {
        _ = try? BenchProcess.output(tools + "/down", [], environment: environment)
        _ = try? BenchProcess.output("rm", ["-rf", folder])
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        guard let file = fopen(folder + "/" + name, "w") else {
            throw BenchProblem("\(folder)/\(name): errno \(errno)")
        }
        defer { fclose(file) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw BenchProblem("\(folder)/\(name)") }
    }
}
