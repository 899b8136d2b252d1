import VoiceBase
import VoiceConfiguration

/// The configuration file.
enum ConfigurationFuzz {
    /// Every problem of a file is told in a line of bounded length.
    static func run(_ bytes: UnsafeRawBufferPointer) {
        let file = FileReader.File(bytes: Array(bytes))
        let loader = ConfigurationLoader(environment: [:], files: FileReader { _, _ throws(FileReader.Fault) in file })
        do {
            _ = try loader.load(path: "fuzz.toml")
        } catch {
            precondition(!error.problems.isEmpty && error.problems.count <= 20, "how many problems")
            for problem in error.problems {
                precondition("\(problem)".utf8.allSatisfy { $0 != 0x0a }, "a problem of several lines")
            }
        }
    }
}
