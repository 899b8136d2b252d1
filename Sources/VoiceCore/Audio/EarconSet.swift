internal import Glibc
package import VoiceBase
package import VoiceConfiguration

/// The earcons that are played, and the user's replacements for the built-in sounds.
package struct EarconSet: Sendable, Equatable {
    /// Longest sound in frames at 48 kHz: one second. Longer ones are cut.
    package static let longest = 48_000

    package static let all = EarconSet(Set(Earcon.allCases))
    package static let none = EarconSet([])

    package private(set) var own: [Earcon: [Float]] = [:]
    /// Ring of timers and alarms; nil for the built-in sound. It is not an earcon: no setting switches it off.
    package private(set) var ownAlarm: [Float]?
    /// Bit n is set if the earcon with raw value n is played. A form that the audio thread can read without touching a `Set`.
    let mask: UInt64

    package init(_ sounds: Set<Earcon>) {
        mask = sounds.reduce(0) { $0 | 1 << UInt64($1.rawValue) }
    }

    package func plays(_ earcon: Earcon) -> Bool { mask & (1 << UInt64(earcon.rawValue)) != 0 }

    /// - Throws: on an unknown name or a file that cannot be played.
    package init(_ audio: Configuration.Audio) throws(ConfigurationError) {
        var sounds = Set(Earcon.allCases)
        for name in audio.earconsOff.split(separator: ",").map({ $0.filter { $0 != " " } }) where !name.isEmpty {
            guard let earcon = Earcon(name: name) else {
                let known = Earcon.allCases.map(\.name).joined(separator: ", ")
                throw Self.problem("audio.earcons_off", "does not accept \"\(name)\"; the earcons are \(known)")
            }
            sounds.remove(earcon)
        }
        self.init(sounds)
        guard !audio.earconFolder.isEmpty else { return }
        for earcon in sounds { own[earcon] = try Self.read(earcon.name, in: audio.earconFolder) }
        ownAlarm = try Self.read("alarm", in: audio.earconFolder)
    }

    /// Returns nil if there is no such file: that earcon keeps its built-in sound.
    private static func read(_ name: String, in folder: String) throws(ConfigurationError) -> [Float]? {
        let path = "\(folder)/\(name).wav"
        guard access(path, F_OK) == 0 else { return nil }
        do throws(AudioDeviceError) {
            return try WaveFile.read(path)
        } catch {
            throw problem("audio.earcon_folder", "\(error)")
        }
    }

    private static func problem(_ place: String, _ message: String) -> ConfigurationError {
        ConfigurationError(problems: [ConfigurationProblem(place: place, message: message)])
    }
}

extension Earcon {
    /// Name in the configuration and in file names.
    package var name: String { "\(self)" }

    init?(name: String) {
        guard let found = Earcon.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}
