/// One thing that is wrong with the configuration, and where.
package struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    /// "FILE:LINE", "$NAME" or "--set"; empty when there is no place.
    package let place: String
    package let message: String

    package init(place: String, message: String) {
        self.place = place
        self.message = message
    }

    package var description: String { place.isEmpty ? message : "\(place): \(message)" }
}

/// The configuration cannot be used: all problems at once, in the order they were found. Exit code 78.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    package let problems: [ConfigurationProblem]

    package init(problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
