import ArgumentParser
import BridgeCore
import Glibc
import VoiceBase

@main
struct JarvisBridge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jarvis-bridge",
        abstract: "Serves jarvis-voiced to browsers, and its metrics to Prometheus.",
        discussion: "A page that shows what the box hears, does and costs, with buttons for its commands; metrics at "
            + "/metrics. A client of the control socket and nothing else: the voice does not need it.",
        version: ProgramVersion.current,
        subcommands: [Run.self, Link.self, Check.self]
    )
}

struct Options: ParsableArguments {
    @Option(name: .customLong("configuration"), help: "The configuration.")
    var file = BridgeConfiguration.standardFile

    @Option(help: "The folder of the tokens (default: $STATE_DIRECTORY, else \(BridgeSecrets.standardFolder)).")
    var state: String?

    @Option(help: "The folder of the page (default: where it is installed).")
    var page: String?

    func validate() throws {
        guard folder.hasPrefix("/") else { throw ValidationError("--state needs an absolute path") }
    }

    /// Without a file, the built-in values count.
    func configuration() throws -> BridgeConfiguration {
        do {
            return try BridgeConfiguration(parsing: FileReader.system.read(file, 64 << 10).bytes, name: file)
        } catch FileReader.Fault.absent where file == BridgeConfiguration.standardFile {
            return BridgeConfiguration()
        } catch let fault as FileReader.Fault {
            throw BridgeConfiguration.Problem("\(file): \(fault)")
        }
    }

    var folder: String {
        state ?? getenv("STATE_DIRECTORY").map { String(cString: $0) } ?? BridgeSecrets.standardFolder
    }
}

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Serve the page and the metrics until a signal ends it.")

    @OptionGroup var options: Options

    func run() throws {
        let configuration = try exiting(.configuration) { try options.configuration() }
        let files = try exiting(.unavailable) { try PageFile.all(in: options.page ?? PageFile.folder) }
        var random = SystemRandomNumberGenerator()
        let secrets = try exiting(.inputOutput) { try BridgeSecrets(folder: options.folder, random: &random) }
        try exiting(.unavailable) {
            try BridgeServer.run(
                configuration,
                secrets: secrets,
                sessions: SessionFile(folder: options.folder),
                files: files,
                ready: {
                    say("listening at \(configuration.listen), port \(configuration.port)")
                    if !configuration.isLocal { say("the network can read along: put a proxy with TLS in front") }
                },
                log: say
            )
        }
    }
}

struct Link: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the link that opens the page, and its QR code.")

    @OptionGroup var options: Options

    func run() throws {
        let configuration = try exiting(.configuration) { try options.configuration() }
        guard let token = try exiting(.noPermission, { try BridgeSecrets.token(in: options.folder) }) else {
            say("there is no token yet: systemctl enable --now jarvis-bridge makes it")
            throw ArgumentParser.ExitCode(VoiceBase.ExitCode.unavailable.rawValue)
        }
        let link = configuration.link(token: token, address: BridgeServer.ownAddress)
        print(link)
        if let code = QRCode.drawn(link) { print(code, terminator: "") }
    }
}

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Check the configuration and the page; start nothing.")

    @OptionGroup var options: Options

    func run() throws {
        let configuration = try exiting(.configuration) { try options.configuration() }
        _ = try exiting(.unavailable) { try PageFile.all(in: options.page ?? PageFile.folder) }
        print("fine: it will listen at \(configuration.listen), port \(configuration.port)")
    }
}

/// Writes a line for people to standard error.
@Sendable private func say(_ line: String) {
    let bytes = Array("jarvis-bridge: \(line.escapingHidden())\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Runs `body`; says its error in one line, and ends the program with the code.
private func exiting<T>(_ code: VoiceBase.ExitCode, _ body: () throws -> T) throws -> T {
    do {
        return try body()
    } catch {
        say("\(error)")
        throw ArgumentParser.ExitCode(code.rawValue)
    }
}
