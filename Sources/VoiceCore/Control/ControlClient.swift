internal import CLinux
internal import Glibc
package import VoiceBase

/// Client of the control socket for the command line: sends a request and waits for the reply.
package struct ControlClient: ~Copyable {
    private let socket: Int32
    private var input: LineBuffer
    /// How long to wait for a reply.
    private let patience: Duration
    /// The daemon's greeting.
    package let greeting: JSONValue

    /// Connects to the first path where a socket answers.
    /// - Throws: `notAvailable` if no daemon runs, `denied` if this user has no access.
    package init(paths: [String], patience: Duration = .seconds(10)) throws(ControlProblem) {
        self.patience = patience
        let connected = try Self.connect(paths)
        let (line, buffer) = try Self.greeting(connected, patience: patience)
        socket = connected
        input = buffer
        greeting = line
    }

    private static func connect(_ paths: [String]) throws(ControlProblem) -> Int32 {
        var problem = ControlProblem(.notAvailable, "no control socket found; name it with --socket")
        for path in paths {
            let socket = clinux_local_connect(path)
            guard socket < 0 else { return socket }
            switch errno {
            case EACCES, EPERM:
                problem = ControlProblem(
                    .denied, "this user may not control Jarvis: use sudo, or join the group jarvis"
                )
            case _ where problem.code == .denied: break
            case ENOENT, ECONNREFUSED, ENOTDIR:
                problem = ControlProblem(
                    .notAvailable,
                    "Jarvis is not running: systemctl status jarvis-voiced says why. If it runs elsewhere, name its socket "
                        + "with --socket"
                )
            case let code:
                problem = ControlProblem(.notAvailable, "\(path): \(String(cString: strerror(code)))")
            }
        }
        throw problem
    }

    /// Returns the daemon's first line and what was received after it; closes the socket if the other end is not a
    /// compatible daemon.
    private static func greeting(
        _ socket: Int32,
        patience: Duration
    ) throws(ControlProblem) -> (JSONValue, LineBuffer) {
        var input = LineBuffer(longest: 1 << 20)
        do throws(ControlProblem) {
            guard let line = try receive(socket, &input, patience: patience), line["hello"] != nil else {
                throw ControlProblem(.failed, "the control socket does not belong to jarvis-voiced")
            }
            guard line["protocol"]?.intValue == ControlMessage.version else {
                throw ControlProblem(.unsupportedProtocol, "the daemon speaks another protocol version: restart it")
            }
            return (line, input)
        } catch {
            close(socket)
            throw error
        }
    }

    deinit { close(socket) }

    /// Sends a request and returns its result.
    package mutating func perform(_ request: ControlRequest) throws(ControlProblem) -> JSONValue {
        let line = ControlMessage.line(request.json)
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0 && errno == EINTR { continue }
            // A daemon that refuses the client sends the reason before it hangs up: read it.
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        guard let reply = try Self.receive(socket, &input, patience: patience) else {
            throw ControlProblem(.failed, "the daemon closed the connection")
        }
        if reply["ok"] == .bool(true) { return reply["result"] ?? .object([:]) }
        let code = reply["error"]?["code"]?.stringValue.flatMap(ControlProblem.Code.init) ?? .failed
        throw ControlProblem(code, reply["error"]?["message"]?.stringValue ?? "the daemon refused")
    }

    /// Waits indefinitely for the next event. Returns nil when the daemon has closed the connection.
    package mutating func nextEvent() throws(ControlProblem) -> JSONValue? {
        try Self.receive(socket, &input, patience: nil)
    }

    private static func receive(
        _ socket: Int32,
        _ input: inout LineBuffer,
        patience: Duration?
    ) throws(ControlProblem) -> JSONValue? {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            if let line = input.next() {
                guard let value = ControlMessage.parse(line) else {
                    throw ControlProblem(.failed, "the daemon's answer cannot be read")
                }
                return value
            }
            guard !input.hasOverflowed else { throw ControlProblem(.failed, "the daemon's answer is too long") }
            var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let ready = poll(&polled, 1, patience.map { Int32(clamping: $0.milliseconds) } ?? -1)
            if ready < 0 && errno == EINTR { continue }
            guard ready > 0 else { throw ControlProblem(.failed, "the daemon does not answer") }
            let count = recv(socket, &bytes, min(bytes.count, input.room), 0)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            input.append(bytes.prefix(count))
        }
    }
}
