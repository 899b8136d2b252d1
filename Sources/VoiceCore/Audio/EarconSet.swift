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
        for earcon in sounds {
            let path = "\(audio.earconFolder)/\(earcon.name).wav"
            // What is not there keeps the built-in sound.
            guard access(path, F_OK) == 0 else { continue }
            do throws(AudioDeviceError) {
                own[earcon] = try WaveFile.read(path)
            } catch {
                throw Self.problem("audio.earcon_folder", "\(error)")
            }
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
