internal import CLinux
internal import Glibc
internal import Synchronization
internal import VoiceBase
package import VoiceNetwork

/// Why a connection to a Wyoming server ended that was not closed here.
package struct WyomingEnd: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: Equatable, Sendable {
        /// Nobody answers at the address.
        case away
        /// The server accepted the connection but did not answer in time.
        case late
        /// The server closed.
        case closed
        /// The server sends unreadable or oversized messages, or does not take what it is sent.
        case garbage
        /// The address is outside the local network.
        case exposed
    }

    package var kind: Kind
    package var description: String
}

/// Connections to the Wyoming servers of the house, all served by one thread that waits for nothing else.
///
///     network thread -- command, wake-up --> [ jv-wyoming: poll ] -- messages, ends --> `report`, on the network thread
///
/// Bounds: data a server does not take is kept up to `longestUnsent`, and incoming messages are bounded by
/// `WyomingDecoder`; beyond that the connection ends. Every wait has a limit, set by the owner.
package final class WyomingSockets: Sendable {
    package enum Event: Sendable {
        case opened
        case message(WyomingEvent)
        case ended(WyomingEnd)
    }

    /// In bytes: thirty seconds of sound at 16 kHz, four times over.
    static let longestUnsent = 4 << 20
    /// Sound that may wait for a thread that hangs, in messages. More is dropped; every other command is accepted.
    private static let mostCommands = 20_000
    /// Events that may wait for the network thread. Meanwhile the servers are not read.
    fileprivate static let mostEvents = 256

    fileprivate enum Command: Sendable {
        case open(Int, WyomingAddress, allowsPublic: Bool, limit: Duration)
        case resolved(Int, [NetworkAddress])
        case send(Int, [UInt8])
        case limit(Int, Duration?)
        case close(Int)
        case stop
    }

    private struct State {
        var commands: [Command] = []
        var isStopped = false
        var connections = 0
    }

    private let state = Mutex(State())
    fileprivate let wakeUp = clinux_eventfd()
    /// A box: a closure stored directly in a generic container is wrapped once more by each access, until calling it
    /// overflows the stack.
    private final class Reporter: Sendable {
        let report: @Sendable (Int, Event) -> Void

        init(_ report: @escaping @Sendable (Int, Event) -> Void) { self.report = report }
    }

    /// Released when the thread ends.
    private let reporter: Mutex<Reporter?>

    /// Where events are reported; nil for this thread.
    private let network: NetworkThread?
    /// Events that wait for the network thread.
    private let waiting = Atomic<Int>(0)
    fileprivate var mayRead: Bool { waiting.load(ordering: .acquiring) < Self.mostEvents }

    /// - Parameters:
    ///   - network: where `report` is called; nil for a thread of its own, which it must not block.
    ///   - report: receives the number of the connection.
    package init(on network: NetworkThread? = nil, report: @escaping @Sendable (Int, Event) -> Void) {
        self.network = network
        reporter = Mutex(Reporter(report))
    }

    deinit { Glibc.close(wakeUp) }

    /// - Returns: false if the system refuses the thread.
    package func start() -> Bool {
        wakeUp >= 0 && OwnThread.start("jv-wyoming") { WyomingLoop(self).run() }
    }

    /// Opens a connection.
    ///
    /// - Parameter limit: for connecting; the first answer has a limit of its own (`limit`).
    /// - Returns: its number.
    package func open(to address: WyomingAddress, allowsPublic: Bool, within limit: Duration) -> Int {
        let number = state.withLock { state in
            state.connections += 1
            return state.connections
        }
        put(.open(number, address, allowsPublic: allowsPublic, limit: limit))
        return number
    }

    /// Sends a request; may be called before the connection is established.
    package func send(_ request: WyomingRequest, on number: Int) { put(.send(number, request.frame.bytes)) }

    package func send(_ bytes: [UInt8], on number: Int) { put(.send(number, bytes)) }

    /// Ends the connection unless the limit is set again within this time; nil removes the limit. While the connection is
    /// still being established, the limit counts from then on.
    package func limit(_ limit: Duration?, on number: Int) { put(.limit(number, limit)) }

    /// Closes a connection. Nothing more is reported of it, except events already on their way.
    package func close(_ number: Int) { put(.close(number)) }

    /// Closes all, for good.
    package func stop() { put(.stop) }

    fileprivate func put(_ command: Command) {
        state.withLock { state in
            if case .send = command, state.commands.count >= Self.mostCommands { return }
            guard !state.isStopped else { return }
            state.commands.append(command)
            if case .stop = command { state.isStopped = true }
        }
        clinux_eventfd_signal(wakeUp)
    }

    fileprivate func report(_ number: Int, _ event: Event) {
        guard let reporter = reporter.withLock({ $0 }) else { return }
        guard let network else { return reporter.report(number, event) }
        waiting.wrappingAdd(1, ordering: .relaxed)
        network.enqueue { [self] in
            reporter.report(number, event)
            let before = waiting.wrappingSubtract(1, ordering: .acquiringAndReleasing).oldValue
            if before == Self.mostEvents { clinux_eventfd_signal(wakeUp) }
        }
    }

    /// Releases the reporter: the thread is about to end.
    fileprivate func ended() { reporter.withLock { $0 = nil } }

    fileprivate func dequeue() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }
}

/// The state of the thread, confined to it.
private final class WyomingLoop {
    private final class Line {
        let address: WyomingAddress
        let allowsPublic: Bool
        var socket: Int32 = -1
        var isOpen = false
        var waiting: [NetworkAddress] = []
        var decoder = WyomingDecoder()
        var unsent: [UInt8] = []
        var sent = 0
        var deadline: Duration?
        /// The limit set before the connection was open: its requests leave when it opens.
        var limitOnceOpen: Duration?

        init(_ address: WyomingAddress, allowsPublic: Bool) {
            self.address = address
            self.allowsPublic = allowsPublic
        }

        deinit { if socket >= 0 { close(socket) } }
    }

    private let owner: WyomingSockets
    private var lines: [Int: Line] = [:]
    private var isStopped = false
    private var room = [UInt8](repeating: 0, count: 64 << 10)

    init(_ owner: WyomingSockets) { self.owner = owner }

    func run() {
        while !isStopped {
            let order = lines.filter { $0.value.socket >= 0 }.map { ($0.key, $0.value) }
            var polls = [pollfd(fd: owner.wakeUp, events: Int16(POLLIN), revents: 0)]
            for (_, line) in order {
                let writes = !line.isOpen || line.sent < line.unsent.count
                let events = (line.isOpen && owner.mayRead ? POLLIN : 0) | (writes ? POLLOUT : 0)
                polls.append(pollfd(fd: line.socket, events: Int16(events), revents: 0))
            }
            poll(&polls, nfds_t(polls.count), pause)
            if polls[0].revents != 0 { _ = clinux_eventfd_take(owner.wakeUp) }
            for command in owner.dequeue() { perform(command) }
            for (place, (number, line)) in order.enumerated() where lines[number] === line {
                let events = Int32(polls[place + 1].revents)
                if events != 0, line.socket == polls[place + 1].fd { serve(number, line, events) }
            }
            expire()
        }
        lines = [:]
        owner.ended()
    }

    /// Milliseconds until the next limit.
    private var pause: Int32 {
        guard let next = lines.values.compactMap(\.deadline).min() else { return -1 }
        let left = (next - Monotonic.now()).wholeMilliseconds
        return Int32(min(max(left + 1, 0), 60_000))
    }

    private func expire() {
        let now = Monotonic.now()
        for (number, line) in lines {
            guard let deadline = line.deadline, deadline <= now else { continue }
            if line.isOpen {
                end(number, .late, "does not answer in time")
            } else {
                end(number, .away, "does not answer")
            }
        }
    }

    private func perform(_ command: WyomingSockets.Command) {
        switch command {
        case .open(let number, let address, let allowsPublic, let limit):
            let line = Line(address, allowsPublic: allowsPublic)
            line.deadline = Monotonic.now() + limit
            lines[number] = line
            if let known = NetworkAddress(text: address.host) {
                line.waiting = [known]
                connect(number, line)
            } else {
                lookUp(number, address.host)
            }
        case .resolved(let number, let addresses):
            guard let line = lines[number] else { return }
            guard !addresses.isEmpty else { return end(number, .away, "has no address") }
            line.waiting = addresses
            connect(number, line)
        case .send(let number, let bytes):
            guard let line = lines[number] else { return }
            guard line.unsent.count - line.sent + bytes.count <= WyomingSockets.longestUnsent else {
                return end(number, .garbage, "does not take what it is sent")
            }
            line.unsent += bytes
            if line.isOpen { flush(number, line) }
        case .limit(let number, let limit):
            guard let line = lines[number] else { return }
            if line.isOpen { line.deadline = limit.map { Monotonic.now() + $0 } } else { line.limitOnceOpen = limit }
        case .close(let number): lines[number] = nil
        case .stop: isStopped = true
        }
    }

    /// Resolves on a thread of its own: name servers may take seconds.
    private func lookUp(_ number: Int, _ host: String) {
        let owner = owner
        let isStarted = OwnThread.start("jv-lookup") { owner.put(.resolved(number, NetworkAddress.lookUp(host))) }
        if !isStarted { end(number, .away, "cannot be resolved") }
    }

    private func end(_ number: Int, _ kind: WyomingEnd.Kind, _ what: String) {
        guard let line = lines.removeValue(forKey: number) else { return }
        let text = "\(line.address.key): the Wyoming server at \(line.address.text) \(what)"
        owner.report(number, .ended(WyomingEnd(kind: kind, description: text)))
    }

    // MARK: Connecting

    private func connect(_ number: Int, _ line: Line) {
        while !line.waiting.isEmpty {
            let address = line.waiting.removeFirst()
            let isNear = TransportVerdict.judge(
                isEncrypted: false,
                allowsPlain: line.allowsPublic,
                addresses: [address],
                ownLinks: NetworkPrefix.ownLinks()
            )
            if case .exposed = isNear {
                if line.waiting.isEmpty {
                    return end(number, .exposed, "is outside this network; local.allow_public = true allows that")
                }
                continue
            }
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = socket(address.family, type, 0)
            guard descriptor >= 0 else { continue }
            var one: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            let status = address.withSocketAddress(port: line.address.port) { Glibc.connect(descriptor, $0, $1) }
            if line.socket >= 0 { close(line.socket) }
            line.socket = descriptor
            if status == 0 { return opened(number, line) }
            if errno == EINPROGRESS { return }
        }
        end(number, .away, "does not answer")
    }

    private func opened(_ number: Int, _ line: Line) {
        line.isOpen = true
        line.deadline = line.limitOnceOpen.map { Monotonic.now() + $0 }
        owner.report(number, .opened)
        flush(number, line)
    }

    // MARK: Bytes

    private func serve(_ number: Int, _ line: Line, _ events: Int32) {
        guard line.isOpen else {
            var problem: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            let isKnown = getsockopt(line.socket, SOL_SOCKET, SO_ERROR, &problem, &length) == 0
            return isKnown && problem == 0 ? opened(number, line) : connect(number, line)
        }
        if events & Int32(POLLIN | POLLHUP | POLLERR) != 0 { receive(number, line) }
        if events & Int32(POLLOUT) != 0, lines[number] === line { flush(number, line) }
    }

    private func flush(_ number: Int, _ line: Line) {
        while line.sent < line.unsent.count {
            let count = line.unsent.withUnsafeBytes { bytes in
                Glibc.send(
                    line.socket,
                    bytes.baseAddress.map { $0 + line.sent },
                    bytes.count - line.sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            if count > 0 {
                line.sent += count
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                return end(number, .closed, "has gone")
            }
        }
        line.unsent.removeAll(keepingCapacity: true)
        line.sent = 0
    }

    private func receive(_ number: Int, _ line: Line) {
        // One read per round, so that a server that floods us does not keep the others waiting.
        let count = room.withUnsafeMutableBytes { recv(line.socket, $0.baseAddress, $0.count, 0) }
        if count == 0 { return end(number, .closed, "has closed the connection") }
        if count < 0 {
            if errno == EAGAIN || errno == EINTR { return }
            return end(number, .closed, "has gone")
        }
        do throws(WyomingFault) {
            for frame in try line.decoder.consume(room[..<count]) {
                owner.report(number, .message(WyomingEvent(frame)))
            }
        } catch {
            let what =
                switch error {
                case .noLines, .noMessage: "sends something that is not a Wyoming message; is it a Wyoming server?"
                case .tooLong: "sends a message that is too long"
                }
            end(number, .garbage, what)
        }
    }
}
