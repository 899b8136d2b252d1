internal import Glibc
internal import VoiceBase

/// Announces this machine's services by mDNS while the bridge runs, so that phones find the page as http://NAME.local, and Home
/// Assistant the box: starts avahi-publish, and again when it ends or the machine's address has changed.
package struct NameAnnouncer: Sendable {
    /// A service that others find.
    package struct Service: Equatable, Sendable {
        /// Unique in the network.
        package var instance: String
        package var type: String
        package var port: Int
        /// Further details, each as "key=value".
        package var details: [String]
        /// Whether the host is announced under the box's name too: Home Assistant takes the name from there.
        package var isNamedByHost = false

        /// The page, for browsers.
        ///
        /// - Parameter name: the box's, for people.
        package static func page(name: String, port: Int) -> Service {
            Service(instance: "Jarvis: \(name)", type: "_http._tcp", port: port, details: ["path=/"])
        }

        /// The native API, for Home Assistant.
        package static func native(_ box: NativeBox, name: String) -> Service {
            var details = [
                "friendly_name=\(name)", "mac=\(box.identity.cardAddress.filter { $0 != ":" })",
                "version=\(ProgramVersion.current)",
            ]
            if box.settings.isEncrypted { details.append("api_encryption=Noise_NNpsk0_25519_ChaChaPoly_SHA256") }
            return Service(
                instance: NativeMachine.host(name), type: "_esphomelib._tcp", port: box.settings.port, details: details,
                isNamedByHost: true
            )
        }
    }

    /// The programs that announce the services, with their arguments. A value.
    package struct Announcement: Equatable, Sendable {
        package var commands: [[String]]

        /// - Parameters:
        ///   - name: the box's, for people.
        ///   - host: this host's label; avahi itself announces that.
        ///   - address: this machine's in its network.
        package init(name: String, host: String, services: [Service], address: String) {
            let alias = BoxName.label(name).flatMap { $0 == host ? nil : "\($0).local" }
            commands = services.map { service in
                let host = service.isNamedByHost ? alias.map { ["-H", $0] } ?? [] : []
                return ["avahi-publish", "-s"] + host + [service.instance, service.type, String(service.port)]
                    + service.details
            }
            if let alias { commands.append(["avahi-publish", "-a", "-R", alias, address]) }
        }
    }

    /// What is announced now, and why the last attempt failed. A value.
    package struct Attempts {
        private var present: Announcement?
        private var problem: String?

        package init() {}

        /// Begins what is wanted, unless it is announced already. After a failure, the next look begins it again: the user may
        /// have followed the advice.
        ///
        /// - Parameters:
        ///   - hasEnded: whether a program of the present announcement has ended.
        ///   - begin: returns why the services are not announced, in one line.
        /// - Returns: a problem to log, which is not the one before.
        package mutating func look(
            for wanted: Announcement?,
            hasEnded: Bool,
            begin: (Announcement?) -> String?
        ) -> String? {
            guard wanted != present || hasEnded else { return nil }
            let last = problem
            problem = begin(wanted)
            present = problem == nil ? wanted : nil
            return problem == last ? nil : problem
        }
    }

    private static let pause: UInt32 = 20

    private let name: String
    private let services: [Service]
    private let log: @Sendable (String) -> Void

    package init(name: String, services: [Service], log: @escaping @Sendable (String) -> Void) {
        (self.name, self.services, self.log) = (name, services, log)
    }

    /// "kitchen.local", the name of this machine for others; nil while no avahi runs here.
    package static func address(of name: String) -> String? {
        guard access("/run/avahi-daemon/socket", F_OK) == 0 else { return nil }
        return "\(BoxName.label(name) ?? BoxName.host).local"
    }

    /// Announces until the process ends, on a thread of its own.
    package func start() {
        _ = try? OwnThread("jb-name") { [self] in
            var attempts = Attempts()
            var children: [ChildProcess] = []
            while true {
                let wanted = BridgeServer.ownAddress.map {
                    Announcement(name: name, host: BoxName.host, services: services, address: $0)
                }
                let problem = attempts.look(for: wanted, hasEnded: children.contains(where: \.hasEnded)) { wanted in
                    children = []
                    return Self.begin(wanted, &children)
                }
                if let problem { log(problem) }
                sleep(Self.pause)
            }
        }
    }

    /// Returns why the services are not announced, in one line.
    private static func begin(_ wanted: Announcement?, _ children: inout [ChildProcess]) -> String? {
        for command in wanted?.commands ?? [] {
            do throws(SystemError) {
                children.append(try ChildProcess(command))
            } catch {
                return "others find this machine by its address alone: apt install avahi-daemon avahi-utils"
            }
        }
        // A name that is taken, or no avahi-daemon, ends it within moments.
        usleep(500_000)
        return children.contains(where: \.hasEnded) ? "the name is not announced: is avahi-daemon running?" : nil
    }
}
