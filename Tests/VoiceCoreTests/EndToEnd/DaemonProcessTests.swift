import CLinux
import Glibc
import Testing
import VoiceSimulator

@testable import StageSupport
@testable import TestSupport
@testable import VoiceBase

extension EndToEnd {
    /// What only a separate process can show: signals, and a log that is not read.
    @Suite struct DaemonProcessTests {
        @Test func ordersBeforeTheSocketOpensWait() async throws {
            let simulator = try await Service()
            var ends: [Int32] = [-1, -1]
            try #require(clinux_pipe(&ends) == 0)
            let daemon = try DaemonProcess(realtimePort: simulator.port, standardError: ends[1])
            close(ends[1])
            let orders = [SIGHUP, SIGUSR1, SIGUSR2]
            let wanted = orders.reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }
            // At that moment nothing is configured, open or started.
            while daemon.isRunning, daemon.caughtSignals & wanted != wanted { usleep(200) }
            for _ in 0..<3 {
                for order in orders { daemon.signal(order) }
                usleep(40_000)
            }
            try await daemon.serves()
            let status = try await daemon.perform("status")["text"]?.stringValue
            #expect(status?.contains("no microphone") == true)
            let output = ends[0]
            let lines = await OwnThread.run("test") {
                text(of: output) { $0.contains("configuration reloaded") && $0.contains(" status ") }
            }
            #expect(lines.contains("configuration reloaded"), "a reload that came early was lost: \(lines)")
            #expect(await daemon.stop() == 0)
            close(output)
            await simulator.stop()
        }

        /// Text in another encoding is not guessed.
        @Test func argumentsInAnotherEncodingAreRefused() throws {
            let command = "'\(try DaemonProcess.program)' ctl ask \"$(printf 'sp\\344t')\" 2>&1"
            let process = try #require(popen(command, "r"))
            var line = [CChar](repeating: 0, count: 1000)
            fgets(&line, Int32(line.count), process)
            let status = pclose(process)
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            #expect(text.contains("not UTF-8") && text.contains("iconv"), "\(text)")
            #expect((status >> 8) & 0xFF == 64, "EX_USAGE")
        }

        @Test func unreadLogDoesNotBlockTheDaemon() async throws {
            let simulator = try await Service()
            var ends: [Int32] = [-1, -1]
            try #require(clinux_pipe(&ends) == 0)
            // Full from the start: a pipe holds 64 KiB (pipe(7)).
            let dots = [UInt8](repeating: 0x2E, count: 65_536)
            #expect(write(ends[1], dots, dots.count) == dots.count)
            let daemon = try DaemonProcess(realtimePort: simulator.port, standardError: ends[1])
            close(ends[1])
            try await daemon.serves()
            try await simulator.isConnected()
            // More lines than are kept.
            for _ in 0..<2200 { _ = try await daemon.perform("volume", "40") }
            #expect(try await daemon.perform("status")["state"] == "listening")
            let output = ends[0]
            let log = await OwnThread.run("test") { text(of: output) { $0.contains("missing here") } }
            #expect(log.contains(" warning ") && log.contains(" lines="))
            // Full again, and so it ends.
            for _ in 0..<100 { _ = try await daemon.perform("volume", "40") }
            #expect(await daemon.stop() == 0)
            close(output)
            await simulator.stop()
        }

        @Test func muteAndModeSurviveACrashAndARestart() async throws {
            let simulator = try await Service()
            var daemon = try DaemonProcess(realtimePort: simulator.port)
            try await daemon.serves()
            try await simulator.isConnected()
            _ = try await daemon.perform("mute")
            let saved = "\(daemon.folder)/state/jarvis-voiced/activation.toml"
            while access(saved, R_OK) != 0, daemon.isRunning { usleep(1000) }
            daemon.signal(SIGKILL)
            _ = await daemon.ended()

            let connections = simulator.simulator.connectionCount
            daemon = try DaemonProcess(realtimePort: simulator.port, folder: daemon.folder)
            try await daemon.serves()
            var status = try await daemon.perform("status")
            #expect(status["microphone_muted"] == true && status["text"]?.stringValue?.contains("muted") == true)
            #expect(simulator.simulator.connectionCount == connections, "nobody has called")
            _ = try await daemon.perform("unmute")
            _ = try await daemon.perform("mode", "push")
            while try await daemon.perform("status")["mode"] != "push" { usleep(1000) }
            #expect(await daemon.stop() == 0)

            daemon = try DaemonProcess(realtimePort: simulator.port, folder: daemon.folder)
            try await daemon.serves()
            status = try await daemon.perform("status")
            #expect(status["mode"] == "push" && status["microphone_muted"] == false)
            #expect(await daemon.stop() == 0)

            // An edit of the configuration is the later wish.
            let edited = ["activation.mode=wake", "activation.engine=wyoming"]
            daemon = try DaemonProcess(realtimePort: simulator.port, settings: edited, folder: daemon.folder)
            try await daemon.serves()
            #expect(try await daemon.perform("status")["mode"] == "wake")
            #expect(await daemon.stop() == 0)
            await simulator.stop()
        }

        @Test func closedLogDoesNotEndTheDaemon() async throws {
            let simulator = try await Service()
            var ends: [Int32] = [-1, -1]
            try #require(clinux_pipe(&ends) == 0)
            let daemon = try DaemonProcess(realtimePort: simulator.port, standardError: ends[1])
            close(ends[1])
            close(ends[0])
            try await daemon.serves()
            for _ in 0..<3 { _ = try await daemon.perform("volume", "40") }
            #expect(daemon.isRunning)
            #expect(await daemon.stop() == 0)
            await simulator.stop()
        }
    }
}

/// A simulated service for a daemon in a separate process.
private final class Service: Sendable {
    let simulator: RealtimeSimulator
    let port: Int

    init(_ turns: [ConversationScript.Turn] = []) async throws {
        simulator = RealtimeSimulator(
            configuration: RealtimeSimulatorConfiguration(key: Stage.key), script: ConversationScript(turns: turns)
        )
        port = try await simulator.start()
    }

    func isConnected() async throws {
        for _ in 0..<3000 where simulator.connectionCount == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(simulator.connectionCount > 0)
    }

    func stop() async { await simulator.stop() }
}

/// Reads from a pipe until `isEnough` is true for the whole text, or until nothing has arrived for half a minute.
private func text(of pipe: Int32, until isEnough: (String) -> Bool) -> String {
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while clinux_wait_readable(pipe, 30_000) > 0, case let count = read(pipe, &bytes, bytes.count), count > 0 {
        all += bytes[..<count]
        let text = String(decoding: all, as: UTF8.self)
        if isEnough(text) { return text }
    }
    return String(decoding: all, as: UTF8.self)
}
