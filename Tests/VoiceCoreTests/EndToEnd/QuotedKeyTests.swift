import Glibc
import Testing

@testable import StageSupport
@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore

extension EndToEnd {
    /// A service that quotes the key it was sent, of a form that no pattern knows, and all that the daemon tells of it.
    @Suite struct QuotedKeyTests {
        private static let key = "House/Key+4711.plain_words"
        private static let words = "Token \(key) is bad"

        enum Place: CaseIterable {
            case closeReason, errorEvent, refusal

            func answer(_ header: String, on socket: LoopbackSocket) {
                switch self {
                case .closeReason:
                    socket.upgrade(header, with: WebSocketFrames.frame(0x8, [0x0F, 0xA0] + Array(words.utf8)))
                case .errorEvent: socket.upgrade(header, with: WebSocketFrames.text(Self.error(words)))
                case .refusal:
                    // The text is cut in the middle of the key.
                    let body = Self.error(String(repeating: "x", count: 170) + " " + words)
                    socket.write(
                        "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\n"
                            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                    )
                }
                socket.waitForEnd()
            }

            private static func error(_ message: String) -> String {
                #"{"type":"error","error":{"type":"server_error","code":"server_error","message":"\#(message)"}}"#
            }
        }

        @Test(arguments: Place.allCases) func quotedKeyLeavesTheDaemonNowhere(place: Place) async throws {
            let server = try LoopbackServer.playing { socket in
                let header = socket.readHeader()
                // The doctor also looks whether anything answers there.
                guard header.contains("Sec-WebSocket-Key") else {
                    return socket.write("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                }
                place.answer(header, on: socket)
            }
            let log = "/tmp/quoted-key-\(getpid())-\(UInt32.random(in: 0 ... .max)).log"
            let file = open(log, O_CREAT | O_RDWR, 0o600)
            defer {
                close(file)
                unlink(log)
            }
            let daemon = try DaemonProcess(realtimePort: Int(server.port), key: Self.key, standardError: file)
            try await daemon.serves()
            let events = Collected<String>()
            let socket = daemon.socket
            let followers = ["events", "subscribe"].map { command in
                Task {
                    await OwnThread.run("follower") {
                        guard var client = try? ControlClient(paths: [socket]),
                            (try? client.perform(ControlRequest(command: command))) != nil
                        else { return }
                        while let event = try? client.nextEvent() { events.add([event.line]) }
                    }
                }
            }
            var status = JSONValue.null
            for _ in 0..<3000 {
                status = try await daemon.perform("status")
                let isTold = status["last_trouble"].map { $0.line.contains("Token") } == true
                if isTold, status["health"].map({ $0.line.contains("Token") }) == true { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            let doctor = try await Self.doctor(of: daemon, port: server.port)
            #expect(await daemon.stop() == 0)
            for follower in followers { await follower.value }

            let written = try FileReader.system.read(log, 1 << 20).bytes
            let places = [
                "log": String(decoding: written, as: UTF8.self), "status": status.line,
                "events": events.all.joined(), "doctor": doctor,
            ]
            for (name, text) in places {
                #expect(text.contains("Token (secret)"), "\(name) does not tell why: \(text)")
                #expect(!text.contains(Self.key.prefix(12)), "\(name): \(text)")
            }
        }

        /// What the doctor prints beside the running daemon, for people and for programs.
        private static func doctor(of daemon: DaemonProcess, port: UInt16) async throws -> String {
            let program = try DaemonProcess.program
            let commands = ["doctor", "doctor --json"].map { words in
                "'\(program)' \(words) --set realtime.url=ws://127.0.0.1:\(port)/v1/realtime "
                    + "--set jarvis.url=http://127.0.0.1:9/ 2>&1"
            }
            let environment = [
                "PATH=/usr/bin:/bin", "HOME=\(daemon.folder)", "XDG_RUNTIME_DIR=\(daemon.folder)/run",
                "XDG_STATE_HOME=\(daemon.folder)/state", "OPENAI_API_KEY=\(key)",
            ]
            let text = await OwnThread.run("doctor") {
                Command.run(
                    ["/bin/sh", "-c", (commands + ["true"]).joined(separator: "; ")], environment: environment,
                    limit: .seconds(120), maximumBytes: 1 << 20
                )
            }
            return String(decoding: try #require(text), as: UTF8.self)
        }
    }
}
