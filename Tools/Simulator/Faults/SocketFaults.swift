/// Faults on the wire of a simulated service, whatever its protocol.
package struct SocketTrouble: Sendable, Equatable {
    /// Determines the plan of each connection.
    package var seed: UInt64
    /// Only this many connections are faulty; later ones are sound.
    package var connections = Int.max
    package var mix = FaultPlan.Mix()
    /// Messages after which every faulty connection is closed, whatever its plan: a plan of passing faults alone would take
    /// minutes to end.
    package var longest = 150
    /// Whether faults of the protocol itself occur as well, one per connection.
    package var hasOwn = false
    /// Error messages in the format of this service.
    package var errors: [String] = [
        #"{"type":"error","error":{"type":"server_error","code":"server_error","message":"The server had an error."}}"#
    ]

    package init(seed: UInt64) {
        self.seed = seed
    }

    /// The status of a refused upgrade. After 401 and 403 a client waits for minutes, so they are replaced.
    func refusal(_ status: Int) -> Int { [429, 500, 503].contains(status) ? status : 503 }

    /// The plan of a connection; nil for a sound one.
    ///
    /// - Parameter connection: counted from 1.
    func plan(_ connection: Int) -> FaultPlan? {
        connection > connections ? nil : FaultPlan(seed: seed, connection: connection, mix: mix).ending(by: longest)
    }

    /// A random source for the protocol's own faults on a connection; nil if it has none.
    func own(_ connection: Int) -> SplitMix? {
        guard hasOwn, connection <= connections else { return nil }
        return SplitMix(seed: seed &* 0x2545_F491 &+ UInt64(connection) &* 0x9E37_79B9)
    }
}

/// The faults of one connection that need no more than a socket and JSON: 19 of the kinds in `FaultKind`. Faults that only
/// the Realtime protocol has (rejected settings, failed responses) are left out. Pure; times are ms since the connection
/// was opened.
struct SocketFaults: Sendable {
    /// Messages kept while the service writes nothing; more than that are lost, as is the session then.
    private static let mostHeld = 4096

    private let errors: [String]
    private var strikes: [FaultPlan.Strike]
    private var sent = 0
    /// Neither reads nor writes any more.
    private(set) var isDead: Bool
    private var writesFrom = 0
    private var readsFrom = 0
    private var unwritten: [SocketOutput] = []
    private var unread: [String] = []
    /// What has struck since it was last asked for.
    private var struck: [FaultKind] = []

    init(_ plan: FaultPlan, errors: [String]) {
        self.errors = errors
        isDead = plan.opening == .silent
        if isDead { struck.append(.silentFromTheStart) }
        if case .lateSettings(let milliseconds) = plan.opening { writesFrom = milliseconds }
        strikes = plan.strikes
    }

    mutating func takeStruck() -> [FaultKind] {
        defer { struck = [] }
        return struck
    }

    /// What the service reads by now, of what the client has sent.
    mutating func read(_ text: String?, at now: Int) -> [String] {
        guard !isDead else { return [] }
        if let text, unread.count < Self.mostHeld { unread.append(text) }
        guard now >= readsFrom else { return [] }
        defer { unread = [] }
        return unread
    }

    /// What goes over the wire in place of these messages.
    mutating func write(_ outputs: [SocketOutput], at now: Int) -> [SocketOutput] {
        guard !isDead else { return [] }
        var left = unwritten + outputs
        unwritten = []
        var result: [SocketOutput] = []
        while !left.isEmpty {
            guard now >= writesFrom else {
                unwritten += left.prefix(Self.mostHeld)
                break
            }
            let output = left.removeFirst()
            sent += 1
            guard let strike = strikes.first, strike.event <= sent, case .send(let event) = output else {
                result.append(output)
                continue
            }
            strikes.removeFirst()
            struck.append(strike.kind)
            guard apply(strike, to: event, at: now, &result) else { break }
        }
        return result
    }

    /// - Returns: false if nothing comes after it.
    private mutating func apply(
        _ strike: FaultPlan.Strike,
        to event: SimulatedJSON,
        at now: Int,
        _ result: inout [SocketOutput]
    ) -> Bool {
        switch strike.kind {
        case .droppedBefore, .reset:
            result.append(.drop)
            return false
        case .droppedAfter:
            result += [.send(event), .drop]
            return false
        case .closed, .expired:
            result.append(.close)
            return false
        case .halfOpen:
            isDead = true
            return false
        case .stalledWriting:
            writesFrom = now + strike.extent
            unwritten = [.send(event)]
        case .stalledReading:
            readsFrom = now + strike.extent
            result.append(.send(event))
        case .duplicated: result += [.send(event), .send(event)]
        case .binary: result.append(.sendBinary(event))
        case .incompleteEvent: result += [.sendText(Self.incomplete(event, strike.extent).text), .send(event)]
        case .wrongTypes: result += [.sendText(Self.wrong(event, strike.extent).text), .send(event)]
        case .errorEvent: result += [.send(event), .sendText(errors[strike.extent % errors.count])]
        default:
            result.append(.send(event))
            if let text = FaultyEvent.text(strike) { result.append(.sendText(text)) }
        }
        return true
    }

    /// The event without one of its members.
    static func incomplete(_ event: SimulatedJSON, _ extent: Int) -> SimulatedJSON {
        change(event, extent) { _ in nil }
    }

    /// The event with a member of another type than it should have.
    static func wrong(_ event: SimulatedJSON, _ extent: Int) -> SimulatedJSON {
        let others: [SimulatedJSON] = [
            .null, .int(7), .int(-1), .number(1e300), .string("x"), .bool(true), .array([.null]),
            .object(["a": .int(1)]),
        ]
        return change(event, extent) { old in
            let other = others[extent % others.count]
            return other == old ? .array([]) : other
        }
    }

    /// Changes one member, its type apart; goes into objects every other time.
    private static func change(
        _ event: SimulatedJSON,
        _ extent: Int,
        _ body: (SimulatedJSON) -> SimulatedJSON?
    ) -> SimulatedJSON {
        guard var members = event.object else { return event }
        let names = members.keys.filter { $0 != "type" }.sorted()
        guard !names.isEmpty else { return event }
        let name = names[extent / 8 % names.count]
        let old = members[name] ?? .null
        if old.object?.isEmpty == false, extent % 2 == 0 {
            members[name] = change(old, extent / 2, body)
        } else {
            members[name] = body(old)
        }
        return .object(members)
    }
}
