internal import Glibc
package import VoiceBase
internal import VoiceNetwork

/// The settings of the table [mqtt] in bridge.toml.
package struct HouseSettings: Sendable, Equatable {
    /// The broker's name or address, without brackets.
    package var host: String
    package var port: Int
    package var isEncrypted: Bool
    /// The certificates to trust instead of the system's; nil for those.
    package var authorities: String?
    package var user: String?
    /// nil for the credential.
    package var passwordFile: String?
    /// The topic prefix under which Home Assistant looks for devices.
    package var prefix = "homeassistant"
    /// The area that Home Assistant is to put the box into.
    package var area: String?
    /// Whether spoken words leave the box this way, while the daemon's transcripts are on.
    package var tellsWords = false
    /// The address of the page, for Home Assistant's link to the box; nil if others cannot open it.
    package var page: String?

    /// The topic on which Home Assistant reports that it is there.
    var homeTopic: String { prefix + "/status" }

    /// The broker as it is written in the configuration.
    package var text: String { Self.text(host: host, port: port, isEncrypted: isEncrypted) }

    static func text(host: String, port: Int, isEncrypted: Bool) -> String {
        let usual = isEncrypted ? 8883 : 1883
        let place = (host.contains(":") ? "[\(host)]" : host) + (port == usual ? "" : ":\(port)")
        return (isEncrypted ? "mqtts://" : "mqtt://") + place
    }

    /// The broker for people: "homeassistant.local, port 8883".
    package var broker: String { "\(host), port \(port)" }

    private static let brokerWanted =
        "must be such as \"mqtts://homeassistant.local\", or \"mqtt://192.168.1.5\" in your own network; "
        + "a port may follow, user and password have keys of their own"

    /// - Parameter broker: "mqtts://host", "mqtt://host:1884".
    /// - Throws: what the key must be.
    package init(broker: String) throws(BridgeConfiguration.Problem) {
        let schemes = [("mqtts://", true, 8883), ("mqtt://", false, 1883)]
        guard let (scheme, isEncrypted, usual) = schemes.first(where: { broker.hasPrefix($0.0) }),
            let url = ServerURL("https://" + broker.dropFirst(scheme.count)), url.path.isEmpty, url.query == nil
        else { throw .init(Self.brokerWanted) }
        (host, self.isEncrypted) = (url.host, isEncrypted)
        let place = broker.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        port = HostAndPort(String(place))?.port ?? usual
        if !isEncrypted, TransportVerdict.isExposed(host: host) { throw .init(Self.exposed) }
    }

    static let exposed = "is not in your own network, and mqtt:// is not encrypted: use mqtts://"

    /// Reads the entries of the table; other entries of the file are left out.
    ///
    /// - Parameter refuse: makes the line about an entry from a description of its fault.
    /// - Returns: nil without a broker.
    init?(
        _ entries: [ConfigurationDocument.Entry],
        refuse: (ConfigurationDocument.Entry, String) -> BridgeConfiguration.Problem
    ) throws(BridgeConfiguration.Problem) {
        guard let broker = entries.first(where: { $0.path == Self.broker }) else {
            guard let other = entries.first(where: { $0.path.hasPrefix(Self.table + ".") }) else { return nil }
            throw refuse(other, "needs \(Self.broker) beside it")
        }
        guard case .text(let address) = broker.value else { throw refuse(broker, Self.brokerWanted) }
        do throws(BridgeConfiguration.Problem) {
            try self.init(broker: address)
        } catch {
            throw refuse(broker, error.description)
        }
        for entry in entries {
            switch (entry.path, entry.value) {
            case ("mqtt.user", .text(let name)) where Self.isName(name, atMost: 255): user = name
            case ("mqtt.user", _): throw refuse(entry, "must be a name of 1 to 255 bytes")
            case ("mqtt.password_file", .text(let path)) where Self.isPath(path): passwordFile = path
            case ("mqtt.ca_file", .text(let path)) where Self.isPath(path): authorities = path
            case ("mqtt.password_file", _), ("mqtt.ca_file", _): throw refuse(entry, "must be an absolute path")
            case ("mqtt.area", .text(let name)) where Self.isName(name, atMost: 100): area = name
            case ("mqtt.area", _): throw refuse(entry, "must be the name of a room")
            case ("mqtt.discovery_prefix", .text(let name)) where Self.isTopic(name): prefix = name
            case ("mqtt.discovery_prefix", _): throw refuse(entry, "must be a topic such as \"homeassistant\"")
            case ("mqtt.transcripts", .flag(let isOn)): tellsWords = isOn
            case ("mqtt.transcripts", _): throw refuse(entry, "must be true or false")
            default: break
            }
        }
        if authorities != nil, !isEncrypted { throw refuse(broker, "must begin with mqtts:// for mqtt.ca_file") }
    }

    static let table = "mqtt"
    private static let broker = "mqtt.broker"
    static let keys = ["broker", "user", "password_file", "ca_file", "area", "discovery_prefix", "transcripts"]

    static func isName(_ text: String, atMost limit: Int) -> Bool {
        1...limit ~= text.utf8.count && !text.unicodeScalars.contains(where: \.isHidden)
    }

    private static func isPath(_ text: String) -> Bool {
        text.hasPrefix("/") && text.utf8.count <= 4095 && !text.contains("\0")
    }

    /// A topic without wildcards, of the letters that Home Assistant allows.
    private static func isTopic(_ text: String) -> Bool {
        1...200 ~= text.utf8.count && !text.hasPrefix("/") && !text.hasSuffix("/")
            && text.utf8.allSatisfy {
                0x61...0x7A ~= $0 | 0x20 || 0x30...0x39 ~= $0 || $0 == 0x2D || $0 == 0x5F || $0 == 0x2F
            }
    }

    // MARK: - The password

    /// The name of the credential of the unit.
    package static let credential = "mqtt-password"

    /// Reads the password from the file, else from systemd's credential; nil if there is none.
    ///
    /// - Parameter credentials: $CREDENTIALS_DIRECTORY.
    package func password(credentials: String?) throws(BridgeConfiguration.Problem) -> Secret? {
        guard let path = passwordFile ?? credentials.map({ "\($0)/\(Self.credential)" }) else { return nil }
        let bytes: [UInt8]
        do throws(FileReader.Fault) {
            bytes = try FileReader.system.read(path, 4096).bytes
        } catch {
            if error == .absent, passwordFile == nil { return nil }
            throw .init("the password of mqtt.user, \(path): \(error)")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        // Without a password the unit makes a blank credential.
        if text.allSatisfy(\.isWhitespace) {
            guard passwordFile != nil else { return nil }
            throw .init("the password of mqtt.user, \(path): the file is empty")
        }
        guard let secret = Secret(text) else {
            throw .init("the password of mqtt.user, \(path): only letters, digits and signs of ASCII, on one line")
        }
        guard user != nil else { throw .init("there is a password but no mqtt.user: add it to the table [mqtt]") }
        return secret
    }
}
