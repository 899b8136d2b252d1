internal import Glibc
internal import VoiceBase

/// Announces the page by mDNS while the bridge runs, so that phones find it as http://NAME.local: starts avahi-publish, and again
/// when it ends or the machine's address has changed.
package struct NameAnnouncer: Sendable {
    /// The programs that announce the name, with their arguments. A value.
    package struct Announcement: Equatable, Sendable {
        package var commands: [[String]]

        /// - Parameters:
        ///   - name: the box's, for people.
        ///   - host: this host's label; avahi itself announces that.
        ///   - address: this machine's in its network.
        package init(name: String, host: String, port: Int, address: String) {
            commands = [["avahi-publish", "-s", "Jarvis: \(name)", "_http._tcp", String(port), "path=/"]]
            guard let label = BoxName.label(name), label != host else { return }
            commands.append(["avahi-publish", "-a", "-R", "\(label).local", address])
        }
    }

    private static let pause: UInt32 = 20

    private let name: String
    private let port: Int
    private let log: @Sendable (String) -> Void

    package init(name: String, port: Int, log: @escaping @Sendable (String) -> Void) {
        (self.name, self.port, self.log) = (name, port, log)
    }

    /// "kitchen.local", under which others reach this machine; nil while no avahi runs here.
    package static func address(of name: String) -> String? {
        guard access("/run/avahi-daemon/socket", F_OK) == 0 else { return nil }
        return "\(BoxName.label(name) ?? BoxName.host).local"
    }

    /// Announces until the process ends, on a thread of its own.
    package func start() {
        _ = try? OwnThread("jb-name") { [self] in
            var present: Announcement?
            var children: [ChildProcess] = []
            var lastProblem = ""
            while true {
                let wanted = BridgeServer.ownAddress.map {
                    Announcement(name: name, host: BoxName.host, port: port, address: $0)
                }
                if wanted != present || children.contains(where: \.hasEnded) {
                    children = []
                    let problem = Self.begin(wanted, &children)
                    if let problem, problem != lastProblem { log(problem) }
                    lastProblem = problem ?? ""
                    present = wanted
                }
                sleep(Self.pause)
            }
        }
    }

    /// Returns why it is not announced, in one line.
    private static func begin(_ wanted: Announcement?, _ children: inout [ChildProcess]) -> String? {
        for command in wanted?.commands ?? [] {
            do throws(SystemError) {
                children.append(try ChildProcess(command))
            } catch {
                return "phones find this machine by its address alone: apt install avahi-daemon avahi-utils"
            }
        }
        // A name that is taken, or no avahi-daemon, ends it within moments.
        usleep(500_000)
        return children.contains(where: \.hasEnded) ? "the name is not announced: is avahi-daemon running?" : nil
    }
}
