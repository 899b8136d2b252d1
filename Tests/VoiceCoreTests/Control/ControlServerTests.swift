import CLinux
import Glibc
import Logging
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore

struct ControlServerTests {
    /// A server that echoes, and what is needed to stop it.
    private struct Running {
        let path: String
        let server: ControlServer
        let task: Task<Void, Never>
        let events: DaemonEvents
        let readers = AnswerReaders()

        init(
            logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            adjust: (inout ControlServer.Options) -> Void = { _ in }
        ) throws {
            path = "/tmp/control-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
            var options = ControlServer.Options(path: path, version: "9.9")
            adjust(&options)
            let events = DaemonEvents()
            self.events = events
            let server = try ControlServer(options, logger: logger) { [readers] request, _ in
                switch request.command {
                case "fail": return .failure(ControlProblem(.notAvailable, "not here"))
                case "read":
                    guard let reading = readers.open() else { return .failure(ControlProblem(.busy, "full")) }
                    reading.cancel()
                    return .success(.answer([:], reading))
                case "events": return .success(.events(events.subscribe(capacity: 64)))
                case "subscribe":
                    let status = StatusSubscription(hasLevels: false, events: events.subscribe(capacity: 8)) {
                        isWhole in
                        StatusSample(events.history.values, isWhole: isWhole, at: Monotonic.now())
                    }
                    return .success(.status(status))
                default: return .success(.done(["command": .string(request.command)]))
                }
            }
            self.server = server
            task = Task { await server.run() }
        }

        func stop() async {
            server.stop()
            await task.value
        }
    }

    /// The server's thread has a small stack: a line of some kilobytes must not end the daemon.
    @Test func tooDeepMessageIsRefused() async throws {
        let running = try Running()
        let deep = String(repeating: #"{"a":"#, count: 2000) + "1" + String(repeating: "}", count: 2000)
        let text = try await blocking { try exchange(running.path, Array("\(deep)\n{\"command\":\"a\"}\n".utf8)) }
        #expect(text.contains("bad_request") && text.contains("\"ok\":true"))
        await running.stop()
    }

    @Test func aClientIsGreetedAndAnswered() async throws {
        let running = try Running()
        var status = stat()
        #expect(lstat(running.path, &status) == 0 && status.st_mode & 0o777 == 0o660)
        try await blocking {
            var client = try ControlClient(paths: ["/nonexistent", running.path], patience: .seconds(100))
            #expect(client.greeting["version"] == "9.9")
            #expect(try client.perform(ControlRequest(id: 1, command: "one")) == ["command": "one"])
            #expect(throws: ControlProblem(.notAvailable, "not here")) {
                try client.perform(ControlRequest(command: "fail"))
            }
            #expect(try client.perform(ControlRequest(id: 2, command: "two")) == ["command": "two"])
        }
        await running.stop()
        #expect(lstat(running.path, &status) != 0)
    }

    @Test func everyTextThatIsSentIsCleaned() async throws {
        let running = try Running { $0.clean = { $0.replacing("here", with: "(secret)") } }
        let path = running.path
        let events = running.events
        try await blocking {
            var client = try ControlClient(paths: [path], patience: .seconds(100))
            #expect(try client.perform(ControlRequest(command: "here")) == ["command": "(secret)"])
            #expect(throws: ControlProblem(.notAvailable, "not (secret)")) {
                try client.perform(ControlRequest(command: "fail"))
            }
            _ = try client.perform(ControlRequest(command: "events"))
            events.post(DaemonEvent(.connectionLost, ["reason": "here"]))
            #expect(try client.nextEvent() == ["event": "connection_lost", "reason": "(secret)"])
            var follower = try ControlClient(paths: [path], patience: .seconds(100))
            events.note { $0.logged("it is here", level: "warning", at: $1) }
            _ = try follower.perform(ControlRequest(command: "subscribe"))
            let snapshot = try follower.nextEvent()?.line
            #expect(snapshot?.contains("it is (secret)") == true, "\(snapshot ?? "nothing")")
        }
        await running.stop()
    }

    @Test func requestsOfOneClientAreAnsweredInTheirOrder() async throws {
        let running = try Running()
        let text = try await blocking {
            let lines = (1...50).map { "{\"id\":\($0),\"command\":\"c\"}\n" }.joined()
            return try exchange(running.path, Array((lines + "{\"id\":51,\"command\":\"last\"}").utf8))
        }
        let ids = text.split(separator: "\n").dropFirst().compactMap { line in
            line.split(separator: "\"id\":").last?.prefix { $0.isNumber }
        }
        #expect(ids.map(String.init) == (1...51).map(String.init))
        await running.stop()
    }

    /// A stopped daemon accepts no client: the queue of its socket fills up, and the next client would wait in it.
    @Test func secondDaemonDoesNotWaitForAStoppedOne() async throws {
        let path = "/tmp/control-stopped-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
        let first = clinux_local_listen(path, 0o600, 1)
        try #require(first >= 0)
        defer {
            close(first)
            unlink(path)
        }
        for _ in 0..<4 {
            let second = await OwnThread.run("jv-test") { clinux_local_listen(path, 0o600, 1) == -1 ? errno : 0 }
            #expect(second == EADDRINUSE)
        }
    }

    @Test func nonsenseIsAnsweredAndEndlessLinesAreCut() async throws {
        let running = try Running()
        let text = try await blocking { try exchange(running.path, Array("hello\n\n{\"command\":\"a\"}\n".utf8)) }
        #expect(text.contains("bad_request") && text.contains("\"ok\":true"))
        let long = try await blocking {
            try exchange(running.path, [UInt8](repeating: 0x61, count: ControlMessage.longestRequest + 2))
        }
        #expect(long.contains("at most 16384 bytes"))
        await running.stop()
    }

    /// 92 kB of bad lines: only 20 of them cost work, and the others are served as before.
    @Test func invalidLinesCutOffTheClient() async throws {
        let running = try Running()
        let text = try await blocking {
            try exchange(running.path, Array(String(repeating: "x\n", count: 46_000).utf8))
        }
        let replies = text.split(separator: "\n").dropFirst()
        #expect(replies.count == 21)
        #expect(replies.allSatisfy { $0.contains("bad_request") })
        #expect(replies.last?.contains("20 invalid lines") == true)
        // Valid requests between them do not reduce their number.
        let mixed = try await blocking {
            let line = "{\"command\":\"a\"}\n[]\n"
            return try exchange(running.path, Array(String(repeating: line, count: 40).utf8))
        }
        #expect(mixed.split(separator: "\n").count { $0.contains("\"ok\":true") } == 20)
        try await blocking {
            var client = try ControlClient(paths: [running.path], patience: .seconds(100))
            #expect(try client.perform(ControlRequest(command: "a")) == ["command": "a"])
        }
        await running.stop()
    }

    /// A second daemon may have taken the place, after the first one's socket was removed by hand.
    @Test func socketOfAnotherDaemonIsNotRemoved() async throws {
        let running = try Running()
        unlink(running.path)
        let other = clinux_local_listen(running.path, 0o600, 1)
        try #require(other >= 0)
        defer {
            close(other)
            unlink(running.path)
        }
        await running.stop()
        var status = stat()
        #expect(lstat(running.path, &status) == 0)
    }

    @Test(.timeLimit(.minutes(1))) func removedSocketIsRecreated() async throws {
        let running = try Running()
        let path = running.path
        unlink(path)
        try await blocking {
            var status = stat()
            while lstat(path, &status) != 0 { usleep(10_000) }
            var client = try ControlClient(paths: [path], patience: .seconds(100))
            #expect(try client.perform(ControlRequest(command: "a")) == ["command": "a"])
        }
        await running.stop()
        var status = stat()
        #expect(lstat(path, &status) != 0)
    }

    /// One line, and later their number: a client that is refused may come back at any pace.
    @Test func refusedConnectionsAreLoggedWithALimit() async throws {
        let log = LineLog()
        let running = try Running(logger: log.logger) { $0.clock = { .seconds(1) } }
        let path = running.path
        try await blocking {
            for _ in 0..<30 { _ = try exchange(path, Array(String(repeating: "x\n", count: 30).utf8)) }
        }
        await running.stop()
        #expect(log.lines.count { $0.contains("sent no requests") } == 1)
    }

    @Test func eventsFollowUntilTheClientLeaves() async throws {
        let running = try Running()
        let events = running.events
        try await blocking {
            var client = try ControlClient(paths: [running.path], patience: .seconds(100))
            _ = try client.perform(ControlRequest(id: 1, command: "events"))
            events.post(DaemonEvent(.state, ["to": "listening"]))
            #expect(try client.nextEvent() == ["event": "state", "to": "listening"])
            // Commands work meanwhile.
            #expect(try client.perform(ControlRequest(id: 2, command: "b")) == ["command": "b"])
            events.post(DaemonEvent(.turn, ["turn": 1]))
            #expect(try client.nextEvent() == ["event": "turn", "turn": 1])
        }
        await running.stop()
    }

    @Test func subscriberGetsChangesImmediately() async throws {
        let running = try Running()
        let events = running.events
        try await blocking {
            var client = try ControlClient(paths: [running.path], patience: .seconds(100))
            _ = try client.perform(ControlRequest(id: 1, command: "subscribe"))
            let first = try client.nextEvent()
            #expect(first?["event"] == "snapshot" && first?["values"]?["turns_total"] == 0)
            events.post(DaemonEvent(.turn, ["turn": 1]))
            let second = try client.nextEvent()
            #expect(second?["event"] == "changed" && second?["values"]?["turns_total"] == 1)
        }
        await running.stop()
    }

    @Test func clientThatDoesNotReadIsCutOff() async throws {
        let running = try Running { $0.longestOutput = 4096 }
        let events = running.events
        let socket = clinux_local_connect(running.path)
        defer { close(socket) }
        let line = Array("{\"command\":\"events\"}\n".utf8)
        #expect(send(socket, line, line.count, 0) == line.count)
        let filling = Task {
            while !Task.isCancelled {
                let long = DaemonEvent(.state, ["to": .string(String(repeating: "x", count: 1000))])
                for _ in 0..<60 { events.post(long) }
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        let ended = await OwnThread.run("test") {
            var polled = pollfd(fd: socket, events: 0, revents: 0)
            return poll(&polled, 1, 100_000)
        }
        #expect(ended == 1)
        filling.cancel()
        // The other clients are served as before.
        try await blocking {
            var client = try ControlClient(paths: [running.path], patience: .seconds(100))
            #expect(try client.perform(ControlRequest(command: "a")) == ["command": "a"])
        }
        await running.stop()
    }

    /// Half a line each, and silence: everybody else is served as before, and they are disconnected in time.
    @Test(arguments: ["", #"{"command":"#]) func idleClientsKeepNoOneOut(half: String) async throws {
        let now = Mutex(Duration.zero)
        let running = try Running { $0.clock = { now.withLock { $0 } } }
        try await blocking {
            var crowd: [Int32] = []
            defer { for socket in crowd { close(socket) } }
            for _ in 0..<16 {
                let socket = clinux_local_connect(running.path)
                crowd.append(socket)
                var byte: UInt8 = 0
                // Greeted: it has its seat.
                try #require(recv(socket, &byte, 1, 0) == 1)
                _ = send(socket, half, half.utf8.count, Int32(MSG_NOSIGNAL))
            }
            now.withLock { $0 = .seconds(3) }
            for _ in 0..<40 {
                var client = try ControlClient(paths: [running.path], patience: .seconds(100))
                #expect(try client.perform(ControlRequest(command: "a")) == ["command": "a"])
            }
            now.withLock { $0 = .seconds(61) }
            // The server reads the clock when something happens.
            var client = try ControlClient(paths: [running.path], patience: .seconds(100))
            _ = try client.perform(ControlRequest(command: "a"))
            for socket in crowd {
                var bytes = [UInt8](repeating: 0, count: 4096)
                var text: [UInt8] = []
                while case let count = recv(socket, &bytes, bytes.count, 0), count > 0 { text += bytes[..<count] }
                #expect(String(decoding: text, as: UTF8.self).contains("closing the connection"))
            }
        }
        await running.stop()
    }

    @Test func clientMayLeaveAfterItsAnswer() async throws {
        let running = try Running()
        // Ends only when the server closes the connection.
        let text = try await blocking { try exchange(running.path, Array("{\"command\":\"read\"}\n".utf8)) }
        #expect(text.contains("\"done\":true"))
        await running.stop()
    }

    /// No other client needs to come: the server waits for the time limit of a silent one.
    @Test func silentClientTimesOut() async throws {
        let running = try Running { $0.longestIdle = .milliseconds(30) }
        let text = try await blocking {
            let socket = clinux_local_connect(running.path)
            defer { close(socket) }
            var all: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 4096)
            while case let count = recv(socket, &bytes, bytes.count, 0), count > 0 { all += bytes[..<count] }
            return String(decoding: all, as: UTF8.self)
        }
        #expect(text.contains("no request for too long"))
        await running.stop()
    }

    @Test func clientsBeyondTheLimitAreRefused() async throws {
        let running = try Running { $0.maximumClients = 2 }
        try await blocking {
            let first = try ControlClient(paths: [running.path], patience: .seconds(100))
            let second = try ControlClient(paths: [running.path], patience: .seconds(100))
            var third = try ControlClient(paths: [running.path], patience: .seconds(100))
            #expect(throws: ControlProblem(.busy, "2 clients are connected already")) {
                try third.perform(ControlRequest(command: "a"))
            }
            _ = (first.greeting, second.greeting)
        }
        await running.stop()
    }

    @Test(arguments: ControlOrders.names.sorted()) func ordersGetThroughWhenAllPlacesAreTaken(
        order: String
    ) async throws {
        let running = try Running()
        try await blocking {
            var crowd: [Int32] = []
            defer { for socket in crowd { close(socket) } }
            func connect(sending line: String) throws {
                let socket = clinux_local_connect(running.path)
                crowd.append(socket)
                var byte: UInt8 = 0
                try #require(recv(socket, &byte, 1, 0) == 1)
                _ = send(socket, line, line.utf8.count, Int32(MSG_NOSIGNAL))
            }
            // Subscribers, and then more clients that ask for nothing than there are places for orders.
            for _ in 0..<32 { try connect(sending: "{\"command\":\"events\"}\n") }
            for number in 0..<40 { try connect(sending: number % 2 == 0 ? "" : "{\"comm") }
            for _ in 0..<3 {
                var client = try ControlClient(paths: [running.path], patience: .seconds(100))
                #expect(try client.perform(ControlRequest(command: order)) == ["command": .string(order)])
            }
            var other = try ControlClient(paths: [running.path], patience: .seconds(100))
            #expect(throws: ControlProblem(.busy, "32 clients are connected already")) {
                try other.perform(ControlRequest(command: "listen"))
            }
        }
        await running.stop()
    }

    @Test func unauthorisedClientIsRefused() async throws {
        guard geteuid() != 0 else { return }
        let running = try Running { $0.access = ControlAccess(user: 1, group: 0xFFFF_FFF0) }
        try await blocking {
            var client = try ControlClient(paths: [running.path], patience: .seconds(100))
            #expect(throws: ControlProblem.self) { try client.perform(ControlRequest(command: "a")) }
        }
        await running.stop()
    }

    @Test func onlyAnAbandonedSocketIsReplaced() async throws {
        let running = try Running()
        #expect(throws: ControlServerError.self) { try Running { $0.path = running.path } }
        await running.stop()
        // What a killed daemon leaves behind.
        let left = clinux_local_listen(running.path, 0o660, 1)
        close(left)
        let again = try Running { $0.path = running.path }
        again.server.stop()
        await again.task.value
    }

    @Test func missingDaemonIsReportedByTheClient() {
        #expect {
            _ = try ControlClient(paths: ["/nonexistent/a.sock", "/dev/null/b.sock"])
        } throws: { error in
            let message = (error as? ControlProblem)?.message ?? ""
            return message.hasPrefix("Jarvis is not running: systemctl status") && message.contains("--socket")
        }
    }

    private func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await OwnThread.run("test") { Result { try body() } }.get()
    }
}

/// Sends the bytes, closes its sending side, and returns everything received.
private func exchange(_ path: String, _ bytes: [UInt8]) throws -> String {
    let socket = clinux_local_connect(path)
    try #require(socket >= 0)
    defer { close(socket) }
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count <= 0 { break }
        rest = rest.dropFirst(count)
    }
    shutdown(socket, Int32(SHUT_WR))
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = recv(socket, &chunk, chunk.count, 0), count > 0 { all += chunk[..<count] }
    return String(decoding: all, as: UTF8.self)
}
