import ArgumentParser
import Glibc
import VoiceAudio
import VoiceBase
import VoiceCore

/// `jarvis-voiced devices`: lists microphones and loudspeakers with their capabilities. Needs no key.
struct Devices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the microphones and loudspeakers, and what they can do.",
        discussion: """
            Opens every card briefly, in each direction, to read its rates, formats and channels, and once more as \
            the daemon would. If a card is in use, the output says by which program.

            Exit status: 0 done, 69 a named device does not open, 74 a device fails, 78 ALSA's configuration or that of \
            jarvis-voiced is wrong.
            """
    )

    @OptionGroup var options: ConfigurationOptions

    @Argument(help: "Devices to inspect besides the cards: ALSA names, card ids, or parts of a name.")
    var names: [String] = []

    func run() async throws {
        try await look()
        try flush()
    }

    /// Output that a full disk swallowed was not shown.
    private func flush() throws {
        guard fflush(nil) == 0 else { throw ArgumentParser.ExitCode(VoiceBase.ExitCode.inputOutput.rawValue) }
    }

    private func look() async throws {
        let environment = ProcessEnvironment.values
        let loaded = try exiting {
            try ConfigurationLoader(environment: environment).load(path: options.config, overrides: options.overrides)
        }
        let values = loaded.values
        var audio = AudioConfiguration(values.audio, echo: values.echo)
        for problem in audio.learn(environment: environment) { print("warning: \(problem)") }
        // This command finds out the right list, so a wrong one does not end it.
        if let fault = AudioConfiguration.channelsFault(values.audio) {
            print("warning: \(fault); it is ignored here, and jarvis-voiced run refuses it")
        }
        let entries = AudioDeviceCatalog.list()
        try exiting { if let fault = AudioDeviceCatalog.configurationFault { throw fault } }
        var uses = uses(of: values.audio, entries)
        // Without any card, "default" may be a sound server, or lead nowhere. If nothing opens, a line says so, which
        // scripts/run reads.
        if entries.isEmpty { uses = await opening(uses, audio) }
        let (wanted, wrong) = named(entries, uses)
        let looked = await list(wanted, uses, audio, entries)
        // Show everything that can be shown before reporting names that match no device.
        try flush()
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

    /// The keys that lead to each device, by its id. Names that lead nowhere are left to `doctor`.
    private func uses(of audio: Configuration.Audio, _ entries: [AudioDeviceEntry]) -> [String: [String]] {
        var uses: [String: [String]] = [:]
        for (key, name, direction) in [
            ("audio.input", audio.input, AudioDirection.capture), ("audio.output", audio.output, .playback),
        ] {
            guard let id = try? AudioDeviceCatalog.resolve(name, direction: direction, in: entries) else { continue }
            uses[id, default: []].append(key)
        }
        return uses
    }

    /// The names that open in the direction in which they are used.
    private func opening(_ uses: [String: [String]], _ audio: AudioConfiguration) async -> [String: [String]] {
        var open: [String: [String]] = [:]
        for (id, keys) in uses {
            let found = Self.entry(id, keys)
            let sheet = await DeviceSheet.look(at: found, audio: audio, entries: [])
            if sheet.isUsable { open[id] = keys }
        }
        return open
    }

    private static func entry(_ id: String, _ keys: [String]) -> AudioDeviceEntry {
        AudioDeviceEntry(
            id: id, name: id, capture: keys.contains("audio.input"), playback: keys.contains("audio.output")
        )
    }

    /// The entries to show, including named and configured ones, and the errors of names that match none.
    private func named(
        _ entries: [AudioDeviceEntry],
        _ uses: [String: [String]]
    ) -> (shown: [AudioDeviceEntry], wrong: [AudioDeviceError]) {
        var shown = entries
        for id in uses.keys.sorted() where !entries.contains(where: { $0.id == id }) && !names.contains(id) {
            shown.append(Self.entry(id, uses[id] ?? []))
        }
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
        _ uses: [String: [String]],
        _ audio: AudioConfiguration,
        _ entries: [AudioDeviceEntry]
    ) async -> [DeviceSheet] {
        guard !shown.isEmpty else {
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
            let use = uses[entry.id].map { "  <- \($0.joined(separator: ", "))" } ?? ""
            print("\(direction)  \(entry.id)\(padding)  \(entry.name)\(use)")
            // The name of a sound server says nothing about the card behind it, and asking it may take long.
            let isUsed = uses[entry.id] != nil
            guard entry.card != nil || isUsed || isNamed(entry) || names.contains(entry.name) else { continue }
            // Before a device that does not answer.
            fflush(nil)
            let sheet = await DeviceSheet.look(at: entry, audio: audio, entries: entries)
            for line in sheet.lines { print("         \(line)") }
            sheets.append(sheet)
        }
        if shown.allSatisfy({ $0.card == nil }), !sheets.contains(where: \.isUsable), !sheets.isEmpty {
            print("\nNo sound device found: there is no card, and nothing that was tried opens.")
            return sheets
        }
        print(
            "\nFor audio.input and audio.output, use the middle column or part of the last one."
        )
        return sheets
    }
}
