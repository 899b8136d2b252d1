internal import Synchronization
package import VoiceBase
package import VoiceConversation
package import VoiceNetwork

/// A voice service over WebSockets: its translator, its capabilities, and how a session is opened.
package protocol SocketService: VoiceService {
    associatedtype Translator: ServiceTranslator

    static func location(_ configuration: Configuration) -> ServiceAddress

    /// Prepares a session.
    ///
    /// - Parameter isTest: whether the session is only to be opened and closed.
    func open(
        on network: NetworkThread, isTest: Bool
    ) async throws(ServiceOpeningFailure) -> ServiceEntry<Translator>

    /// The part of the socket that is special to this service; nil for none.
    func part(_ pump: VoicePump) -> (any SocketPart<Translator>)?
}

/// Facts that a service's connections have learned, for its next ones.
package final class Lessons<Lesson: Equatable & Sendable>: Sendable {
    private let state = Mutex<[Lesson]>([])

    package init() {}

    package func learn(_ lesson: Lesson) {
        state.withLock { if !$0.contains(lesson) { $0.append(lesson) } }
    }

    package func has(_ lesson: Lesson) -> Bool { state.withLock { $0.contains(lesson) } }
}

/// The preparation failed before a socket could be opened.
package struct ServiceOpeningFailure: Error {
    package var closure: WebSocketClosure
    package var failure: LinkFailure

    package init(_ closure: WebSocketClosure) {
        self.closure = closure
        failure = LinkFailure(closure)
    }
}

extension SocketService {
    package static func address(_ configuration: Configuration) -> ServiceAddress? { location(configuration) }

    /// The headers of a service that takes its key as a bearer token.
    package static func bearer(_ secrets: Secrets) -> [(name: String, value: String)] {
        secrets.key(key).secret.map { [("Authorization", "Bearer \($0.revealed)")] } ?? []
    }

    /// The request, for a service that has one for all its sessions.
    package var prepared: WebSocketRequest {
        get throws(ServiceOpeningFailure) {
            guard let request else { throw ServiceOpeningFailure(.failed(.badURL)) }
            return request
        }
    }

    package func opening(on network: NetworkThread) async -> ServiceOpening? {
        do throws(ServiceOpeningFailure) {
            let entry = try await open(on: network, isTest: true)
            let failure = entry.failure
            return .socket(entry.request, entry.translator) { closure, translator in
                (translator as? Translator).map { failure(closure, $0, false) } ?? LinkFailure(closure)
            }
        } catch {
            return .failed(error.closure)
        }
    }

    package func part(_ pump: VoicePump) -> (any SocketPart<Translator>)? { nil }

    package func connect(
        on network: NetworkThread,
        pump: NetworkConfined<VoicePump>,
        report: @escaping ServiceReporter
    ) -> ServiceConnection? {
        let link = NetworkConfined(SocketLink(self, on: network, pump: pump, report: report), on: network)
        guard network.enqueue({ link.onThread.open(link) }) else { return nil }
        return ServiceConnection { body in link.perform { body($0) } }
    }
}

/// Opens a session, and passes on requests once there is a socket. Lives on the network thread.
private final class SocketLink<Service: SocketService>: ServiceLink {
    private let service: Service
    private let network: NetworkThread
    private let pump: NetworkConfined<VoicePump>
    private let report: ServiceReporter
    private var opening: Task<Void, Never>?
    /// Kept by its connection.
    private weak var socket: ServiceSocket<Service.Translator>?
    private var isRetired = false

    init(
        _ service: Service,
        on network: NetworkThread,
        pump: NetworkConfined<VoicePump>,
        report: @escaping ServiceReporter
    ) {
        self.service = service
        self.network = network
        self.pump = pump
        self.report = report
    }

    func open(_ me: NetworkConfined<SocketLink>) {
        guard !isRetired else { return }
        opening = Task { [service, network, report] in
            do throws(ServiceOpeningFailure) {
                let entry = try await service.open(on: network, isTest: false)
                guard !network.enqueue({ me.onThread.enter(entry, me) }) else { return }
                report(.disconnected(LinkFailure(.transient, "the network thread does not run")), Monotonic.now())
            } catch {
                let failure = error.failure
                network.enqueue { me.onThread.failed(failure) }
            }
        }
    }

    private func enter(_ entry: ServiceEntry<Service.Translator>, _ me: NetworkConfined<SocketLink>) {
        guard !isRetired else { return }
        let handle = network.connect(entry.request) { me.onThread.made(on: $0, entry) }
        if handle == nil { failed(LinkFailure(.transient, "the network thread does not run")) }
    }

    private func made(
        on connection: WebSocketConnection,
        _ entry: ServiceEntry<Service.Translator>
    ) -> ServiceSocket<Service.Translator> {
        let pump = pump.onThread
        let socket = ServiceSocket(connection, entry, part: service.part(pump), pump: pump, report: report)
        if isRetired { socket.retireUnopened() }
        self.socket = socket
        return socket
    }

    private func failed(_ failure: LinkFailure) {
        if !isRetired { report(.disconnected(failure), Monotonic.now()) }
    }

    func ask(_ request: ServiceRequest) { socket?.ask(request) }

    func openMicrophone() { socket?.openMicrophone() }

    func retire() {
        isRetired = true
        opening?.cancel()
        socket?.retire()
    }
}
