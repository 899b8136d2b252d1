import ArgumentParser
import Glibc
import Logging
import VoiceActivation
import VoiceAudio
import VoiceBase
import VoiceCore

/// `jarvis-voiced wake test`: shows what is recognised from the microphone or in a file. Needs no key and no network,
/// and changes nothing.
struct WakeTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Show what is recognised, with scores: one line for each detection and near miss.",
        discussion: """
            Listens with the configured engine and words, including stop words. On a terminal it shows the level and \
            how confident the engine is of each word. The microphone must be free: stop the daemon first. \
            Only the service may read its own models: for those, sudo -u jarvis-voiced jarvis-voiced wake test.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Option(name: .long, help: "Duration in seconds.")
    var seconds = 60

    @Option(name: .long, help: "Read this WAV file (16 bit, 16 or 48 kHz) instead, as fast as possible.")
    var file: String?

    func validate() throws {
        guard (1...3600).contains(seconds) else { throw ValidationError("--seconds must be a number from 1 to 3600") }
    }

    func run() async throws {
        var values = try options.load().configuration.values
        // The activation mode and its requirements do not matter here.
        values.activation.mode = .push
        let settings = try exiting { try ActivationSettings(values) }
        try exiting {
            if values.activation.engine == .off {
                throw WakeWordError("activation.engine is \"off\", so no word is recognised: set it to \"auto\"")
            }
            try Self.check(settings)
        }
        if let file { return try exiting { try listen(to: file, settings) } }
        try await listen(values, settings)
    }

    /// - Throws: the reason why nothing can be recognised.
    private static func check(_ settings: ActivationSettings) throws(WakeWordError) {
        guard let make = settings.makeDetector else {
            let nothing =
                "nothing is recognised on this machine: run \"jarvis-voiced wake install\", or set activation.engine; "
                + "stop words need PocketSphinx (apt install libpocketsphinx3 pocketsphinx-en-us)"
            throw WakeWordError(settings.hiddenModels.map(notMine) ?? nothing)
        }
        if let folder = settings.libraryFolder, !WakeCheck.mayLoad(from: folder) {
            throw WakeWordError(
                "root does not load another user's library (\(folder)): run this as that user, with sudo -u"
            )
        }
        let detector = try make(.child())
        if let problem = detector.callsUnheard {
            throw settings.hiddenModels.map { WakeWordError(notMine($0)) } ?? problem
        }
        for gap in detector.gaps { write("\(gap.description)\n") }
        guard !settings.hearsCalls else { return }
        let hidden = settings.hiddenModels.map { "; " + notMine($0) } ?? ""
        write("no engine recognises wake words here, only stop words\(hidden)\n")
    }

    /// The models may be the service's.
    private static func notMine(_ folder: String) -> String {
        "this user may not look into \(folder), where the service has its models: run \"sudo -u jarvis-voiced "
            + "jarvis-voiced wake test\", or \"jarvis-voiced wake install\" for models of your own"
    }

    // MARK: The microphone

    private func listen(_ values: Configuration, _ settings: ActivationSettings) async throws {
        guard let rule = settings.rule, let make = settings.makeDetector else { return }
        var audio = AudioConfiguration(values.audio, echo: values.echo)
        audio.echoCanceller.echoCancellation = false
        audio.earcons = false
        audio.realtimePriority = 0
        let ports = AudioPorts()
        let logger = makeLogger(level: .error)
        let sound = AudioSupervisor(configuration: audio, ports: ports, logger: logger)
        try await exitingAsync { try await sound.start(insisting: [.capture]) }
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let clear = isTerminal ? "\r\u{1B}[K" : ""
        let began = Monotonic.now()
        let newest = NewestScores()
        let listener = WakeWordListener(
            tap: ports.words,
            gauges: ports.gauges,
            rule: rule,
            logger: logger,
            make: make,
            watch: { newest.scores = $0 },
            report: { report in
                guard let line = WakeTestLine.text(report, at: Monotonic.now() - began) else { return }
                Self.write("\(clear)\(line)\n")
            }
        )
        listener.listen(.stop)
        Self.write("listening for \(rule.words.list) on \(values.audio.input); say one of them\n")
        async let listening: Void = listener.run()
        for _ in 1...5 * seconds where ports.gauges.state == .running {
            try? await Task.sleep(for: .milliseconds(200))
            guard isTerminal else { continue }
            let level = MeterLine(ports.gauges.levels, isConstant: ports.capture.deliversOneValue).text
            Self.write("\(clear)\(level)  \(WakeTestLine.text(newest.scores))")
        }
        Self.write(clear)
        listener.stop()
        await listening
        await sound.stop()
        if ports.capture.losses > 0 {
            Self.write("the microphone was lost\n")
            throw ArgumentParser.ExitCode(VoiceBase.ExitCode.inputOutput.rawValue)
        }
    }

    // MARK: A file

    private func listen(to file: String, _ settings: ActivationSettings) throws(WakeWordError) {
        guard let rule = settings.rule, let make = settings.makeDetector else { return }
        let heard = try WakeRecording.read(file)
        guard !heard.isEmpty else { throw WakeWordError("\(file) holds no sound") }
        let lead = WakeRecording.padding
        let samples = lead + heard + lead
        let detector = try make(.child())
        detector.listen(for: .stop)
        let recogniser = WakeWordRecogniser(detector, rule: rule)
        var count = 0
        let block = WakeRecording.rate / 25
        for start in stride(from: 0, to: samples.count, by: block) {
            let piece = samples[start..<min(start + block, samples.count)]
            let now = Duration.milliseconds(1000 * (start + piece.count) / WakeRecording.rate)
            let reports = try piece.withUnsafeBufferPointer { piece throws(WakeWordError) in
                // The clock starts at one hour, so that no word counts as found just before the file.
                try recogniser.process(piece, listening: .stop, isPlaying: false, at: now + .seconds(3600))
            }
            for report in reports {
                let place = max(.zero, now - .milliseconds(1000 * lead.count / WakeRecording.rate))
                if let line = WakeTestLine.text(report, at: place) { Self.write(line + "\n") }
                switch report.verdict {
                case .call, .stop: count += 1
                case .nearMiss, .refused, .speaksOn, .nothing: break
                }
            }
        }
        let tenths = (10 * heard.count + WakeRecording.rate / 2) / WakeRecording.rate
        Self.write("\(tenths / 10).\(tenths % 10) s heard, \(count) found\n")
    }

    /// Writes to standard output without buffering, so that a find appears immediately.
    private static func write(_ text: String) {
        var text = text
        _ = text.withUTF8 { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
