package import VoiceBase

/// Devices with known channels: one line each, matched by USB id, firmware and name.
package struct KnownDevices: Sendable, Equatable {
    package struct Line: Sendable, Equatable {
        package var key: String
        package var title: String
        /// nil for any, as below.
        package var vendor: UInt16?
        package var product: UInt16?
        package var firmware: ClosedRange<UInt16>?
        /// Part of the name, in any case; empty for any.
        package var name = ""
        package var map: ChannelMap

        /// Whether the device cancels its own echo.
        package var cancelsEcho: Bool { map.first(.processed) != nil }

        func fits(_ card: CardIdentity) -> Bool {
            if let vendor, vendor != card.vendor { return false }
            if let product, product != card.product { return false }
            if let firmware {
                guard let version = card.firmware, firmware.contains(version) else { return false }
            }
            return name.isEmpty || card.name.lowercased().contains(name.lowercased())
        }
    }

    package static let file = "devices.toml"
    static let maximumBytes = 65_536

    /// In order of precedence.
    package private(set) var lines: [Line] = []

    /// Returns the lines for a device, whatever its number of channels, best first.
    package func lines(for card: CardIdentity) -> [Line] { lines.filter { $0.fits(card) } }

    /// Returns the line for a device that opened with `channels` channels.
    package func line(for card: CardIdentity, channels: Int) -> Line? {
        lines.first { $0.map.roles.count == channels && $0.fits(card) }
    }

    /// Parses a table. Problems come back as lines for people and cost only the line concerned.
    package static func parse(_ bytes: [UInt8], path: String) -> (table: KnownDevices, problems: [String]) {
        var table = KnownDevices()
        let document: ConfigurationDocument
        do {
            document = try ConfigurationDocument(parsing: bytes)
        } catch {
            return (table, ["\(path):\(error.line): \(error.message.bounded(toBytes: 200))"])
        }
        var problems: [String] = []
        var order: [String] = []
        var fields: [String: [String: (ConfigurationValue, Int)]] = [:]
        for entry in document.entries {
            let parts = entry.path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            switch (parts.count, entry.value) {
            case (1, .table) where parts[0] == "devices": break
            case (2, .table) where parts[0] == "devices":
                order.append(parts[1])
                fields[parts[1]] = ["": (.table, entry.line)]
            case (3, _) where parts[0] == "devices" && fields[parts[1]] != nil:
                fields[parts[1]]?[parts[2]] = (entry.value, entry.line)
            default:
                problems.append(
                    "\(path):\(entry.line): must have [devices] and lines like name = { usb = ..., channels = ... }"
                )
            }
        }
        for key in order {
            let values = fields[key] ?? [:]
            do throws(ChannelMap.Fault) {
                table.lines.append(try line(key, values.mapValues(\.0)))
            } catch {
                problems.append("\(path):\(values[""]?.1 ?? 0): devices.\(key.bounded(toBytes: 40)): \(error)")
            }
        }
        return (table, Array(problems.prefix(20)))
    }

    private static func line(_ key: String, _ values: [String: ConfigurationValue]) throws(ChannelMap.Fault) -> Line {
        func fault(_ text: String) -> ChannelMap.Fault { ChannelMap.Fault(description: text) }
        var texts: [String: String] = [:]
        for (name, value) in values where name != "" {
            guard ["usb", "firmware", "name", "channels", "title"].contains(name) else {
                throw fault("accepts usb, firmware, name, channels and title, not \(name.bounded(toBytes: 20))")
            }
            guard case .text(let text) = value, text.utf8.count <= 400 else { throw fault("\(name) must be a string") }
            texts[name] = text
        }
        guard let channels = texts["channels"] else { throw fault("needs channels, as \"processed, raw\"") }
        var line = Line(key: key, title: texts["title"] ?? key, map: try ChannelMap(parsing: channels))
        line.name = texts["name"] ?? ""
        if let usb = texts["usb"] {
            let parts = usb.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let vendor = number(parts[0]), parts[1] == "*" || number(parts[1]) != nil else {
                throw fault("usb must be a string like \"0b0e:0420\", or \"0b0e:*\" for all devices of a vendor")
            }
            line.vendor = vendor
            line.product = number(parts[1])
        }
        if let firmware = texts["firmware"] {
            let ends = firmware.split(separator: "-", omittingEmptySubsequences: false).map { number(String($0)) }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last
            else {
                throw fault("firmware must be four digits of bcdDevice, \"0210\", or a range, \"0200-0210\"")
            }
            line.firmware = first...last
        }
        guard line.vendor != nil || line.name.utf8.count >= 3 else {
            throw fault("needs usb, or a name of at least three letters")
        }
        return line
    }

    private static func number(_ text: String) -> UInt16? { text.utf8.count == 4 ? UInt16(text, radix: 16) : nil }

    // MARK: Where they come from

    /// Loads the user's own lines followed by the built-in table. Lines beside the user's configuration come first, then
    /// those in /etc/jarvis-voiced.
    package static func load(
        environment: [String: String],
        files: FileReader = .system
    ) -> (table: KnownDevices, problems: [String]) {
        var table = KnownDevices()
        var problems: [String] = []
        for path in paths(environment: environment) {
            do {
                let read = parse(try files.read(path, maximumBytes).bytes, path: path)
                table.lines += read.table.lines
                problems += read.problems
            } catch .absent {
                continue
            } catch {
                problems.append("\(path) cannot be read: \(error)")
            }
        }
        table.lines += builtIn.lines
        return (table, problems)
    }

    static func paths(environment: [String: String]) -> [String] {
        ConfigurationFile(environment: environment).searchPaths.compactMap { path in
            path.lastIndex(of: "/").map { "\(path[..<$0])/\(file)" }
        }
    }

    package static let builtIn = parse(Array(builtInText.utf8), path: "built-in table").table
}

extension KnownDevices {
    /// The same text as `config/devices.toml`.
    package static let builtInText = """
        # Microphones whose channels are known: a line each. The first line that fits counts.
        #
        # These lines are built in; a file of this name in /etc/jarvis-voiced or ~/.config/jarvis-voiced adds lines of your
        # own, which come before them. `jarvis-voiced devices` shows what a line has to say of a device.
        #
        #   usb       id as lsusb has it, "0b0e:0420", or "0b0e:*" for everything of a maker
        #   firmware  bcdDevice in four digits, "0210", or a range, "0200-0210"; left out: any
        #   name      part of the card's name, whatever the case; left out: any
        #   channels  what each channel carries: processed (the voice after the device's own echo canceller), raw (a bare
        #             microphone), reference (what the loudspeaker plays), silent. A line fits a device that is opened with
        #             so many channels.
        #   title     for people

        [devices]
        jabra-510 = { usb = "0b0e:0420", title = "Jabra Speak 510", channels = "processed" }
        jabra-510-422 = { usb = "0b0e:0422", title = "Jabra Speak 510", channels = "processed" }
        jabra-speak = { usb = "0b0e:*", name = "Speak", title = "Jabra Speak", channels = "processed" }
        powerconf = { name = "PowerConf", title = "Anker PowerConf", channels = "processed, processed" }
        powerconf-mono = { name = "PowerConf", title = "Anker PowerConf", channels = "processed" }
        emeet = { name = "EMEET", title = "eMeet speakerphone", channels = "processed" }
        xvf3800 = { usb = "2886:*", name = "XVF3800", title = "ReSpeaker XVF3800", channels = "processed, processed" }
        xvf3800-6 = { usb = "2886:*", name = "XVF3800", title = "ReSpeaker XVF3800, 6 channels", channels = "processed, processed, raw, raw, raw, raw" }
        respeaker-lite = { usb = "2886:*", name = "Lite", title = "ReSpeaker Lite", channels = "raw, raw" }
        respeaker-v2 = { usb = "2886:*", name = "Mic Array", title = "ReSpeaker Mic Array v2.0", channels = "processed" }
        respeaker-v2-6 = { usb = "2886:*", name = "Mic Array", title = "ReSpeaker Mic Array v2.0, 6 channels", channels = "processed, raw, raw, raw, raw, reference" }

        """
}
