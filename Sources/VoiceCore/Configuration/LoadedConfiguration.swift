/// A configuration that passed every check, with where its values come from.
package struct LoadedConfiguration: Sendable, Equatable {
    /// Where a value comes from; a later one wins.
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

    package var values = Configuration()
    /// The file that was read; nil when there was none.
    package var file: String?
    /// Lines for the journal on things that do no harm.
    package var warnings: [String] = []
    /// By path; a key without an entry has its built-in value.
    package var origins: [String: Origin] = [:]

    package init() {}

    package func origin(of path: String) -> Origin { origins[path] ?? .builtIn }
}
