/// A validated configuration, with the origin of each value.
package struct LoadedConfiguration: Sendable, Equatable {
    /// Where a value comes from; later cases take precedence.
    package enum Origin: Sendable, Equatable, CustomStringConvertible {
        case builtIn
        case file(line: Int)
        case environment(String)
        case commandLine

        package var description: String {
            switch self {
            case .builtIn: "default"
            case .file(let line): "file, line \(line)"
            case .environment(let name): "environment, \(name)"
            case .commandLine: "command line"
            }
        }
    }

    package var values: Configuration
    /// The file that was read; nil when there was none.
    package var file: String?
    /// Whether that is the file of the user who runs this program, in their own folder: a daemon that uses it is theirs, and
    /// not the service.
    package var isUsersOwn = false
    /// Lines for the journal about harmless problems.
    package var warnings: [String] = []
    /// By path; a key without an entry has its built-in value.
    package var origins: [String: Origin] = [:]

    package init(_ values: Configuration = Configuration()) { self.values = values }

    package func origin(of path: String) -> Origin { origins[path] ?? .builtIn }
}

/// One problem of the configuration, and its place.
package struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    /// "FILE:LINE", "$NAME" or "--set"; empty if there is no place.
    package let place: String
    package let message: String
    /// The credential that is present and unusable; nil if the problem is another.
    package var credential: String?
    /// The file of that credential cannot be read.
    package var isUnreadable = false

    package init(place: String, message: String) {
        self.place = place
        self.message = message
    }

    package var description: String { place.isEmpty ? message : "\(place): \(message)" }
}

/// The configuration is unusable. Contains all problems, in the order they were found. Exit code 78.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    package let problems: [ConfigurationProblem]

    package init(problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
