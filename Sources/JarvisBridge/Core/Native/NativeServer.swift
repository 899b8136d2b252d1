internal import NIOCore
internal import NIOPosix
package import VoiceBase

/// The bridge's settings for the native API.
package struct NativeBox: Sendable {
    package var settings: NativeSettings
    package var identity: HouseIdentity
    /// nil without encryption.
    package var key: Secret?

    package init(_ settings: NativeSettings, identity: HouseIdentity, key: Secret?) {
        (self.settings, self.identity, self.key) = (settings, identity, key)
    }
}

/// The box as a device of the ESPHome native API: the state that all connections share. Lives on the event loop.
final class NativeServer: StatusObserver {
    /// Bytes that may wait for a client that does not read.
    private static let waiting = ChannelOptions.Types.WriteBufferWaterMark(low: 32 << 10, high: 128 << 10)

    private let box: NativeBox
    private let loop: any EventLoop
    private let socket: String
    private let log: @Sendable (String) -> Void
    let assist: NativeAssist
    /// Whether every client has shown the key. Only then may a client get the sound of the room, or open the microphone.
    var arePaired: Bool
    private var connections: [ObjectIdentifier: NativeConnection] = [:]
    private var book = ConnectionBook()
    private var places = CommandPlaces()
    private var announcements = NativeAnnouncements()
    private var news = HouseNews()
    private var timers = TimerClock()
    /// nil while the daemon is away.
    private var house: NativeHouse?
    private var notes = LossMeter()

    /// - Parameter socket: the daemon's.
    init(_ box: NativeBox, loop: any EventLoop, socket: String, log: @escaping @Sendable (String) -> Void) {
        (self.box, self.loop, self.socket, self.log) = (box, loop, socket, log)
        assist = NativeAssist(loop: loop, socket: socket)
        arePaired = box.settings.isEncrypted
        assist.server = self
    }

    func connection(_ owner: ObjectIdentifier) -> NativeConnection? { connections[owner] }

    /// Listens from now on.
    func start() -> EventLoopFuture<any Channel> {
        let bound = NIOLoopBound(self, eventLoop: loop)
        return ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_sndbuf), value: 128 << 10)
            .childChannelOption(.writeBufferWaterMark, value: Self.waiting)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let silence = TimeAmount.milliseconds(Int64(NativeMachine.silence.wholeMilliseconds))
                    try channel.pipeline.syncOperations.addHandlers([
                        IdleStateHandler(readTimeout: silence), NativeConnection(bound.value),
                    ])
                }
            }
            .bind(host: box.settings.listen, port: box.settings.port)
    }

    // MARK: - Connections

    /// Whether the daemon is there, so that there is a status to report.
    var isReady: Bool { house != nil }

    func newConnection() -> (NativeWire, NativeMachine) {
        let wire = NativeWire.Box(
            name: NativeMachine.host(house?.name ?? ""), address: box.identity.cardAddress,
            key: box.settings.isEncrypted ? box.key.flatMap(NativeKey.bytes) ?? [] : nil
        )
        return (NativeWire(wire), NativeMachine(box.settings, address: box.identity.cardAddress, house: house))
    }

    /// Makes room for a new connection if necessary.
    func connected(_ connection: NativeConnection, from address: String) {
        connections[ObjectIdentifier(connection)] = connection
        let network = IPAddress(address)?.network ?? []
        if let loser = book.opened(ObjectIdentifier(connection), from: network) { connections[loser]?.close() }
    }

    func isKnown(_ connection: NativeConnection) { book.isKnown(ObjectIdentifier(connection)) }

    func disconnected(_ connection: NativeConnection) {
        connections[ObjectIdentifier(connection)] = nil
        book.closed(ObjectIdentifier(connection))
        handle(.left(ObjectIdentifier(connection)))
        assist.left(connection)
    }

    func refused(_ reason: String) { note("a connection for Home Assistant was refused: \(reason)") }

    /// One line for many events: anyone in the network can cause any number.
    func note(_ line: String) {
        let now = Monotonic.now()
        notes.add(1, at: now)
        guard let count = notes.dequeue(at: now, isOver: true) else { return }
        log(count == 1 ? line : "\(line), and \(count - 1) other problems before it")
    }

    // MARK: - The daemon

    func see(_ look: StatusLook) {
        switch look {
        case .came: break
        case .line(_, .object(let changed)?, _) where changed.keys.allSatisfy({ $0 == "levels" }): break
        case .line(_, _, let values): learn(values)
        case .gone:
            news.forget()
            timers.forget()
            assist.wanted(false)
            guard house != nil else { return }
            house = nil
            tell(.house(nil))
        }
    }

    private func learn(_ values: [String: JSONValue]) {
        timers.learn(values, at: WallClock.seconds())
        let tellsWords = box.settings.tellsWords
        let events = news.learn(values, tellsWords: tellsWords).compactMap { NativeEntity.event($0) }
        var now = NativeHouse(values, timers.status(values, newest: nil, tellsWords: tellsWords))
        if !arePaired { now.hears = false }
        if now != house {
            house = now
            tell(.house(now))
        }
        if !events.isEmpty { tell(.news(events)) }
        assist.wanted(values["house_hears"] != nil)
    }

    private func tell(_ event: NativeMachine.Event) {
        // A connection that ends here leaves the list.
        for connection in Array(connections.values) { connection.handle(event) }
    }

    // MARK: - Orders

    /// The address of a home that has shown the key, and so is genuine; nil without encryption, where anyone may pretend to be it.
    func home(of connection: NativeConnection) -> String? {
        guard box.settings.isEncrypted, let address = connection.address else { return nil }
        return IPAddress(address) == nil ? nil : address
    }

    func give(_ order: HouseOrder, of entity: String, for connection: NativeConnection) {
        let order = order.from(home: home(of: connection))
        guard places.take(order.command) else {
            let bound = NIOLoopBound(connection, eventLoop: loop)
            return loop.execute {
                bound.value.handle(.answered(entity: entity, problem: "too many orders at the same time"))
            }
        }
        order.give(socket, on: loop) { [self] _, problem in
            places.leave(order.command)
            connection.handle(.answered(entity: entity, problem: problem))
        }
    }

    func announce(_ addresses: [String], _ number: Int?, for connection: NativeConnection) {
        let owner = ObjectIdentifier(connection)
        handle(.add(.init(owner: owner, number: number, addresses: addresses, home: home(of: connection))))
    }

    private func handle(_ event: NativeAnnouncements.Event) {
        for effect in announcements.handle(event) {
            switch effect {
            case .play(let addresses, let home):
                let order = HouseOrder("media", ["action": "interject", "what": addresses.joined(separator: " ")])
                    .from(home: home)
                order.give(socket, on: loop) { [self] _, problem in
                    if let problem { note("an announcement of Home Assistant: \(problem)") }
                    handle(.begun(problem: problem))
                }
            case .look:
                let bound = NIOLoopBound(self, eventLoop: loop)
                let pause = TimeAmount.milliseconds(Int64(NativeAnnouncements.pause.wholeMilliseconds))
                loop.scheduleTask(in: pause) { bound.value.look() }
            case .ended(let item, let isDone):
                guard let number = item.number else { break }
                connections[item.owner]?.handle(.announced(number, isDone: isDone))
            }
        }
    }

    private func look() {
        // Asks the daemon, because the observed status may be older than the sound; the journal leaves such a question out.
        HouseOrder("status").give(socket, on: loop) { [self] status, _ in
            // Without an answer the sound may continue, unless the daemon is gone.
            let media = status?["media"]
            let isOver = status == nil ? house == nil : media?["interjects"] != true
            handle(.looked(isOver: isOver, isCut: media?["interjection_cut"] == true))
        }
    }
}

extension NativeHouse {
    /// - Parameter values: of the daemon.
    init(_ values: [String: JSONValue], _ status: HouseStatus) {
        let rows = NativeEntity.all.filter { status.tellsWords || !$0.row.tellsWords }
        self.init(
            name: values["name"]?.stringValue ?? BoxName.shown(""),
            version: values["version"]?.stringValue ?? "",
            states: [NativePlayer.state(values)] + rows.compactMap { $0.state(status) }
        )
        hears = values["house_hears"] == true
        words = NativeWords(values)
    }
}
