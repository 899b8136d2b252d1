internal import Glibc
package import VoiceBase
package import VoiceConfiguration

/// Which short sounds are played, and those that the user has put in place of the built-in ones.
package struct EarconSet: Sendable, Equatable {
    /// Frames at 48 kHz: a second. What is longer is cut.
    package static let longest = 48_000

    package static let all = EarconSet(Set(Earcon.allCases))
    package static let none = EarconSet([])

    package private(set) var own: [Earcon: [Float]] = [:]
    /// What timers and alarms ring with; nil for the built-in sound. It is no earcon: nothing switches it off.
    package private(set) var ownAlarm: [Float]?
    /// Bit n: the sound of raw value n is played. For the audio thread, to which a set would be too much.
    let mask: UInt64

    package init(_ sounds: Set<Earcon>) {
        mask = sounds.reduce(0) { $0 | 1 << UInt64($1.rawValue) }
    }

    package func plays(_ earcon: Earcon) -> Bool { mask & (1 << UInt64(earcon.rawValue)) != 0 }

    /// - Throws: a name that is none, or a file that cannot be played.
    package init(_ audio: Configuration.Audio) throws(ConfigurationError) {
        var sounds = Set(Earcon.allCases)
        for name in audio.earconsOff.split(separator: ",").map({ $0.filter { $0 != " " } }) where !name.isEmpty {
            guard let earcon = Earcon(name: name) else {
                let known = Earcon.allCases.map(\.name).joined(separator: ", ")
                throw Self.problem("audio.earcons_off", "does not know \"\(name)\"; there are \(known)")
            }
            sounds.remove(earcon)
        }
        self.init(sounds)
        guard !audio.earconFolder.isEmpty else { return }
        for earcon in sounds { own[earcon] = try Self.read(earcon.name, in: audio.earconFolder) }
        ownAlarm = try Self.read("alarm", in: audio.earconFolder)
    }

    /// Nil where there is no such file: what is not there keeps the built-in sound.
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
    /// As in the configuration and in the names of files.
    package var name: String { "\(self)" }

    init?(name: String) {
        guard let found = Earcon.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}
