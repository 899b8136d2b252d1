import ArgumentParser
import Glibc
import VoiceAudio
import VoiceBase
import VoiceConfiguration
import VoiceCore

/// `jarvis-voiced devices`: lists microphones and loudspeakers with their capabilities. Needs no key.
struct Devices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the microphones and loudspeakers, and what they can do.",
        discussion: """
            Opens every card briefly, in each direction, to read its rates, formats and channels, and once more as \
            the daemon would. If a card is in use, the output says by which program.

            --probe listens to all microphone channels for five seconds while a short soft sound plays. It prints \
            what each channel carries, and the line for the configuration. Stop the service first.

            --report prints the same without the names you gave and without serial numbers, so that you can send it \
            along with a question.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "Devices to inspect besides the cards: ALSA names, card ids, or parts of a name.")
    var names: [String] = []

    @Flag(name: .long, help: "Find out what each microphone channel carries.")
    var probe = false

    @Flag(name: .long, help: "With --probe: only listen, play nothing.")
    var quiet = false

    @Flag(name: .long, help: "Print a report without names and serial numbers.")
    var report = false

    func run() async throws {
        let environment = ProcessEnvironment.values
        let loaded = try exiting {
            try ConfigurationLoader(environment: environment).load(path: options.config, overrides: options.overrides)
        }
        let values = loaded.values
        var audio = AudioConfiguration(values.audio, echo: values.echo)
        for problem in audio.learn(values.audio, environment: environment) { print("warning: \(problem)") }
        let entries = AudioDeviceCatalog.list()
        if probe { return try await probe(values.audio, audio, entries) }
        let (wanted, wrong) = named(entries)
        let looked: [DeviceSheet]
        if report {
            looked = printReport(wanted.filter { $0.card != nil || isNamed($0) }, audio, values.audio, entries)
        } else {
            looked = list(wanted, audio, entries)
        }
        // Show everything that can be shown before reporting names that match no device.
        fflush(nil)
        var end: (any Error)?
        for error in wrong {
            do { try exiting { throw error } } catch { end = end ?? error }
        }
        if let end { throw end }
        // A named device that does not open is an error, like one that does not exist. The list has said why.
        if looked.contains(where: { isNamed($0.entry) && !$0.isUsable }) {
            throw ArgumentParser.ExitCode(VoiceBase.ExitCode.unavailable.rawValue)
        }
    }

    private func isNamed(_ entry: AudioDeviceEntry) -> Bool { names.contains { $0 == entry.id } }

    /// The entries to show, including named ones, and the errors of names that match none.
    private func named(_ entries: [AudioDeviceEntry]) -> (shown: [AudioDeviceEntry], wrong: [AudioDeviceError]) {
        var shown = entries
        var wrong: [AudioDeviceError] = []
        for name in names {
            do throws(AudioDeviceError) {
                let id: String
                if let output = try? AudioDeviceCatalog.resolve(name, direction: .playback, in: entries) {
                    id = (try? AudioDeviceCatalog.resolve(name, direction: .capture, in: entries)) ?? output
                } else {
                    id = try AudioDeviceCatalog.resolve(name, direction: .capture, in: entries)
                }
                guard !shown.contains(where: { $0.id == id }) else { continue }
                shown.append(AudioDeviceEntry(id: id, name: id, capture: true, playback: true))
            } catch {
                wrong.append(error)
            }
        }
        return (shown, wrong)
    }

    /// Returns the sheets of the devices that it looked at.
    private func list(
        _ shown: [AudioDeviceEntry],
        _ audio: AudioConfiguration,
        _ entries: [AudioDeviceEntry]
    ) -> [DeviceSheet] {
        guard !shown.isEmpty else {
            if AudioDeviceCatalog.hasBrokenConfiguration {
                print("ALSA cannot read its configuration: look for a mistake in ~/.asoundrc and /etc/asound.conf.")
                return []
            }
            print("No sound device found (card off or unplugged, or this user not in group audio).")
            return []
        }
        var sheets: [DeviceSheet] = []
        let width = shown.map(\.id.count).max() ?? 0
        for entry in shown {
            let direction =
                switch (entry.capture, entry.playback) {
                case (true, true): "in, out"
                case (true, false): "in     "
                default: "    out"
                }
            let padding = String(repeating: " ", count: width - entry.id.count)
            print("\(direction)  \(entry.id)\(padding)  \(entry.name)")
            // The name of a sound server says nothing about the card behind it, and asking it may take long.
            guard entry.card != nil || isNamed(entry) || names.contains(entry.name) else { continue }
            let sheet = DeviceSheet.look(at: entry, audio: audio, entries: entries)
            for line in sheet.lines { print("         \(line)") }
            sheets.append(sheet)
        }
        print(
            "\nFor audio.input and audio.output, use the middle column or part of the last one."
        )
        return sheets
    }

    private func printReport(
        _ shown: [AudioDeviceEntry],
        _ audio: AudioConfiguration,
        _ values: Configuration.Audio,
        _ entries: [AudioDeviceEntry]
    ) -> [DeviceSheet] {
        let environment = ProcessEnvironment.values
        let report = DeviceReport.ofThisMachine(
            version: ProgramVersion.current,
            entries: entries,
            environment: environment
        )
        let sheets = shown.map { DeviceSheet.look(at: $0, audio: audio, entries: entries) }
        let echo = SavedEchoTest.line(environment: environment, audio: values)
        print(report.text(sheets, echo: echo), terminator: "")
        return sheets
    }

    private func probe(
        _ values: Configuration.Audio,
        _ audio: AudioConfiguration,
        _ entries: [AudioDeviceEntry]
    ) async throws {
        guard names.count <= 1 else { throw ValidationError("--probe takes one microphone") }
        let input = try exiting {
            try AudioDeviceCatalog.resolve(names.first ?? values.input, direction: .capture, in: entries)
        }
        let output = try exiting { try AudioDeviceCatalog.resolve(values.output, direction: .playback, in: entries) }
        print(
            quiet
                ? "Listening to \(input) for five seconds."
                : "Listening to \(input) for five seconds and playing a soft sound on \(output) for one second. Please "
                    + "be quiet."
        )
        // Before an error, also in a pipe.
        fflush(nil)
        let outcome = try await exitingAsync {
            try await ProbeSound.run(
                input: audio.request(input, .capture),
                output: quiet ? nil : audio.request(output, .playback)
            )
        }
        if let silence = outcome.silence { print("nothing was played: \(silence)") }
        let count = outcome.probe.channels.count
        print("\(count) channel\(count == 1 ? "" : "s") at \(outcome.rate) Hz")
        for line in outcome.probe.lines { print(line) }
        print("")
        for line in outcome.probe.conclusion { print(line) }
    }
}
