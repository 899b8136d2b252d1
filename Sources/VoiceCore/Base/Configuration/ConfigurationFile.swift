/// Where the configuration is.
///
/// It is a regular file in TOML, encoded as UTF-8, of at most 1 MiB. A file named by the caller must exist; otherwise the
/// user's file is used, else the system's, else none.
package struct ConfigurationFile: Sendable {
    package static let systemPath = "/etc/jarvis-voiced/jarvis-voiced.toml"
    package static let maximumBytes = 1 << 20

    private let environment: [String: String]
    private let files: FileReader

    package init(environment: [String: String], files: FileReader = .system) {
        self.environment = environment
        self.files = files
    }

    /// Paths tried in order if the caller names none.
    package var searchPaths: [String] { [userPath, Self.systemPath].compactMap { $0 } }

    /// The file of the user who runs this program.
    package var userPath: String? {
        var folder: String?
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
            folder = base
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            folder = home + "/.config"
        }
        return folder.map { $0 + "/jarvis-voiced/jarvis-voiced.toml" }
    }

    package func read(_ path: String?) throws(ConfigurationError) -> (String, [UInt8])? {
        for candidate in path.map({ [$0] }) ?? searchPaths {
            do {
                return (candidate, try files.read(candidate, Self.maximumBytes).bytes)
            } catch .absent where path == nil {
                continue
            } catch {
                throw ConfigurationError(
                    problems: [ConfigurationProblem(place: candidate, message: "cannot be read: \(error)")])
            }
        }
        return nil
    }

    /// The value of a key that is a text, by its environment variable or the file; nil if neither has it, or the file is
    /// not TOML.
    package func text(of path: String) -> String? {
        if let text = environment[ConfigurationKey.environmentName(of: path)], !text.isEmpty { return text }
        guard let bytes = try? read(nil)?.1, let document = try? ConfigurationDocument(parsing: bytes),
            case .text(let text)? = document.values[path]
        else { return nil }
        return text
    }
}
