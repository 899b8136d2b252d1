internal import NIOCore
package import VoiceBase

/// Shows the daemon to Home Assistant: passes events to `HouseMachine`, and carries out its effects. Lives on the event
/// loop.
final class HouseObserver: StatusObserver {
    /// How often the machine's package lists are read.
    private static let readingLists = TimeAmount.hours(6)

    private var machine: HouseMachine
    private let loop: any EventLoop
    private let socket: String
    private let log: @Sendable (String) -> Void
    private var link: BrokerLink?

    /// - Parameter socket: the daemon's.
    init(
        _ house: House,
        loop: any EventLoop,
        socket: String,
        log: @escaping @Sendable (String) -> Void
    ) {
        machine = HouseMachine(house.settings, identity: house.identity.name, place: .random(in: 0..<1))
        (self.loop, self.socket, self.log) = (loop, socket, log)
    }

    /// Connects, from now on.
    func start(_ house: House) throws(SystemError) {
        let bound = NIOLoopBound(self, eventLoop: loop)
        let link = try BrokerLink(
            house.settings,
            password: house.password,
            identity: house.identity.name,
            log: log
        ) { [loop] event in
            loop.execute {
                bound.value.handle(event)
                if case .message = event { bound.value.link?.taken() }
            }
        }
        self.link = link
        try link.start()
        loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: Self.readingLists) { _ in bound.value.readLists() }
    }

    func see(_ look: StatusLook) {
        switch look {
        case .came: break
        case .line(_, .object(let changed)?, _) where changed.keys.allSatisfy({ $0 == "levels" }): break
        case .line(_, _, let values): handle(.status(values))
        case .gone: handle(.status(nil))
        }
    }

    /// On a thread of its own: the disk may be slow.
    private func readLists() {
        let bound = NIOLoopBound(self, eventLoop: loop)
        _ = OwnThread.start("jb-packages") { [loop] in
            let newest = PackageVersion.newestOnOffer()?.text
            loop.execute { bound.value.handle(.offered(newest)) }
        }
    }

    private func handle(_ event: HouseMachine.Event) {
        let now = HouseMachine.Moment(uptime: Monotonic.now(), wall: WallClock.seconds())
        let effects = machine.handle(event, at: now)
        link?.send(effects)
        for effect in effects {
            switch effect {
            case .order(let entity, let order): give(order, of: entity)
            case .look(let pause):
                let bound = NIOLoopBound(self, eventLoop: loop)
                loop.scheduleTask(in: .milliseconds(Int64(pause.wholeMilliseconds))) { bound.value.handle(.look) }
            case .log(let line): log(line)
            case .subscribe, .publish: break
            }
        }
    }

    private func give(_ order: HouseOrder, of entity: String) {
        order.give(socket, on: loop) { [self] _, problem in handle(.answered(entity: entity, problem: problem)) }
    }
}

extension HouseOrder {
    /// The slowest command waits nine seconds for the voice service.
    private static let patience = TimeAmount.seconds(12)

    /// Gives the daemon the order, on its own connection: like a page's order, it cannot give a permission.
    ///
    /// - Parameters:
    ///   - socket: the daemon's.
    ///   - isOwn: whether the order is the bridge's own, which no one in the network can give.
    ///   - answer: gets the result, or why there is none.
    func give(
        _ socket: String,
        on loop: any EventLoop,
        isOwn: Bool = false,
        answer: @escaping (_ result: JSONValue?, _ problem: String?) -> Void
    ) {
        var reply: JSONValue?
        let order: JSONValue = ["arguments": .object(arguments.mapValues { .string($0) })]
        DaemonLines.open(
            socket,
            on: loop,
            sending: BridgeHub.request(command, order, isRemote: !isOwn),
            patience: Self.patience,
            onLine: { line, _ in
                reply = line
                return "answered"
            },
            onEnd: { reason in
                guard reply?["ok"] == true else {
                    return answer(nil, reply?["error"]?["message"]?.stringValue ?? reason)
                }
                answer(reply?["result"] ?? [:], nil)
            }
        )
    }
}

/// The bridge's settings for the house.
package struct House: Sendable {
    package var settings: HouseSettings
    package var password: Secret?
    package var identity: HouseIdentity

    package init(_ settings: HouseSettings, password: Secret?, identity: HouseIdentity) {
        (self.settings, self.password, self.identity) = (settings, password, identity)
    }
}
