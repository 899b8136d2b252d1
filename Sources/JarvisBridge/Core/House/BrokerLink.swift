internal import CLinux
internal import CMosquitto
internal import Glibc
internal import Synchronization
internal import VoiceBase
internal import VoiceNetwork

/// The connection to the broker, made again whenever it is lost. One thread owns all of libmosquitto.
final class BrokerLink: Sendable {
    /// Seconds of silence after which each side pings the other.
    private static let keepAlive: Int32 = 30
    /// Bytes of a message that the broker may send, in MQTT 5: the longest command is shorter.
    private static let longestMessage: UInt32 = 16 << 10
    /// Messages of the broker that wait for the event loop; beyond it no further one is read.
    private static let mostIncoming = 64
    /// Messages handed to libmosquitto that the broker has not confirmed; beyond it no further one is handed over.
    private static let mostUnconfirmed = 16
    /// Pauses between two attempts, in seconds; the last one repeats.
    private static let pauses: [Double] = [1, 2, 5, 10, 30, 60]

    /// Messages that wait to be published: bounded, because a topic has one retained message, and events have a limit.
    private struct Outbox {
        var subscriptions: [String] = []
        var states: [(topic: String, payload: String)] = []
        var events: [(topic: String, payload: String)] = []
        var isConnected = false

        mutating func add(_ effect: HouseMachine.Effect) {
            guard isConnected else { return }
            switch effect {
            case .subscribe(let topics): subscriptions = topics
            case .publish(let topic, let payload, true):
                if let index = states.firstIndex(where: { $0.topic == topic }) {
                    states[index].payload = payload
                } else {
                    states.append((topic, payload))
                }
            case .publish(let topic, let payload, false):
                if events.count == HouseMachine.mostEvents { events.removeFirst() }
                events.append((topic, payload))
            default: break
            }
        }
    }

    private let settings: HouseSettings
    private let password: Secret?
    private let identity: String
    private let isTrial: Bool
    private let log: @Sendable (String) -> Void
    private let deliver: @Sendable (HouseMachine.Event) -> Void
    private let outbox = Mutex(Outbox())
    private let incoming = Atomic<Int>(0)
    /// Wakes the thread.
    private let bell: Int32

    /// - Parameters:
    ///   - isTrial: whether the link is only for `trial`.
    ///   - deliver: gets the broker's messages, on the link's thread; call `taken` after each message.
    /// - Throws: why the system has no descriptor for `bell`.
    init(
        _ settings: HouseSettings,
        password: Secret?,
        identity: String,
        isTrial: Bool = false,
        log: @escaping @Sendable (String) -> Void,
        deliver: @escaping @Sendable (HouseMachine.Event) -> Void
    ) throws(SystemError) {
        (self.settings, self.password, self.identity, self.isTrial, self.log, self.deliver) = (
            settings, password, identity, isTrial, log, deliver
        )
        bell = clinux_eventfd()
        guard bell >= 0 else { throw SystemError(code: errno) }
    }

    /// Runs until the process ends.
    func start() throws(SystemError) {
        mosquitto_lib_init()
        _ = try OwnThread("jb-mqtt") { [self] in
            var failures = 0
            var lastProblem = ""
            while true {
                let session = BrokerSession()
                let problem = run(session)
                if session.isAccepted {
                    outbox.withLock { $0 = Outbox() }
                    deliver(.disconnected)
                    failures = 0
                    lastProblem = ""
                }
                if problem != lastProblem { log("no MQTT broker at \(settings.broker): \(problem)") }
                lastProblem = problem
                let pause = Self.pauses[min(failures, Self.pauses.count - 1)]
                failures += 1
                usleep(UInt32(pause * .random(in: 0.75...1.25) * 1_000_000))
            }
        }
    }

    /// Connects once, and disconnects again.
    ///
    /// - Returns: why the connection fails, in words for people; nil if the broker accepts the user and the password.
    func trial() -> String? {
        mosquitto_lib_init()
        let session = BrokerSession()
        let problem = run(session)
        return session.isAccepted ? nil : problem
    }

    /// Takes messages to publish; call it in the order of the machine's effects.
    func send(_ effects: [HouseMachine.Effect]) {
        guard !effects.isEmpty else { return }
        outbox.withLock { outbox in for effect in effects { outbox.add(effect) } }
        ring()
    }

    /// A message has been handled.
    func taken() {
        if incoming.subtract(1, ordering: .relaxed).newValue == Self.mostIncoming - 1 { ring() }
    }

    private func ring() { clinux_eventfd_signal(bell) }

    // MARK: - One connection

    /// Connects, and runs until the connection is lost.
    ///
    /// - Returns: why it was lost, in words for people.
    private func run(_ session: BrokerSession) -> String {
        let host: String
        switch address() {
        case .success(let found): host = found
        case .failure(let problem): return problem.description
        }
        var problem = connect(session, to: host, version: MQTT_PROTOCOL_V5)
        if session.isOfOtherVersion {
            session.renew()
            problem = connect(session, to: host, version: MQTT_PROTOCOL_V311)
        }
        session.end()
        return problem
    }

    /// The place to connect to. Without encryption it is an address, judged before: the name might lead elsewhere a moment later.
    private func address() -> Result<String, BridgeConfiguration.Problem> {
        if settings.isEncrypted { return .success(settings.host) }
        let found = NetworkAddress.lookUp(settings.host)
        switch TransportVerdict.judge(
            isEncrypted: false,
            allowsPlain: false,
            addresses: found,
            ownLinks: NetworkPrefix.ownLinks()
        ) {
        case .near(let address, _): return .success(address.text)
        case .exposed: return .failure(.init("it \(HouseSettings.exposed)"))
        default: return .failure(.init("the name has no address: see mqtt.broker"))
        }
    }

    private func connect(_ session: BrokerSession, to host: String, version: Int32) -> String {
        guard let client = session.begin(clientID: "jarvis-\(identity)") else { return "there is no memory for it" }
        mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, version)
        mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1)
        let offline = HouseMachine.offline
        if !isTrial {
            mosquitto_will_set(client, HouseMachine.availability(identity), Int32(offline.utf8.count), offline, 1, true)
        }
        if let user = settings.user { mosquitto_username_pw_set(client, user, password?.revealed) }
        if settings.isEncrypted {
            let folder = settings.authorities == nil ? "/etc/ssl/certs" : nil
            guard mosquitto_tls_set(client, settings.authorities, folder, nil, nil, nil) == success else {
                return "the certificates to trust cannot be read: see mqtt.ca_file"
            }
        }
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if version == MQTT_PROTOCOL_V5 {
            mosquitto_property_add_int32(
                &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), Self.longestMessage
            )
        }
        var result = mosquitto_connect_bind_v5(
            client, host, Int32(settings.port), Self.keepAlive, nil, properties
        )
        let began = Monotonic.now()
        while result == success {
            // A broker answers a connection within moments.
            if !session.isAccepted, Monotonic.now() > began + .seconds(15) { return "it does not answer" }
            result = turn(session, client)
            if let refusal = session.refusal { return refusal }
            if isTrial, session.isAccepted {
                mosquitto_disconnect(client)
                return ""
            }
        }
        return session.problem(result, isEncrypted: settings.isEncrypted)
    }

    /// Waits for an event of the socket or the bell, and handles it.
    private func turn(_ session: BrokerSession, _ client: OpaquePointer) -> Int32 {
        let socket = mosquitto_socket(client)
        guard socket >= 0 else { return Int32(MOSQ_ERR_CONN_LOST.rawValue) }
        let hasRoom = incoming.load(ordering: .relaxed) < Self.mostIncoming
        var wanted = hasRoom ? Int16(POLLIN) : 0
        if mosquitto_want_write(client) { wanted |= Int16(POLLOUT) }
        var polled = [
            pollfd(fd: socket, events: wanted, revents: 0), pollfd(fd: bell, events: Int16(POLLIN), revents: 0),
        ]
        // libmosquitto looks at its clock in mosquitto_loop_misc.
        let count = poll(&polled, 2, session.isAccepted ? 5000 : 1000)
        if count < 0, errno != EINTR { return Int32(MOSQ_ERR_ERRNO.rawValue) }
        if polled[1].revents != 0 { _ = clinux_eventfd_take(bell) }
        var result = success
        if polled[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
            result = mosquitto_loop_read(client, 1)
            take(session)
        }
        if result == success, polled[0].revents & Int16(POLLOUT) != 0 { result = mosquitto_loop_write(client, 1) }
        if result == success { result = mosquitto_loop_misc(client) }
        return result == success && session.isAccepted ? say(session, client) : result
    }

    /// Delivers the messages that have arrived.
    private func take(_ session: BrokerSession) {
        if session.isNew {
            session.isNew = false
            outbox.withLock { $0 = Outbox(isConnected: true) }
            log("the MQTT broker at \(settings.broker) is there")
            deliver(.connected)
        }
        for message in session.messages {
            incoming.add(1, ordering: .relaxed)
            deliver(message)
        }
        session.messages = []
    }

    /// Publishes waiting messages, as far as the broker accepts them.
    private func say(_ session: BrokerSession, _ client: OpaquePointer) -> Int32 {
        while session.unconfirmed < Self.mostUnconfirmed, !mosquitto_want_write(client) {
            let (topics, message, isRetained) = outbox.withLock { outbox in
                let topics = outbox.subscriptions
                outbox.subscriptions = []
                if !topics.isEmpty { return (topics, nil as (topic: String, payload: String)?, false) }
                if !outbox.states.isEmpty { return (topics, outbox.states.removeFirst(), true) }
                return (topics, outbox.events.isEmpty ? nil : outbox.events.removeFirst(), false)
            }
            var result = success
            for topic in topics where result == success { result = mosquitto_subscribe(client, nil, topic, 1) }
            if let message {
                session.unconfirmed += 1
                result = mosquitto_publish(
                    client, nil, message.topic, Int32(message.payload.utf8.count), message.payload, isRetained ? 1 : 0,
                    isRetained
                )
            } else if topics.isEmpty {
                return success
            }
            guard result == success else { return result }
        }
        return success
    }
}

private let success = Int32(MOSQ_ERR_SUCCESS.rawValue)

/// One connection, as libmosquitto's callbacks see it. Used by the link's thread alone.
private final class BrokerSession {
    private var client: OpaquePointer?
    private(set) var isAccepted = false
    /// The connection was accepted, and that has not been delivered yet.
    var isNew = false
    /// Why the broker refuses the connection.
    private(set) var refusal: String?
    /// The broker speaks an older version of the protocol.
    private(set) var isOfOtherVersion = false
    var messages: [HouseMachine.Event] = []
    var unconfirmed = 0
    /// The complaint of the library for encryption.
    private var complaint = ""
    private var isReplaced = false

    /// - Returns: nil if there is no memory.
    func begin(clientID: String) -> OpaquePointer? {
        client = mosquitto_new(clientID, true, Unmanaged.passUnretained(self).toOpaque())
        guard let client else { return nil }
        mosquitto_connect_callback_set(client) { _, context, code in BrokerSession.of(context)?.connected(code) }
        mosquitto_disconnect_callback_set(client) { _, context, code in
            BrokerSession.of(context)?.isReplaced = code == Int32(MQTT_RC_SESSION_TAKEN_OVER.rawValue)
        }
        mosquitto_publish_callback_set(client) { _, context, _ in BrokerSession.of(context)?.unconfirmed -= 1 }
        mosquitto_message_callback_set(client) { _, context, message in
            guard let message = message?.pointee, let topic = message.topic else { return }
            let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(max(0, message.payloadlen)))
            BrokerSession.of(context)?.messages.append(
                .message(topic: String(cString: topic), payload: Array(payload), isRetained: message.retain)
            )
        }
        mosquitto_log_callback_set(client) { _, context, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            BrokerSession.of(context)?.complaint += String(cString: text)
        }
        return client
    }

    /// Resets the state for another attempt with the same object.
    func renew() {
        end()
        (refusal, isOfOtherVersion, messages, unconfirmed, complaint) = (nil, false, [], 0, "")
    }

    func end() {
        if let client { mosquitto_destroy(client) }
        client = nil
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> BrokerSession? {
        context.map { Unmanaged<BrokerSession>.fromOpaque($0).takeUnretainedValue() }
    }

    private func connected(_ code: Int32) {
        switch code {
        case 0: (isAccepted, isNew) = (true, true)
        // The codes of version 3.1.1 and of version 5.
        case 1, Int32(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue):
            isOfOtherVersion = true
            refusal = "it speaks neither version 5 nor version 3.1.1 of MQTT"
        case 4, 5, Int32(MQTT_RC_BAD_USERNAME_OR_PASSWORD.rawValue), Int32(MQTT_RC_NOT_AUTHORIZED.rawValue):
            refusal = "it refuses user or password: see mqtt.user and the credential \(HouseSettings.credential)"
        default: refusal = "it refuses the connection: " + String(cString: mosquitto_reason_string(code))
        }
    }

    /// Why the connection has ended, in words for people.
    func problem(_ result: Int32, isEncrypted: Bool) -> String {
        if isReplaced {
            return "another box with the same identity has taken its place: remove the file identity of one"
        }
        if complaint.contains("certificate verify failed") || complaint.contains("host name verification failed") {
            return "its certificate is not trusted, or for another name: see mqtt.broker and mqtt.ca_file"
        }
        switch result {
        case Int32(MOSQ_ERR_ERRNO.rawValue): return String(cString: strerror(errno))
        case Int32(MOSQ_ERR_EAI.rawValue): return "the name has no address: see mqtt.broker"
        case Int32(MOSQ_ERR_TLS.rawValue): return "it does not speak TLS as expected: see mqtt.broker"
        case Int32(MOSQ_ERR_CONN_LOST.rawValue) where !isAccepted:
            return isEncrypted ? "it ends the connection: does that port speak TLS?" : "it ends the connection"
        default: return String(cString: mosquitto_strerror(result)).trimmedFullStop
        }
    }
}

extension String {
    fileprivate var trimmedFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
