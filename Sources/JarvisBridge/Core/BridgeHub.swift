internal import NIOCore
internal import VoiceBase

/// A browser that follows the status.
protocol Tab: AnyObject {
    /// Sends bytes of the event stream, or notes that a change was missed if the browser does not read.
    func send(_ event: ByteBuffer)
}

/// What all connections share: one subscription to the daemon, its mirror, the tabs. Lives on the event loop.
final class BridgeHub {
    /// Most tabs; another is refused.
    private static let mostTabs = 64
    /// Most commands under way; the daemon accepts 32 clients in all.
    private static let mostCommands = 8
    /// Most answers that are read at the same time.
    private static let mostReadings = 8
    /// Most wrong tokens that wait for their answer; while there are that many, no token is looked at.
    private static let mostWrongTokens = 16

    let loop: any EventLoop
    let gate: BridgeGate
    let files: [String: PageFile]
    private let socket: String
    private let log: (String) -> Void
    private(set) var metrics = BridgeMetrics()
    private var mirror = StatusMirror()
    private var tabs: [ObjectIdentifier: any Tab] = [:]
    private var daemon: DaemonLines?
    private var commands = 0
    private var readings = 0
    private var wrongTokens = 0
    private var lastReason = ""
    /// Connections of browsers.
    var connections = 0

    init(
        loop: any EventLoop,
        gate: BridgeGate,
        files: [String: PageFile],
        socket: String,
        log: @escaping (String) -> Void
    ) {
        self.loop = loop
        self.gate = gate
        self.files = files
        self.socket = socket
        self.log = log
    }

    // MARK: - The daemon

    /// Levels cost the daemon ten looks a second: only tabs show them.
    private var subscription: JSONValue {
        ["id": 1, "command": "subscribe", "arguments": ["levels": .bool(!tabs.isEmpty)]]
    }

    /// Follows the daemon, from now on, and again a second after each loss.
    func follow() {
        daemon = DaemonLines.open(
            socket,
            on: loop,
            sending: subscription,
            // It sends something every five seconds.
            patience: .seconds(10),
            onLine: { [self] in received($0, $1) },
            onEnd: { [self] in lost($0) }
        )
    }

    private func received(_ line: JSONValue, _ bytes: ByteBuffer) -> String? {
        if line["ok"] == false { return line["error"]?["message"]?.stringValue ?? "the daemon refuses" }
        let wasThere = mirror.lastHeard != nil
        let outcome = mirror.apply(line, at: Monotonic.now())
        if outcome == .other { return nil }
        if outcome == .broken { return "its status has a gap" }
        if !wasThere {
            metrics.connections += 1
            lastReason = ""
            log("the daemon is there")
            sendToTabs(Self.event(["event": "bridge", "connected": true]))
        }
        if outcome == .snapshot || line["values"]?["turn_list"] ?? line["values"]?["wake_list"] != nil {
            metrics.learn(mirror.values)
        }
        sendToTabs(Self.event(bytes))
        return nil
    }

    private func lost(_ reason: String) {
        if mirror.lastHeard != nil || lastReason != reason { log("no daemon: \(reason)") }
        lastReason = reason
        // Repeated, so that browsers hear something, and those that are gone are noticed.
        mirror = StatusMirror()
        sendToTabs(Self.event(["event": "bridge", "connected": false]))
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: .seconds(1)) { bound.value.follow() }
    }

    // MARK: - Tabs

    /// Returns false if there are too many.
    func open(_ tab: any Tab) -> Bool {
        guard tabs.count < Self.mostTabs else { return false }
        tabs[ObjectIdentifier(tab)] = tab
        metrics.tabs = tabs.count
        if tabs.count == 1 { daemon?.send(subscription) }
        return true
    }

    func close(_ tab: any Tab) {
        guard tabs.removeValue(forKey: ObjectIdentifier(tab)) != nil else { return }
        metrics.tabs = tabs.count
        if tabs.isEmpty { daemon?.send(subscription) }
    }

    /// What a tab needs that knows nothing, or has missed changes.
    func snapshot(missed: Int) -> ByteBuffer {
        metrics.changesMissed += missed
        return Self.event(mirror.snapshot(missed: missed) ?? ["event": "bridge", "connected": false])
    }

    private func sendToTabs(_ event: ByteBuffer) {
        for tab in tabs.values { tab.send(event) }
    }

    private static func event(_ line: ByteBuffer) -> ByteBuffer {
        var buffer = ByteBuffer(string: "data: ")
        buffer.writeImmutableBuffer(line)
        buffer.writeStaticString("\n\n")
        return buffer
    }

    private static func event(_ value: JSONValue) -> ByteBuffer { event(ByteBuffer(string: value.line)) }

    // MARK: - Requests

    func metricsText() -> String { metrics.text(mirror.lastHeard.map { _ in mirror.values }) }

    /// Whether a token may be looked at.
    var acceptsTokens: Bool { wrongTokens < Self.mostWrongTokens }

    /// Answers a wrong token a second late.
    func delayWrongToken(_ answer: @escaping () -> Void) {
        wrongTokens += 1
        log("a browser showed a wrong token")
        let bound = NIOLoopBound((self, answer), eventLoop: loop)
        loop.scheduleTask(in: .seconds(1)) {
            bound.value.0.wrongTokens -= 1
            bound.value.1()
        }
    }

    /// What the daemon answers to a command.
    enum Answer {
        /// Its reply, or an error in its form.
        case reply(JSONValue)
        /// The same, and lines will follow: the answer to a typed question, for this page alone.
        case begins(JSONValue)
        case line(ByteBuffer)
        case ended
    }

    /// Gives the daemon a command, on a connection of its own.
    ///
    /// - Returns: ends the connection, for a browser that has left.
    @discardableResult func command(_ body: ByteBuffer, answer: @escaping (Answer) -> Void) -> (() -> Void)? {
        func refuse(_ code: String, _ message: String) -> (() -> Void)? {
            answer(.reply(["ok": false, "error": ["code": .string(code), "message": .string(message)]]))
            return nil
        }
        guard let order = JSONValue.parse(body), let name = order["command"]?.stringValue else {
            return refuse("bad_request", "a request is a JSON object with a command")
        }
        guard commands < Self.mostCommands else {
            return refuse("busy", "the voice box is busy with other pages: try again in a moment")
        }
        let reads = name == "ask" && order["arguments"]?["reads"] == true
        guard !reads || readings < Self.mostReadings else {
            return refuse("busy", "other pages wait for their answers: try again in a moment")
        }
        commands += 1
        if reads { readings += 1 }
        var reply: JSONValue?
        let lines = DaemonLines.open(
            socket,
            on: loop,
            sending: ["id": 1, "command": .string(name), "arguments": order["arguments"] ?? [:]],
            // The slowest command waits nine seconds for the voice service; an answer, for the agent.
            patience: reads ? .minutes(10) : .seconds(12),
            onLine: { [self] line, bytes in
                guard reply == nil else {
                    answer(.line(bytes))
                    return line["done"] == true ? "answered" : nil
                }
                reply = line
                guard reads, line["ok"] == true else { return "answered" }
                commands -= 1
                answer(.begins(["ok": true, "result": line["result"] ?? [:]]))
                return nil
            },
            onEnd: { [self] reason in
                if reads { readings -= 1 }
                if reads, reply?["ok"] == true { return answer(.ended) }
                commands -= 1
                guard let reply, let isDone = reply["ok"] else {
                    log("a command was not answered: \(reason)")
                    _ = refuse("not_available", "the voice box does not answer: see that jarvis-voiced runs")
                    return
                }
                let member = isDone == true ? "result" : "error"
                answer(.reply(["ok": isDone, .init(member): reply[member] ?? [:]]))
            }
        )
        return reads ? { lines.leave() } : nil
    }
}
