package import VoiceBase

/// The settings of bridge.toml.
package struct BridgeConfiguration: Sendable, Equatable {
    package static let standardFile = "/etc/jarvis-voiced/bridge.toml"

    /// The address to listen at: IPv4 or IPv6, never a name.
    package var listen = "127.0.0.1"
    package var port = 8787
    /// Names under which browsers may reach the page, besides addresses and localhost. Lower case.
    package var hosts: [String] = []
    /// The daemon's control socket; nil for that of this user's daemon or the system's.
    package var socket: String?
    /// Home Assistant's broker; nil without the table [mqtt].
    package var house: HouseSettings?
    /// The ESPHome native API; nil unless [esphome] enables it.
    package var native: NativeSettings?

    package init() {}

    /// The fault, in one line.
    package struct Problem: Error, Equatable, CustomStringConvertible {
        package let description: String

        package init(_ description: String) { self.description = description }
    }

    /// - Parameter name: the name of the file, for messages.
    package init(parsing bytes: [UInt8], name: String) throws(Problem) {
        let document: ConfigurationDocument
        do {
            document = try ConfigurationDocument(parsing: bytes)
        } catch {
            throw Problem("\(name), line \(error.line): \(error.message)")
        }
        for entry in document.entries {
            func refuse(_ expected: String) -> Problem {
                Problem("\(name), line \(entry.line): \(entry.path.escapingHidden()) must be \(expected)")
            }
            switch (entry.path, entry.value) {
            case ("listen", .text(let address)) where IPAddress(address) != nil: listen = address
            case ("listen", _): throw refuse("an address such as \"127.0.0.1\", \"0.0.0.0\" or \"::\"")
            case ("port", .integer(let number)) where 1...65_535 ~= number: port = number
            case ("port", _): throw refuse("a number from 1 to 65535")
            case ("hosts", .texts(let names)) where names.count <= 32 && names.allSatisfy(Self.isHost):
                hosts = names.map { $0.lowercased() }
            case ("hosts", _): throw refuse("at most 32 names without a port, such as [\"jarvis.local\"]")
            case ("socket", .text(let path)) where path.hasPrefix("/") && path.utf8.count <= Self.longestSocket:
                socket = path
            case ("socket", _): throw refuse("an absolute path of at most \(Self.longestSocket) bytes")
            case (let path, .table) where Self.tables[path] != nil: break
            case (let path, _) where Self.tables[path] != nil: throw refuse("a table: [\(path)]")
            case (let path, _) where Self.tableKeys.contains(path): break
            default:
                let table = Self.tables.first { entry.path.hasPrefix($0.key + ".") }
                let keys = table?.value ?? ["listen", "port", "hosts", "socket", "[mqtt]", "[esphome]"]
                throw Problem(
                    "\(name), line \(entry.line): there is no key \(entry.path.escapingHidden()); "
                        + "the keys are \(keys.dropLast().joined(separator: ", ")) and \(keys.last ?? "")"
                )
            }
        }
        func wrong(_ entry: ConfigurationDocument.Entry, _ wrong: String) -> Problem {
            Problem("\(name), line \(entry.line): \(entry.path.escapingHidden()) \(wrong)")
        }
        house = try HouseSettings(document.entries, refuse: wrong)
        native = try NativeSettings(document.entries, refuse: wrong)
    }

    /// The tables, with their keys.
    private static let tables = [
        HouseSettings.table: HouseSettings.keys, NativeSettings.table: NativeSettings.keys,
    ]
    private static let tableKeys = Set(tables.flatMap { table in table.value.map { "\(table.key).\($0)" } })

    static func isHost(_ name: String) -> Bool {
        1...253 ~= name.utf8.count
            && name.utf8.allSatisfy { 0x61...0x7A ~= $0 | 0x20 || 0x30...0x39 ~= $0 || $0 == 0x2D || $0 == 0x2E }
    }

    /// The longest path of a Unix socket, in bytes.
    private static let longestSocket = 107

    /// The path of the daemon's control socket.
    ///
    /// - Parameter standard: the path if the file names none.
    package func socketPath(standard: String) throws(Problem) -> String {
        let path = socket ?? standard
        guard path.utf8.count <= Self.longestSocket else {
            throw Problem(
                "the control socket's path \(path) is longer than \(Self.longestSocket) bytes: name a shorter one by socket in "
                    + "bridge.toml, or by JARVIS_CONTROL_SOCKET"
            )
        }
        return path
    }

    /// Whether only programs of this machine reach the bridge.
    package var isLocal: Bool { IPAddress(listen)?.isLoopback == true }

    /// Whether other machines reach it, directly or through a proxy.
    package var isShared: Bool { !isLocal || !hosts.isEmpty }

    /// The link that opens the page. With `hosts` and a local address, a proxy with TLS stands in front.
    ///
    /// - Parameter address: the machine's own, for a bridge that listens at all its addresses; nil if it has none.
    package func link(token: Secret, address: String?) -> String {
        if isLocal, let name = hosts.first { return "https://\(name)/#\(token.revealed)" }
        let own = IPAddress(listen)?.isWildcard == true ? address ?? "127.0.0.1" : listen
        return link(token, to: hosts.first ?? own)
    }

    /// The links that open the page, the best one first.
    ///
    /// - Parameter name: the name of this machine in its network ("kitchen.local"); nil if it is not announced.
    package func links(token: Secret, name: String?, address: String?) -> [String] {
        let plain = link(token: token, address: address)
        guard !isLocal, hosts.isEmpty, let name else { return [plain] }
        return [link(token, to: name), plain]
    }

    private func link(_ token: Secret, to host: String) -> String { page(at: host) + "#" + token.revealed }

    private func page(at host: String) -> String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/" }

    /// The page's address without its token, for browsers that have signed in.
    ///
    /// - Parameters:
    ///   - name: as in `links`.
    ///   - address: as in `link`.
    package func page(name: String?, address: String?) -> String {
        if isLocal, let host = hosts.first { return "https://\(host)/" }
        let own = IPAddress(listen)?.isWildcard == true ? name ?? address ?? "127.0.0.1" : listen
        return page(at: hosts.first ?? own)
    }

    /// The file with another address to listen at; everything else stays.
    package static func text(_ present: String, listeningAt address: String) -> String {
        let line = "listen = \"\(address)\""
        var lines = present.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // Below a header, the key is the table's; if it is a comment, the header may be one too.
        func place(of start: String, above headers: [String]) -> Int? {
            let bare = lines.map { $0.filter { $0 != " " && $0 != "\t" } }
            let end = bare.firstIndex { line in headers.contains { line.hasPrefix($0) } } ?? bare.endIndex
            return bare[..<end].firstIndex { $0.hasPrefix(start) }
        }
        if let index = place(of: "listen=", above: ["["]) ?? place(of: "#listen=", above: ["[", "#["]) {
            lines[index] = line
        } else {
            lines.insert(line, at: 0)
        }
        return lines.joined(separator: "\n")
    }
}
