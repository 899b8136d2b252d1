import ArgumentParser
import Glibc
import VoiceAudio
import VoiceBase
import VoiceCore

/// `jarvis-voiced setup`: asks, writes the configuration and the secrets, checks and starts.
struct Setup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Set up this box: asks for what it cannot know, writes it, checks and starts.",
        discussion: """
            Run it with sudo for the system's service. Every question can be skipped, and setup can be run again. It \
            changes only what you answer, and nothing before its last question. Without a terminal it prints what to \
            set.

            Exit status: 0 done, 64 no terminal, 71 a file cannot be written, 77 only root may write the configuration, \
            78 the configuration is wrong, 130 ended early.
            """
    )

    @Flag(name: .long, help: "Set up a service of your own, as on a desktop, instead of the system's.")
    var user = false

    func validate() throws {
        guard !user || geteuid() != 0 else {
            throw ValidationError("--user sets up a service of your own: run it without sudo")
        }
    }

    func run() async throws {
        ProcessEnvironment.close()
        let environment = ProcessEnvironment.values
        let place = SetupPlace(
            isRoot: geteuid() == 0,
            wantsOwn: user,
            paths: ConfigurationLoader(environment: environment).searchPaths,
            exists: { access($0, F_OK) == 0 }
        )
        guard let place else {
            throw failure(
                "only root may write \(ConfigurationLoader.systemPath): run \"sudo jarvis-voiced setup\", or on a desktop "
                    + "\"jarvis-voiced setup --user\" for a service of your own",
                .noPermission
            )
        }
        let (present, values) = try exiting { try read(place) }
        let stored = SetupSecret.all.filter { secret in
            let file = try? FileReader.system.read(place.path(of: secret, values), 16384)
            return file?.bytes.contains { $0 > 0x20 } == true
        }
        let devices = AudioDeviceCatalog.list()
        var dialog = SetupDialog(values, place: place, devices: devices, stored: Set(stored))
        guard Terminal.isThere else {
            print(dialog.byHand.joined(separator: "\n"))
            throw ArgumentParser.ExitCode(VoiceBase.ExitCode.usage.rawValue)
        }
        print("Sets up \(place.file).\n\(SetupDialog.help)\n")
        let isRunning = hasSystemd && systemctl(place, "is-active")
        var isTried = false
        while let question = dialog.question {
            if case .heard(let direction) = question, !isTried {
                Terminal.holdingSignals {
                    // The running daemon holds the cards.
                    if isRunning { _ = systemctl(place, "stop") }
                    let works = tryDevice(direction, dialog.plan.values, present == nil ? nil : place.file)
                    dialog.tried(direction, works: works)
                    if isRunning { _ = systemctl(place, "start", "--no-block") }
                }
            }
            isTried = false
            print(dialog.prompt, terminator: "")
            let typed = try answer(isHidden: question.isSecret)
            if let complaint = dialog.answer(typed) {
                print(complaint)
                isTried = true
            } else if case .secret(let secret) = question, dialog.isNew(secret, typed: typed) {
                print("Trying it ...")
                fflush(nil)
                let refusal = await SecretTrial.refusal(of: secret, in: dialog.plan)
                if refusal == nil { print("It works.") }
                dialog.tried(secret, refusal: refusal)
            }
        }
        if dialog.isAccepted {
            try exiting { try write(dialog.plan, place, present) }
        } else if !dialog.plan.isEmpty {
            print("Nothing was written.")
            return
        }
        try await finish(dialog.plan, place, environment)
    }

    /// The present file, nil if there is none, and its values without those of the environment.
    private func read(_ place: SetupPlace) throws(ConfigurationError) -> ([UInt8]?, Configuration) {
        let present: [UInt8]
        do throws(FileReader.Fault) {
            present = try FileReader.system.read(place.file, ConfigurationLoader.maximumBytes).bytes
        } catch .absent {
            return (nil, Configuration())
        } catch {
            throw ConfigurationError(
                problems: [ConfigurationProblem(place: place.file, message: "cannot be read: \(error)")]
            )
        }
        let files = FileReader { _, _ throws(FileReader.Fault) in FileReader.File(bytes: present) }
        return (present, try ConfigurationLoader(environment: [:], files: files).load(path: place.file).values)
    }

    /// Shows the level of the microphone, or plays the test signal; in a child, which a driver cannot hold up for ever.
    /// - Returns: whether sound came, or went.
    private func tryDevice(_ direction: AudioDirection, _ values: Configuration, _ file: String?) -> Bool {
        let test = direction == .capture ? ["meter", "--seconds=6"] : ["echo-test"]
        let devices = ["--input-device=\(values.audio.input)", "--output-device=\(values.audio.output)"]
        // If it fails, its own last line says why.
        // Half duplex (69) does not mean that the loudspeaker is silent.
        let ends: Set<VoiceBase.ExitCode> = direction == .capture ? [.success] : [.success, .unavailable]
        return runs([Self.program] + test + devices + (file.map { ["--config=\($0)"] } ?? []), endingWith: ends)
    }

    private static let program = "/proc/self/exe"

    /// Runs a program in the terminal.
    /// - Parameter arguments: never a secret.
    /// - Returns: whether it ended with one of these.
    private func runs(_ arguments: [String], endingWith ends: Set<VoiceBase.ExitCode> = [.success]) -> Bool {
        fflush(nil)
        let child = try? ChildProcess(arguments, output: STDOUT_FILENO, errors: STDERR_FILENO)
        guard case .exited(let status)? = child?.wait() else { return false }
        return ends.contains { $0.rawValue == status }
    }

    private var hasSystemd: Bool { access("/run/systemd/system", F_OK) == 0 }

    private func systemctl(_ place: SetupPlace, _ order: String..., unit: String = "jarvis-voiced") -> Bool {
        runs(["systemctl", "--quiet"] + (place.isOwn ? ["--user"] : []) + order + [unit])
    }

    /// Prints what the daemon wrote before it failed.
    private func repeatReason(_ unit: ServiceUnit) {
        let options = ["--unit=jarvis-voiced", "--identifier=jarvis-voiced", "--output=cat", "--lines=3"]
        _ = runs(unit.command("journalctl", ["--no-pager", "--quiet", "--since=-1min"] + options))
    }

    private func write(_ plan: SetupPlan, _ place: SetupPlace, _ present: [UInt8]?) throws {
        let daemon = getpwnam("jarvis-voiced")?.pointee.pw_uid
        let files = try plan.files(place, changing: present, daemon: daemon)
        guard try read(place).0 == present else {
            let problem = ConfigurationProblem(place: place.file, message: "was changed meanwhile; nothing was written")
            throw ConfigurationError(problems: [problem])
        }
        // The daemon's user must be able to look into it.
        if !place.isOwn, mkdir(place.folder, 0o755) == 0 { chmod(place.folder, 0o755) }
        try Terminal.holdingSignals { try SetupFile.replace(files) }
        for file in files { print("wrote \(file.path)") }
    }

    /// Offers the optional steps after the setup.
    private func finish(_ plan: SetupPlan, _ place: SetupPlace, _ environment: [String: String]) async throws {
        var environment = environment
        if place.isOwn { environment["CREDENTIALS_DIRECTORY"] = place.folder }
        let path = access(place.file, F_OK) == 0 ? place.file : nil
        if plan.lacksWakeModel(place, environment: environment),
            try confirm("Download the models of the wake words (jarvis-voiced wake install)?")
        {
            _ = runs([Self.program, "wake", "install", "--yes"])
        }
        var isWell = true
        if try confirm("Run the doctor?") {
            let report = await VoiceCore.Doctor(DoctorContext(path: path, environment: environment)).examine()
            print(report.text, terminator: "")
            isWell = report.verdict != .fail
        }
        guard hasSystemd else {
            print("There is no systemd here: start it with \"jarvis-voiced run\".")
            return
        }
        let start = "Start the service now and at every start of the machine?"
        guard try confirm(isWell ? start : "Something does not work, see above. \(start)", isUsual: isWell) else {
            return
        }
        // A service that runs already must take what is new.
        let unit = place.unit
        for order in ["enable", "restart"] where !systemctl(place, order) {
            if order == "restart" { repeatReason(unit) }
            throw failure("\(unit.systemctl(order)) failed: the lines above say why", .unavailable)
        }
        try sharePage(place)
        try connectHome(place)
        print("It runs: \(unit.journal) -f")
        _ = systemctl(place, "show", "--no-pager", "--property=StatusText", "--value")
    }

    /// The page is a program of its own, and writes its own configuration.
    private func sharePage(_ place: SetupPlace) throws {
        let bridge = Self.folder + "/jarvis-bridge"
        guard access(bridge, X_OK) == 0 else { return }
        print(
            "With a page, phones show what Jarvis does. Everyone in your network can read along: there is no encryption."
        )
        guard try confirm("Show the page to phones in your network?", isUsual: false),
            runs([bridge, "share", "on"])
        else { return }
        try startBridge(place)
        // The companion creates its token within moments of its start.
        for _ in 0..<5 {
            sleep(1)
            if runs([bridge, "link"]) { return }
        }
    }

    /// Home Assistant is the bridge's part, too.
    private func connectHome(_ place: SetupPlace) throws {
        let bridge = Self.folder + "/jarvis-bridge"
        guard access(bridge, X_OK) == 0 else { return }
        let isDiscovered =
            try confirm("Let Home Assistant discover this box?", isUsual: false) && runs([bridge, "discover", "on"])
        fflush(nil)
        let hasBroker =
            try confirm("Connect it to an MQTT broker of the house?", isUsual: false)
            && Terminal.run([bridge, "broker"]) == 0
        guard isDiscovered || hasBroker else { return }
        try startBridge(place)
        guard isDiscovered else { return }
        print("Home Assistant shows the box as discovered, and asks for this key:")
        _ = runs([bridge, "key"])
    }

    private func startBridge(_ place: SetupPlace) throws {
        for order in ["enable", "restart"] where !systemctl(place, order, unit: "jarvis-bridge") {
            let command = place.unit.systemctl(order, "jarvis-bridge")
            throw failure("\(command) failed: the lines above say why", .unavailable)
        }
    }

    /// The folder of this program.
    private static var folder: String {
        guard let path = realpath(program, nil) else { return "/usr/bin" }
        defer { free(path) }
        let text = String(cString: path)
        return String(text[..<(text.lastIndex(of: "/") ?? text.startIndex)])
    }

    /// - Parameter isUsual: what Enter means.
    private func confirm(_ question: String, isUsual: Bool = true) throws -> Bool {
        print("\(question) [\(isUsual ? "yes, no" : "no, yes")] ", terminator: "")
        let text = try answer()
        return text.isEmpty ? isUsual : text.lowercased().hasPrefix("y")
    }

    private func failure(_ line: String, _ code: VoiceBase.ExitCode) -> any Error {
        StandardError.write("jarvis-voiced setup: \(line)\n")
        return ArgumentParser.ExitCode(code.rawValue)
    }

    private func answer(isHidden: Bool = false) throws -> String {
        fflush(nil)
        guard let line = isHidden ? Terminal.hiddenLine() : readLine() else {
            print("\nEnded early.")
            throw ArgumentParser.ExitCode(128 + SIGINT)
        }
        return line
    }
}

extension SetupDialog.Question {
    fileprivate var isSecret: Bool { if case .secret = self { true } else { false } }
}
