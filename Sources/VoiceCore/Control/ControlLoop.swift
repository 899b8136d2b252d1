internal import CLinux
internal import Glibc
internal import Logging
internal import VoiceBase
internal import VoiceSession

/// The event loop of the control socket. Confined to its thread.
struct ControlLoop {
    private let listener: ControlListener
    /// How often it is checked whether the socket is still there, in ms.
    private static let lookPause: Int32 = 2000
    private let options: ControlServer.Options
    private let outbox: ControlOutbox
    private let logger: Logger
    private let handler: ControlServer.Handler
    private var clients: [Int: Client] = [:]
    private var next = 0
    /// Logged actions of clients, by their lines in the log.
    private var reports: [String: LossMeter] = [:]

    init(
        listener: ControlListener,
        options: ControlServer.Options,
        outbox: ControlOutbox,
        logger: Logger,
        handler: @escaping ControlServer.Handler
    ) {
        self.listener = listener
        self.options = options
        self.outbox = outbox
        self.logger = logger
        self.handler = handler
    }

    mutating func run() {
        while round() {}
        for id in Array(clients.keys) { drop(id) }
    }

    /// Waits for events and handles them; returns false when the loop has to end.
    private mutating func round() -> Bool {
        let ids = clients.keys.sorted()
        var polled = [
            pollfd(fd: outbox.wake, events: Int16(POLLIN), revents: 0),
            pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        for id in ids {
            guard let client = clients[id] else { continue }
            var events: Int32 = 0
            if !client.isBusy, !client.hasFinished, !client.isLeaving { events |= POLLIN }
            if client.waiting > 0 { events |= POLLOUT }
            polled.append(pollfd(fd: client.socket, events: Int16(events), revents: 0))
        }
        guard poll(&polled, nfds_t(polled.count), pause) >= 0 || errno == EINTR else {
            logger.error("the control socket has failed: \(String(cString: strerror(errno)))")
            return false
        }
        let (envelopes, isStopped) = outbox.dequeue()
        for envelope in envelopes { deliver(envelope) }
        guard !isStopped else { return false }
        for (id, entry) in zip(ids, polled.dropFirst(2)) where entry.revents != 0 {
            let happened = Int32(entry.revents)
            if happened & (POLLERR | POLLNVAL | POLLHUP) != 0, happened & POLLIN == 0 {
                drop(id)
                continue
            }
            if happened & POLLIN != 0 { read(id) }
        }
        for id in Array(clients.keys) { write(id) }
        for (id, client) in clients where client.isIdle && options.clock() - client.idleSince >= options.longestIdle {
            client.refuse(ControlProblem(.badRequest, "no request for too long; closing the connection"))
            write(id)
        }
        if polled[1].revents != 0 { accept() }
        if listener.restore() { logger.warning("the control socket was lost and is opened again") }
        return true
    }

    /// Time until the next deadline of a client or the next look at the socket, in ms, rounded up.
    private var pause: Int32 {
        guard let since = clients.values.filter(\.isIdle).map(\.idleSince).min() else { return Self.lookPause }
        let left = since + options.longestIdle - options.clock()
        return min(Int32(clamping: max(0, left.wholeMilliseconds + 1)), Self.lookPause)
    }

    /// Logs what a client did: immediately, and then at most every ten seconds with the number of times.
    private mutating func report(_ what: String, _ peer: ControlAccess.Peer) {
        let now = options.clock()
        reports[what, default: LossMeter()].add(1, at: now)
        guard let count = reports[what]?.dequeue(at: now, isOver: true) else { return }
        var metadata: Logger.Metadata = ["uid": .public(peer.user), "pid": .public(peer.process)]
        if count > 1 { metadata["times"] = .public(count) }
        logger.warning("\(what)", metadata: .event(.control, metadata))
    }

    // MARK: Clients

    private mutating func accept() {
        let socket = clinux_local_accept(listener.descriptor)
        guard socket >= 0 else {
            // While no descriptors are left, poll would return immediately again.
            if errno == EMFILE || errno == ENFILE { usleep(100_000) }
            return
        }
        let isFull = clients.values.count { !$0.isForOrders } >= options.maximumClients
        let client = Client(
            socket: socket, peer: Self.peer(of: socket), isForOrders: isFull, clean: options.clean, at: options.clock()
        )
        next += 1
        let id = next
        client.say(ControlMessage.hello(version: options.version))
        if !options.access.allows(client.peer) {
            report("control connection denied", client.peer)
            client.refuse(ControlProblem(.denied, "permission denied: join the group of the socket"))
        } else if isFull, !makeRoomForOrders() {
            client.refuse(isBusy)
        }
        clients[id] = client
        write(id)
    }

    private var isBusy: ControlProblem {
        ControlProblem(.busy, "\(options.maximumClients) clients are connected already")
    }

    /// Returns false if all places for orders are taken by orders under way.
    private mutating func makeRoomForOrders() -> Bool {
        let waiting = clients.filter { $0.value.isForOrders }
        guard waiting.count >= options.orderPlaces else { return true }
        guard let oldest = waiting.filter({ $0.value.isIdle }).keys.min() else { return false }
        clients[oldest]?.refuse(isBusy)
        write(oldest)
        drop(oldest)
        return true
    }

    private mutating func drop(_ id: Int) {
        guard let client = clients.removeValue(forKey: id) else { return }
        client.events?.cancel()
        client.subscription?.cancel()
        close(client.socket)
    }

    /// If the ancestry of a process is hidden, a process of this non-root user counts as a child. Process ID 0 is a
    /// peer outside this container.
    private static func isOwnChild(_ process: Int32, user: UInt32) -> Bool {
        guard process > 0, process != getpid() else { return false }
        let descends = ProcessTree.descends(process, from: getpid())
        return descends ?? (user == geteuid() && user != 0 && ProcessTree.parent(of: getpid()) != nil)
    }

    private static func peer(of socket: Int32) -> ControlAccess.Peer {
        var process: Int32 = 0
        var user = UInt32.max
        var group = UInt32.max
        guard clinux_local_peer(socket, &process, &user, &group) else {
            return ControlAccess.Peer(process: 0, user: .max, groups: [])
        }
        var groups = [UInt32](repeating: 0, count: 256)
        let count = clinux_local_peer_groups(socket, &groups, groups.count)
        return ControlAccess.Peer(
            process: process, user: user, groups: [group] + groups.prefix(max(0, Int(count))),
            isOwnChild: isOwnChild(process, user: user)
        )
    }

    // MARK: Input

    private mutating func read(_ id: Int) {
        guard let client = clients[id], client.input.room > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: min(4096, client.input.room))
        let count = recv(client.socket, &bytes, bytes.count, 0)
        if count < 0 {
            if errno != EAGAIN && errno != EINTR { drop(id) }
            return
        }
        if count == 0 { client.hasFinished = true }
        client.input.append(bytes.prefix(count))
        takeLine(of: client, id: id)
    }

    /// Begins the client's next request if one is complete and none is under way.
    private mutating func takeLine(of client: Client, id: Int) {
        while !client.isBusy, !client.isLeaving {
            guard let line = client.input.next() ?? (client.hasFinished ? client.input.rest() : nil) else {
                if client.input.hasOverflowed {
                    client.refuse(
                        ControlProblem(.badRequest, "a request has at most \(ControlMessage.longestRequest) bytes")
                    )
                }
                return
            }
            if line.isEmpty { continue }
            do {
                let request = try ControlRequest(line: line)
                guard !client.isForOrders || ControlOrders.names.contains(request.command) else {
                    client.refuse(isBusy)
                    return
                }
                client.isBusy = true
                begin(request, of: client.peer, id: id)
            } catch {
                client.say(ControlMessage.reply(id: error.id, .failure(error.problem)))
                client.badLines += 1
                guard client.badLines == options.maximumBadLines else { continue }
                client.refuse(ControlProblem(.badRequest, "\(client.badLines) invalid lines; closing the connection"))
                report("a client of the control socket sent no requests and was disconnected", client.peer)
            }
        }
    }

    private func begin(_ request: ControlRequest, of peer: ControlAccess.Peer, id: Int) {
        let (handler, outbox) = (handler, outbox)
        Task {
            var envelope = ControlOutbox.Envelope(client: id, endsRequest: true)
            let reply: Result<JSONValue, ControlProblem>
            switch await handler(request, peer) {
            case .success(.done(let result)): reply = .success(.object(result))
            case .success(.answer(let result, let reading)):
                reply = .success(.object(result))
                envelope.subscription = .answer(reading)
            case .success(.events(let subscription)):
                reply = .success(.object([:]))
                envelope.subscription = .events(subscription)
            case .success(.status(let subscription)):
                reply = .success(.object([:]))
                envelope.subscription = .status(subscription)
            case .success(.assist(let follower)):
                reply = .success(.object([:]))
                envelope.subscription = .assist(follower)
            case .failure(let problem): reply = .failure(problem)
            }
            envelope.message = ControlMessage.reply(id: request.id, reply)
            outbox.put(envelope)
        }
    }

    // MARK: Output

    private mutating func deliver(_ envelope: ControlOutbox.Envelope) {
        guard let client = clients[envelope.client] else {
            envelope.subscription?.cancel()
            return
        }
        if let sample = envelope.sample {
            let hasRoom = client.waiting < Client.room
            let message = client.feed.message(sample, hasRoom: hasRoom, at: options.clock())
            return message.map(client.say) ?? ()
        }
        if let message = envelope.message { client.say(message) }
        if let line = envelope.line { client.say(line: line) }
        if envelope.endsRequest {
            client.isBusy = false
            client.idleSince = options.clock()
        }
        if envelope.endsSubscription {
            (client.subscription, client.events) = (nil, nil)
            client.idleSince = options.clock()
        }
        if let subscription = envelope.subscription {
            // A second subscription would only deliver every event twice.
            client.subscription?.cancel()
            client.events?.cancel()
            client.subscription = subscription
            client.feed = StatusFeed()
            let (outbox, id) = (outbox, envelope.client)
            client.events = Task {
                switch subscription {
                case .events(let events):
                    for await event in events.stream {
                        outbox.put(.init(client: id, message: ControlMessage.event(event)))
                    }
                case .answer(let reading):
                    for await text in reading.parts {
                        outbox.put(.init(client: id, message: ControlMessage.answer(text)))
                    }
                    guard !Task.isCancelled else { return }
                    outbox.put(.init(client: id, message: ControlMessage.answer(nil), endsSubscription: true))
                case .status(let status):
                    await status.run { outbox.put(.init(client: id, sample: $0)) }
                case .assist(let follower):
                    for await line in follower.lines {
                        guard outbox.put(.init(client: id, line: ControlMessage.line(line))) else { break }
                    }
                    follower.cancel()
                    guard !Task.isCancelled else { return }
                    outbox.put(.init(client: id, message: ControlMessage.assistEnded, endsSubscription: true))
                }
            }
        }
        takeLine(of: client, id: envelope.client)
    }

    /// Sends what is pending; a client that leaves too much unread is disconnected.
    private mutating func write(_ id: Int) {
        guard let client = clients[id] else { return }
        var hasFailed = false
        client.write { bytes in
            while true {
                let count = send(client.socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                if count < 0 && errno == EINTR { continue }
                hasFailed = count < 0 && errno != EAGAIN
                return count
            }
        }
        if hasFailed || client.isDone { return drop(id) }
        guard client.waiting > options.longestOutput else { return }
        report("a client of the control socket did not read and was disconnected", client.peer)
        drop(id)
    }
}
