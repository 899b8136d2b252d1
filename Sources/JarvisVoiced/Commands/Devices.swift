import ArgumentParser
import VoiceCore

/// `jarvis-voiced devices`: what there is to hear and speak with. Needs no configuration and no key.
struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the microphones and loudspeakers.")

    func run() {
        let entries = AudioDeviceCatalog.list()
        guard !entries.isEmpty else {
            print("There is no sound device (card off or unplugged, or this user not in group audio).")
            return
        }
        let width = entries.map(\.id.count).max() ?? 0
        for entry in entries {
            let direction =
                switch (entry.capture, entry.playback) {
                case (true, true): "in, out"
                case (true, false): "in     "
                default: "    out"
                }
            let padding = String(repeating: " ", count: width - entry.id.count)
            print("\(direction)  \(entry.id)\(padding)  \(entry.name)")
        }
        print(
            "\nName one in the configuration: audio.input and audio.output take the middle column, or part of the last."
        )
    }
}
