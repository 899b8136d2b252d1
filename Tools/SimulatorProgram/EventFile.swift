import ArgumentParser
import Glibc
import VoiceBase
import VoiceSimulator

/// A file with the messages of both sides of the simulated service: one JSON object per line, without audio.
final class EventFile: Sendable {
    private let file: Int32

    init(path: String) throws {
        file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw ValidationError("\(path): \(String(cString: strerror(errno)))") }
    }

    deinit { close(file) }

    func write(_ event: RealtimeSimulator.Event) {
        var line: [String: SimulatedJSON] = ["at_ms": .int(Int(Monotonic.now().fractionalMilliseconds))]
        switch event {
        case .connected(let connection): line.merge(["connection": .int(connection), "side": "connected"]) { $1 }
        case .client(let connection, let event):
            guard event["audio"] == nil, event["type"] != "audio", event["realtimeInput"] == nil else { return }
            line.merge(["connection": .int(connection), "side": "client", "event": event]) { $1 }
        case .server(let connection, let event):
            let type = event["type"]?.string
            guard type != "audio", type?.hasSuffix("output_audio.delta") != true else { return }
            guard event["serverContent"]?["modelTurn"] == nil else { return }
            line.merge(["connection": .int(connection), "side": "server", "event": event]) { $1 }
        case .closing(let connection, let code):
            let code = code.map { SimulatedJSON.int($0) } ?? .null
            line.merge(["connection": .int(connection), "side": "closing", "code": code]) { $1 }
        case .disconnected(let connection): line.merge(["connection": .int(connection), "side": "disconnected"]) { $1 }
        }
        // One write(2) per line keeps lines whole, whichever thread writes them.
        var text = SimulatedJSON.object(line).text + "\n"
        text.withUTF8 { _ = Glibc.write(file, $0.baseAddress, $0.count) }
    }
}
