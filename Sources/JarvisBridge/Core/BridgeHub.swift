internal import NIOCore
internal import VoiceBase

/// The state that all connections share: one subscription to the daemon, its mirror, and the observers of it. Lives on
/// the event loop.
final class BridgeHub {
    /// Most answers that are read at the same time.
    private static let mostReadings = 8
    /// Most wrong tokens that wait for their answer; any more are refused immediately.
    private static let mostWrongTokens = 16

    let loop: any EventLoop
    let gate: BridgeGate
    let files: [String: PageFile]
    private let socket: String
    private let log: (String) -> Void
    private let measured = MeasuredStatus()
    private let tabs = Tabs()
    private var observers: [any StatusObserver]
    private var mirror = StatusMirror()
    private var daemon: DaemonLines?
    private var commands = CommandPlaces()
    private var readings = 0
    private var wrongTokens = 0
    private var wrongTokensToLog = LossMeter()
    private var lastReason = ""
    private var sessions: BridgeSessions
    private let sessionFile: SessionFile
    var connections = ConnectionBook()
    private var open: [ObjectIdentifier: HTTPConnection] = [:]

    init(
        loop: any EventLoop,
        gate: BridgeGate,
        files: [String: PageFile],
        socket: String,
        sessions: SessionFile,
        log: @escaping (String) -> Void
    ) {
        self.sessions = sessions.read()
        sessionFile = sessions
        observers = [measured, tabs]
        self.loop = loop
        self.gate = gate
        self.files = files
        self.socket = socket
        self.log = log
    }

    // MARK: - Connections

    /// Makes room for a new connection if necessary.
    func connected(_ connection: HTTPConnection, from network: IPAddress.Network) {
        open[ObjectIdentifier(connection)] = connection
        if let loser = connections.opened(ObjectIdentifier(connection), from: network) { open[loser]?.end() }
    }

    func disconnected(_ connection: HTTPConnection) {
        open[ObjectIdentifier(connection)] = nil
        connections.closed(ObjectIdentifier(connection))
        close(connection)
    }

    // MARK: - The daemon

    /// Levels cost the daemon ten looks a second: only tabs show them.
    private var subscription: JSONValue {
        ["id": 1, "command": "subscribe", "arguments": ["levels": .bool(tabs.count > 0)]]
    }

    /// Adds an observer of the daemon.
    func add(_ observer: any StatusObserver) { observers.append(observer) }

    private func show(_ look: StatusLook) { for observer in observers { observer.see(look) } }

    /// Follows the daemon, from now on, and again a second after each loss.
    func follow() {
        daemon = DaemonLines.open(
            socket,
            on: loop,
            sending: subscription,
            // The daemon sends something every five seconds.
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
            lastReason = ""
            log("the daemon is there")
            show(.came)
        }
        show(.line(bytes, changed: outcome == .snapshot ? nil : line["values"], values: mirror.values))
        return nil
    }

    private func lost(_ reason: String) {
        if mirror.lastHeard != nil || lastReason != reason { log("no daemon: \(reason)") }
        lastReason = reason
        mirror = StatusMirror()
        show(.gone)
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: .seconds(1)) { bound.value.follow() }
    }

    // MARK: - Tabs

    /// Returns false if there are too many.
    func open(_ tab: any Tab, session: String) -> Bool {
        guard tabs.open(tab, session: session) else { return false }
        measured.metrics.tabs = tabs.count
        if tabs.count == 1 { daemon?.send(subscription) }
        return true
    }

    func close(_ tab: any Tab) {
        guard tabs.close(tab) else { return }
        measured.metrics.tabs = tabs.count
        if tabs.count == 0 { daemon?.send(subscription) }
    }

    /// The whole status, for a new tab or one that has missed changes.
    func snapshot(missed: Int) -> ByteBuffer {
        measured.metrics.changesMissed += missed
        return Tabs.event(mirror.snapshot(missed: missed) ?? Tabs.away)
    }

    // MARK: - Requests

    func metricsText() -> String { measured.metrics.text(mirror.lastHeard.map { _ in mirror.values }) }

    /// Answers a wrong token a second late.
    ///
    /// - Returns: false if too many wait already. The right token is never kept waiting.
    func delayWrongToken(_ answer: @escaping () -> Void) -> Bool {
        let now = Monotonic.now()
        wrongTokensToLog.add(1, at: now)
        if let count = wrongTokensToLog.dequeue(at: now, isOver: true) { log("wrong tokens: \(count)") }
        guard wrongTokens < Self.mostWrongTokens else { return false }
        wrongTokens += 1
        let bound = NIOLoopBound((self, answer), eventLoop: loop)
        loop.scheduleTask(in: .seconds(1)) {
            bound.value.0.wrongTokens -= 1
            bound.value.1()
        }
        return true
    }

    // MARK: - Sessions

    /// A new session for the browser that has shown the token.
    func signIn(host: String, replacing old: String?) -> Secret {
        if let old { sessions.close(old) }
        var random = SystemRandomNumberGenerator()
        let value = BridgeSecrets.make(&random)
        sessions.open(value, host: host, at: Self.now)
        save()
        return value
    }

    func accepts(_ claim: BridgeGate.Claim) -> Bool {
        sessions.accepts(claim.session, host: claim.host, at: Self.now)
    }

    /// Ends the session, and every page that is open with it.
    func signOut(_ claim: BridgeGate.Claim) {
        guard sessions.close(claim.session) else { return }
        save()
        tabs.end(session: claim.session)
    }

    private func save() {
        do {
            try sessionFile.write(sessions)
        } catch {
            log("the sessions are not on disk: \(error)")
        }
    }

    /// In Unix seconds.
    private static var now: Int { WallClock.seconds() }

    // MARK: - Commands

    /// The daemon's answer to a command.
    enum Answer {
        /// The daemon's reply, or an error in the same form.
        case reply(JSONValue)
        /// A reply that lines will follow: the answer to a typed question, for this page only.
        case begins(JSONValue)
        case line(ByteBuffer)
        case ended
    }

    /// The request for a page's order. It is marked as remote, so that a page cannot give a permission, even if this
    /// program runs as root.
    static func request(_ name: String, _ order: JSONValue, isRemote: Bool = true) -> JSONValue {
        ["id": 1, "command": .string(name), "arguments": order["arguments"] ?? [:], "remote": .bool(isRemote)]
    }

    /// The request for an order of a browser. A browser names no home: an address in a private network is played only
    /// for a home that has shown its key.
    static func pageRequest(_ name: String, _ order: JSONValue) -> JSONValue {
        guard case .object(var arguments)? = order["arguments"] else { return request(name, order) }
        arguments["home"] = nil
        return request(name, ["arguments": .object(arguments)])
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
        let reads = name == "ask" && order["arguments"]?["reads"] == true
        guard !reads || readings < Self.mostReadings else {
            return refuse("busy", "other pages wait for their answers: try again in a moment")
        }
        guard commands.take(name) else {
            return refuse("busy", "the voice box is busy with other pages: try again in a moment")
        }
        if reads { readings += 1 }
        var reply: JSONValue?
        let lines = DaemonLines.open(
            socket,
            on: loop,
            sending: Self.pageRequest(name, order),
            // The slowest command waits nine seconds for the voice service; an answer, for the agent.
            patience: reads ? .minutes(10) : .seconds(12),
            onLine: { [self] line, bytes in
                guard reply == nil else {
                    answer(.line(bytes))
                    return line["done"] == true ? "answered" : nil
                }
                reply = line
                guard reads, line["ok"] == true else { return "answered" }
                commands.leave(name)
                answer(.begins(["ok": true, "result": line["result"] ?? [:]]))
                return nil
            },
            onEnd: { [self] reason in
                if reads { readings -= 1 }
                if reads, reply?["ok"] == true { return answer(.ended) }
                commands.leave(name)
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

/// Bounds the commands under way. Orders have places of their own, so that `stop` never waits behind `listen`. A value.
struct CommandPlaces {
    /// Maximum number of each kind; the daemon accepts 32 clients in all.
    static let most = 8

    private var commands = 0
    private var orders = 0

    /// Returns whether there is a place for a command of this name.
    mutating func take(_ name: String) -> Bool {
        let kind = kind(name)
        guard self[keyPath: kind] < Self.most else { return false }
        self[keyPath: kind] += 1
        return true
    }

    mutating func leave(_ name: String) { self[keyPath: kind(name)] -= 1 }

    private func kind(_ name: String) -> WritableKeyPath<Self, Int> {
        ControlOrders.names.contains(name) ? \.orders : \.commands
    }
}
