package import VoiceBase

/// An archive to attach to a support request: findings, versions, configuration, sound cards and the end of the
/// journal. Contains no speech, no secrets, and nothing that is marked as private or comes from others.
package struct SupportBundle: Sendable {
    /// Maximum number of journal lines.
    static let journalLines = 2000

    private let context: DoctorContext
    private let report: DoctorReport
    private let version: String

    package init(context: DoctorContext, report: DoctorReport, version: String) {
        self.context = context
        self.report = report
        self.version = version
    }

    /// Writes the archive (.tar.gz).
    ///
    /// - Returns: one line: the path and the contents.
    package func write(to path: String) async throws(StateFile.Fault) -> String {
        let files = await files()
        let folder = try await SupportArchive.write(files, to: path)
        let place = folder.map { "\($0), a folder, because tar and gzip are missing (apt install tar gzip)" } ?? path
        return "\(place): \(report.summary); with \(files.map(\.name).joined(separator: ", "))"
    }

    /// The files by name; all text has passed the redactor.
    func files(journal: String? = nil) async -> [(name: String, text: String)] {
        let redactor = context.redactor
        var files: [(name: String, text: String)] = []
        func add(_ name: String, _ text: String?) {
            guard let text, !text.isEmpty else { return }
            files.append((name, redactor.clean(text)))
        }
        let shared = DoctorReport(report.findings.map(\.shared))
        add("doctor.txt", shared.text)
        add("doctor.json", shared.json(version: version))
        add("versions.txt", await versions())
        add("configuration.toml", context.loaded.map { SharedConfiguration.text($0, secrets: context.secrets) })
        for path in Self.soundFiles() {
            add("asound/" + path.dropFirst("/proc/asound/".count), Self.read(path))
        }
        add(
            "unit.txt",
            await Self.output(
                context.unit.command("systemctl", ["show", "jarvis-voiced.service", "--property=\(Self.properties)"])
            )
        )
        var lines = journal
        if lines == nil {
            lines = await Self.output(SharedJournal.command(context.unit) + ["--lines=\(Self.journalLines)"])
        }
        add("journal.txt", lines.map(SharedJournal.text))
        return files
    }

    /// Properties of the unit whose values are words and numbers of systemd's own.
    private static let properties = [
        "LoadState", "ActiveState", "SubState", "Result", "ExecMainCode", "ExecMainStatus", "NRestarts",
        "UnitFileState",
        "NeedDaemonReload", "Restart", "WatchdogUSec", "LimitRTPRIO", "LimitMEMLOCK", "LimitNOFILE", "MemoryMax",
        "MemoryPeak",
        "TasksMax", "CPUQuotaPerSecUSec", "ProtectHome", "ProtectSystem", "PrivateDevices",
    ].joined(separator: ",")

    private func versions() async -> String {
        let system = [
            "jarvis-voiced \(version)",
            LibraryCheck.version,
            Self.kernel(Self.read("/proc/version") ?? ""),
            Self.read("/proc/asound/version") ?? "",
            Self.distribution(Self.read("/etc/os-release") ?? ""),
            await Self.output(["dpkg-query", "--show", "jarvis-voiced", "libasound2*", "libcurl4*", "libwebrtc*"])
                ?? "",
        ]
        return system.joined(separator: "\n")
    }

    /// Reduces the content of /proc/version to "Linux version 6.1.0-18-arm64": after it follow the builder and the
    /// build machine.
    static func kernel(_ text: String) -> String {
        let words = text.split(separator: " ").prefix(3)
        guard words.count == 3, words[0] == "Linux", words[1] == "version", words[2].utf8.count <= 64 else { return "" }
        return words.joined(separator: " ")
    }

    /// Extracts the name and version of the distribution from /etc/os-release.
    static func distribution(_ text: String) -> String {
        let wanted = ["PRETTY_NAME", "ID", "ID_LIKE", "VERSION_ID", "VERSION_CODENAME"]
        return text.split(separator: "\n").filter { wanted.contains(String($0.prefix { $0 != "=" })) }
            .joined(separator: "\n")
    }

    /// The files in which ALSA describes the cards, their streams and open devices.
    private static func soundFiles() -> [String] {
        let root = "/proc/asound"
        // Not "cards" and "id": a card's id may be the user's own.
        var files = ["devices", "pcm", "modules"].map { "\(root)/\($0)" }
        for card in Folder.names(in: root) where card.hasPrefix("card") && card.dropFirst(4).allSatisfy(\.isNumber) {
            let folder = "\(root)/\(card)"
            for name in Folder.names(in: folder) {
                if ["usbid", "usbbus"].contains(name) || name.hasPrefix("stream") {
                    files.append("\(folder)/\(name)")
                }
                guard name.hasPrefix("pcm") else { continue }
                for file in ["info", "sub0/hw_params", "sub0/status"] { files.append("\(folder)/\(name)/\(file)") }
            }
        }
        return Array(files.prefix(200))
    }

    private static func read(_ path: String) -> String? {
        (try? FileReader.system.read(path, 1 << 20)).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private static func output(_ command: [String]) async -> String? {
        await Command.output(command, limit: .seconds(10)).map { String(decoding: $0, as: UTF8.self) }
    }
}
