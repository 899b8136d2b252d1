import ArgumentParser
import BridgeCore
import Glibc
import VoiceBase

/// `jarvis-bridge broker`: asks for Home Assistant's broker, tries it, and writes it.
struct Broker: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Connect the box to an MQTT broker: asks for it, tries it, writes it.",
        discussion: "Brokers that announce themselves in the network are offered. Writes the keys broker and user "
            + "of the table [mqtt], and the file of the password (0600), after the last question; every other line of the "
            + "configuration stays. Ctrl-C ends it without a trace. Restart jarvis-bridge then."
    )

    @OptionGroup var options: Options

    func run() throws {
        let present = try presentText(options)
        let configuration = try exiting(.configuration) {
            try BridgeConfiguration(parsing: present, name: options.file)
        }
        guard Terminal.isThere else {
            say("broker asks its questions in a terminal; without one, see docs/home-assistant.md")
            throw ArgumentParser.ExitCode(VoiceBase.ExitCode.usage.rawValue)
        }
        guard access(folder, W_OK) == 0 || errno == ENOENT else {
            say("\(folder) cannot be written: use sudo")
            throw ArgumentParser.ExitCode(VoiceBase.ExitCode.noPermission.rawValue)
        }
        let known = configuration.house
        let stored = known.flatMap { try? $0.password(credentials: folder) }
        print("Looking for brokers in your network ...")
        let found = FoundBroker.all()
        for broker in found {
            print("  \(broker.name): \(broker.text(resolves: BrokerTrial.resolves))".escapingHidden())
        }
        var dialog = BrokerDialog(
            present: known.map { ($0.text, $0.user) }, found: found.first?.text(resolves: BrokerTrial.resolves),
            hasPassword: stored != nil
        )
        while dialog.question != nil || dialog.isToTry {
            guard !dialog.isToTry else {
                print("Trying it ...")
                var settings = dialog.settings
                settings?.authorities = known?.authorities
                let password = dialog.user.isEmpty ? nil : dialog.password ?? stored
                dialog.tried(refusal: settings.flatMap { BrokerTrial.refusal(of: $0, password: password) })
                if dialog.isAccepted { print("It works.") }
                continue
            }
            print(dialog.prompt, terminator: "")
            fflush(nil)
            guard let typed = dialog.question == .password ? Terminal.hiddenLine() : readLine() else {
                print("\nEnded early. Nothing was written.")
                throw ArgumentParser.ExitCode(128 + SIGINT)
            }
            if let complaint = dialog.answer(typed) { print(complaint) }
        }
        let text = try exiting(.configuration) { try dialog.text(BridgeText(present, name: options.file)) }
        let after = try exiting(.configuration) { try BridgeConfiguration(parsing: text.bytes, name: options.file) }
        try exiting(.noPermission) {
            if let password = dialog.password {
                let file = after.house?.passwordFile ?? "\(folder)/\(HouseSettings.credential)"
                var before = stat()
                let isThere = stat(file, &before) == 0
                try StateFile.write(Array("\(password.revealed)\n".utf8), to: file)
                // A file that the bridge itself reads stays readable for the bridge.
                chmod(file, isThere ? before.st_mode & 0o640 : 0o600)
                if isThere { _ = chown(file, before.st_uid, before.st_gid) }
                print("Wrote \(file).")
            }
            // A password without a user is refused.
            if dialog.user.isEmpty { unlink("\(folder)/\(HouseSettings.credential)") }
            try write(text.bytes, options)
        }
    }

    /// The folder of the configuration; the unit takes the password from there.
    private var folder: String {
        let file = options.file
        return file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    }
}

/// `jarvis-bridge discover`: lets Home Assistant discover the box.
struct Discover: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let Home Assistant discover the box (ESPHome native API), or no longer.",
        discussion: "Writes the key enabled of the table [esphome] into the configuration; restart jarvis-bridge then. "
            + "\"jarvis-bridge key\" prints the key that Home Assistant asks for."
    )

    @Argument(help: "on or off.")
    var wish: Share.Wish

    @OptionGroup var options: Options

    func run() throws {
        var text = BridgeText(try presentText(options), name: options.file)
        try exiting(.configuration) {
            try text.set(NativeSettings.table, "enabled", to: .flag(wish == .on))
            _ = try BridgeConfiguration(parsing: text.bytes, name: options.file)
        }
        try exiting(.noPermission) { try write(text.bytes, options) }
    }
}

/// The file of the configuration; empty if there is none.
func presentText(_ options: Options) throws -> [UInt8] {
    try exiting(.noPermission) { () throws -> [UInt8] in
        do {
            return try FileReader.system.read(options.file, 64 << 10).bytes
        } catch FileReader.Fault.absent {
            return []
        }
    }
}

/// Writes the file of the configuration.
func write(_ bytes: [UInt8], _ options: Options) throws {
    try StateFile.write(bytes, to: options.file)
    // The bridge's user reads it.
    chmod(options.file, 0o644)
    print("Wrote \(options.file). It takes effect when jarvis-bridge is restarted.")
}
