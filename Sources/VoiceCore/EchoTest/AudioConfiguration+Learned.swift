package import VoiceAudio
package import VoiceBase
package import VoiceConfiguration

extension AudioConfiguration {
    /// Takes in what is known beside the configuration: the user's lines of known devices, and what `echo-test` has found best.
    /// - Returns: what is wrong with the lines, for people.
    package mutating func learn(
        _ audio: Configuration.Audio,
        environment: [String: String],
        files: FileReader = .system
    ) -> [String] {
        let (table, problems) = KnownDevices.load(environment: environment, files: files)
        knownDevices = table
        if let folder = StateDirectory.path(environment: environment) {
            capture.measured = (try? SavedEchoTest.load(folder: folder, files: files))?.measured(on: audio)
        }
        return problems
    }
}
