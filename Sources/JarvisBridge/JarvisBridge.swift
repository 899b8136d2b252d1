import ArgumentParser
import BridgeCore
import Glibc
import VoiceBase

@main
struct JarvisBridge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jarvis-bridge",
        abstract: "Serves jarvis-voiced to browsers, its metrics to Prometheus, and the box to Home Assistant.",
        discussion: "A page that shows what the box hears, does and costs, with buttons for its commands; metrics at "
            + "/metrics; all of it in Home Assistant, as a device that it discovers, or by MQTT. A client of the "
            + "control socket and nothing else: the voice does not need it.",
        version: ProgramVersion.current,
        subcommands: [Run.self, Link.self, Share.self, Discover.self, Key.self, Broker.self, Check.self]
    )
}

struct Options: ParsableArguments {
    @Option(
        name: .customLong("configuration"),
        help: "The configuration (default: your own, else \(BridgeConfiguration.standardFile))."
    )
    var named: String?

    @Option(help: "The folder of the tokens (default: $STATE_DIRECTORY, your own, or \(BridgeSecrets.standardFolder)).")
    var state: String?

    @Option(help: "The folder of the page (default: where it is installed).")
    var page: String?

    func validate() throws {
        guard folder.hasPrefix("/") else { throw ValidationError("--state needs an absolute path") }
    }

    var file: String {
        named ?? Place.own("XDG_CONFIG_HOME", ".config", "jarvis-voiced/bridge.toml")
            ?? BridgeConfiguration.standardFile
    }

    /// Without a file, the built-in values count.
    func configuration() throws -> BridgeConfiguration {
        let file = file
        do {
            return try BridgeConfiguration(parsing: FileReader.system.read(file, 64 << 10).bytes, name: file)
        } catch FileReader.Fault.absent where named == nil {
            return BridgeConfiguration()
        } catch let fault as FileReader.Fault {
            throw BridgeConfiguration.Problem("\(file): \(fault)")
        }
    }

    var folder: String {
        if let state = state ?? Place.variable("STATE_DIRECTORY") { return state }
        return Place.own("XDG_STATE_HOME", ".local/state", "jarvis-bridge") ?? BridgeSecrets.standardFolder
    }

    /// The password for the broker, if there is one.
    func mqttPassword(_ settings: HouseSettings) throws -> Secret? {
        try settings.password(credentials: Place.variable("CREDENTIALS_DIRECTORY"))
    }

    /// The name of the box, as the daemon's configuration has it.
    var name: String {
        BoxName.shown(ConfigurationFile(environment: ProcessEnvironment.values).text(of: "box.name") ?? "")
    }
}

/// The place of this user's files, as on a desktop.
private enum Place {
    static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The path in a folder of this user; nil for root, and if the user has neither such a path nor a daemon.
    static func own(_ variable: String, _ standard: String, _ path: String) -> String? {
        guard geteuid() != 0, let base = Self.variable(variable) ?? Self.variable("HOME").map({ "\($0)/\(standard)" })
        else {
            return nil
        }
        let own = "\(base)/\(path)"
        return base.hasPrefix("/") && (access(own, F_OK) == 0 || ownSocket != nil) ? own : nil
    }

    /// The control socket of this user's daemon, if one runs.
    static var ownSocket: String? {
        guard geteuid() != 0, let base = variable("XDG_RUNTIME_DIR") else { return nil }
        let path = "\(base)/jarvis-voiced/control.sock"
        return access(path, F_OK) == 0 ? path : nil
    }

    static var socket: String { variable("JARVIS_CONTROL_SOCKET") ?? ownSocket ?? "/run/jarvis-voiced/control.sock" }
}

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve the page and the metrics until a signal ends it.")

    @OptionGroup var options: Options

    func run() throws {
        let configuration = try exiting(.configuration) { try options.configuration() }
        let socket = try exiting(.configuration) { try configuration.socketPath(standard: Place.socket) }
        let name = options.name
        let files = try exiting(.unavailable) { try PageFile.all(in: options.page ?? PageFile.folder, name: name) }
        var random = SystemRandomNumberGenerator()
        let secrets = try exiting(.inputOutput) { try BridgeSecrets(folder: options.folder, random: &random) }
        let house = try house(configuration, name: name, random: &random)
        let native = try native(configuration, random: &random)
        let hosts = [BoxName.host] + [BoxName.host, BoxName.label(name)].compactMap { $0.map { "\($0).local" } }
        try exiting(.unavailable) {
            try BridgeServer.run(
                configuration,
                names: hosts,
                socket: socket,
                house: house,
                native: native,
                secrets: secrets,
                sessions: SessionFile(folder: options.folder),
                files: files,
                ready: {
                    say("listening at \(configuration.listen), port \(configuration.port)")
                    var services: [NameAnnouncer.Service] = []
                    if !configuration.isLocal {
                        say(Share.warning)
                        services.append(.page(name: name, port: configuration.port))
                    }
                    if let native {
                        say("listening for Home Assistant at \(native.settings.listen), port \(native.settings.port)")
                        if !native.settings.isEncrypted { say(Key.warning) }
                        if !native.settings.isLocal { services.append(.native(native, name: name)) }
                    }
                    if !services.isEmpty { NameAnnouncer(name: name, services: services, log: say).start() }
                },
                log: say
            )
        }
    }

    /// The settings for Home Assistant; nil without a broker.
    private func house(
        _ configuration: BridgeConfiguration,
        name: String,
        random: inout some RandomNumberGenerator
    ) throws -> House? {
        guard var settings = configuration.house else { return nil }
        if configuration.isShared {
            settings.page = configuration.page(name: NameAnnouncer.address(of: name), address: BridgeServer.ownAddress)
        }
        let password = try exiting(.configuration) { try options.mqttPassword(settings) }
        let identity = try exiting(.inputOutput) { try HouseIdentity(folder: options.folder, random: &random) }
        return House(settings, password: password, identity: identity)
    }
}

extension Run {
    /// The settings for the native API; nil if it is off.
    private func native(
        _ configuration: BridgeConfiguration,
        random: inout some RandomNumberGenerator
    ) throws -> NativeBox? {
        guard let settings = configuration.native else { return nil }
        let identity = try exiting(.inputOutput) { try HouseIdentity(folder: options.folder, random: &random) }
        let key = try exiting(.inputOutput) { try NativeKey.made(in: options.folder, random: &random) }
        return NativeBox(settings, identity: identity, key: key)
    }
}

struct Key: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print the key that Home Assistant asks for when it adds the box."
    )
    static let warning = "everyone in this network can command the box: esphome.encryption is false"

    @OptionGroup var options: Options

    func run() throws {
        var key = try exiting(.noPermission) { try NativeKey.read(in: options.folder) }
        // A bridge that has just been started makes the key.
        for _ in 0..<15 where key == nil && (try? options.configuration().native) != nil {
            usleep(200_000)
            key = try exiting(.noPermission) { try NativeKey.read(in: options.folder) }
        }
        guard let key else {
            say("there is no key yet: \"jarvis-bridge discover on\" and a restart of jarvis-bridge make it")
            throw ArgumentParser.ExitCode(VoiceBase.ExitCode.unavailable.rawValue)
        }
        print(key.revealed)
    }
}

struct Link: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the link that opens the page, and its QR code.")

    @OptionGroup var options: Options

    func run() throws {
        let configuration = try exiting(.configuration) { try options.configuration() }
        var token = try exiting(.noPermission) { try BridgeSecrets.token(in: options.folder) }
        // A bridge that has just been started makes the token.
        for _ in 0..<15 where token == nil {
            usleep(200_000)
            token = try exiting(.noPermission) { try BridgeSecrets.token(in: options.folder) }
        }
        guard let token else {
            let isOwn = geteuid() != 0 && options.folder != BridgeSecrets.standardFolder
            say("there is no token yet: systemctl \(isOwn ? "--user " : "")enable --now jarvis-bridge makes it")
            throw ArgumentParser.ExitCode(VoiceBase.ExitCode.unavailable.rawValue)
        }
        let name = NameAnnouncer.address(of: options.name)
        let links = configuration.links(token: token, name: name, address: BridgeServer.ownAddress)
        print(links.joined(separator: "\n"))
        guard configuration.isShared else {
            print("It opens on this machine only. For phones in your network: jarvis-bridge share on")
            return
        }
        if let code = QRCode.drawn(links[0]) { print(code, terminator: "") }
    }
}

struct Share: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let phones in your network open the page, or this machine alone.",
        discussion: "Writes the address to listen at into the configuration; restart jarvis-bridge then."
    )
    static let warning = "everyone in this network can read along, the link included: there is no encryption"

    enum Wish: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    @Argument(help: "on for your network, off for this machine alone.")
    var wish: Wish

    @OptionGroup var options: Options

    func run() throws {
        let file = options.file
        let present = String(decoding: try presentText(options), as: UTF8.self)
        let text = BridgeConfiguration.text(present, listeningAt: wish == .on ? "0.0.0.0" : "127.0.0.1")
        // If the file had an error before, it is left as it is.
        _ = try exiting(.configuration) { try BridgeConfiguration(parsing: Array(text.utf8), name: file) }
        try exiting(.noPermission) { try write(Array(text.utf8), options) }
        if wish == .on { print(Self.warning.prefix(1).uppercased() + Self.warning.dropFirst() + ".") }
    }
}

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Check the configuration and the page; start nothing.")

    @OptionGroup var options: Options

    func run() throws {
        let configuration = try exiting(.configuration) { try options.configuration() }
        _ = try exiting(.unavailable) { try PageFile.all(in: options.page ?? PageFile.folder, name: options.name) }
        print("fine: it will listen at \(configuration.listen), port \(configuration.port)")
        if let native = configuration.native { print("for Home Assistant at \(native.listen), port \(native.port)") }
        if let house = configuration.house { print("and speak to the MQTT broker at \(house.broker)") }
    }
}

/// Writes a line for people to standard error.
@Sendable func say(_ line: String) {
    let bytes = Array("jarvis-bridge: \(line.escapingHidden())\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Runs `body`; says its error in one line, and ends the program with the code.
func exiting<T>(_ code: VoiceBase.ExitCode, _ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch {
        say("\(error)")
        throw ArgumentParser.ExitCode(code.rawValue)
    }
}
