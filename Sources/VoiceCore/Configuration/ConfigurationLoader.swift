package import VoiceBase

/// Assembles the configuration: built-in values < file < environment < command line.
///
/// A variable that is set but empty counts as not set.
package struct ConfigurationLoader: Sendable {
    package static let systemPath = ConfigurationFile.systemPath
    package static let maximumBytes = ConfigurationFile.maximumBytes
    /// Bounds the error report of a badly broken file.
    private static let maximumProblems = 20

    private let environment: [String: String]
    private let file: ConfigurationFile

    package init(environment: [String: String], files: FileReader = .system) {
        self.environment = environment
        file = ConfigurationFile(environment: environment, files: files)
    }

    /// Paths tried in order if the caller names none.
    package var searchPaths: [String] { file.searchPaths }

    /// Throws every problem found, not only the first. `overrides` are "key=value" from the command line.
    package func load(path: String?, overrides: [String] = []) throws(ConfigurationError) -> LoadedConfiguration {
        var loaded = LoadedConfiguration()
        var problems: [ConfigurationProblem] = []
        if let (path, bytes) = try file.read(path) {
            loaded.file = path
            loaded.isUsersOwn = path == file.userPath
            Self.apply(bytes, path: path, to: &loaded, &problems)
        }
        applyEnvironment(to: &loaded, &problems)
        for override in overrides { Self.apply(override: override, to: &loaded, &problems) }
        guard problems.isEmpty else {
            throw ConfigurationError(problems: Array(problems.prefix(Self.maximumProblems)))
        }
        return loaded
    }

    private static func apply(
        _ bytes: [UInt8],
        path file: String,
        to loaded: inout LoadedConfiguration,
        _ problems: inout [ConfigurationProblem]
    ) {
        let document: ConfigurationDocument
        do {
            document = try ConfigurationDocument(parsing: bytes)
        } catch {
            problems.append(
                ConfigurationProblem(place: "\(file):\(error.line):\(error.column)", message: oneLine(error.message))
            )
            return
        }
        var unknownTables: Set<String> = []
        for entry in document.entries {
            guard problems.count < maximumProblems else { return }
            let place = "\(file):\(entry.line)"
            let parent = entry.path.lastIndex(of: ".").map { String(entry.path[..<$0]) } ?? ""
            if unknownTables.contains(parent) {
                unknownTables.insert(entry.path)
            } else if let key = ConfigurationSchema.key(entry.path) {
                if let complaint = key.set(entry.value, in: &loaded.values) {
                    problems.append(ConfigurationProblem(place: place, message: complaint))
                } else {
                    loaded.origins[key.path] = .file(line: entry.line)
                }
            } else if entry.path == Configuration.Word.name || entry.path.hasPrefix(Configuration.Word.name + ".") {
                guard let complaint = applyWord(entry, to: &loaded.values) else { continue }
                problems.append(ConfigurationProblem(place: place, message: oneLine(complaint)))
            } else if entry.value == .table {
                if ConfigurationSchema.sections.contains(where: { $0.name == entry.path }) { continue }
                unknownTables.insert(entry.path)
                problems.append(ConfigurationProblem(place: place, message: unknown(section: entry.path)))
            } else if let warning = RetiredKeys.warning(entry.path) {
                loaded.warnings.append("\(place): \(warning)")
            } else {
                problems.append(ConfigurationProblem(place: place, message: unknown(key: entry.path)))
            }
        }
    }

    /// Applies an entry of a wake word's table, or returns what is wrong with it.
    private static func applyWord(
        _ entry: ConfigurationDocument.Entry,
        to configuration: inout Configuration
    ) -> String? {
        let path = entry.path.dropFirst(Configuration.Word.name.count + 1)
        let isTable = entry.value == .table
        guard let dot = isTable ? path.endIndex : path.lastIndex(of: ".") else {
            return "\(shortened(entry.path)) belongs in the table of a wake word, for instance [words.hey_jarvis]"
        }
        if path.isEmpty { return nil }
        let word = Configuration.Word.plain(path[..<dot])
        if isTable {
            if configuration.words[word] != nil {
                return
                    "\(shortened(entry.path)) names a word that has a table already: a blank, \"_\" and capitals are the "
                    + "same"
            }
            configuration.words[word] = .init()
            return nil
        }
        return configuration.words[word, default: .init()]
            .set(entry.value, for: path[dot...].dropFirst(), at: shortened(entry.path))
    }

    private func applyEnvironment(to loaded: inout LoadedConfiguration, _ problems: inout [ConfigurationProblem]) {
        for key in ConfigurationSchema.keys {
            guard let text = environment[key.environmentName], !text.isEmpty else { continue }
            let value = key.kind.value(fromText: text)
            if let complaint = key.set(value, in: &loaded.values) {
                problems.append(ConfigurationProblem(place: "$" + key.environmentName, message: complaint))
            } else {
                loaded.origins[key.path] = .environment(key.environmentName)
            }
        }
        let known = ConfigurationSchema.keys.map(\.environmentName)
        for path in RetiredKeys.all.keys.sorted() {
            let name = ConfigurationKey.environmentName(of: path)
            guard environment[name]?.isEmpty == false, let warning = RetiredKeys.warning(path) else { continue }
            loaded.warnings.append("$\(name): \(warning)")
        }
        for name in environment.keys.sorted() where name.hasPrefix("JARVIS_") && !known.contains(name) {
            guard let meant = EditDistance.nearest(to: name, in: known, within: 2) else { continue }
            loaded.warnings.append("$\(name) is not used; did you mean \(meant)?")
        }
    }

    private static func apply(
        override: String,
        to loaded: inout LoadedConfiguration,
        _ problems: inout [ConfigurationProblem]
    ) {
        guard let equals = override.firstIndex(of: "=") else {
            problems.append(ConfigurationProblem(place: "--set", message: "must be key=value"))
            return
        }
        let path = String(override[..<equals])
        guard let key = ConfigurationSchema.key(path) else {
            if let warning = RetiredKeys.warning(path) {
                loaded.warnings.append("--set: \(warning)")
                return
            }
            problems.append(ConfigurationProblem(place: "--set", message: unknown(key: path)))
            return
        }
        let value = key.kind.value(fromText: String(override[override.index(after: equals)...]))
        if let complaint = key.set(value, in: &loaded.values) {
            problems.append(ConfigurationProblem(place: "--set", message: complaint))
        } else {
            loaded.origins[key.path] = .commandLine
        }
    }

    private static func unknown(key path: String) -> String {
        if (ServiceRegistry.keys.map(\.setting) + ["jarvis.token_file"]).contains(path + "_file") {
            return "\(path) does not belong in the configuration: put the secret into a file and name it in "
                + "\(path)_file"
        }
        let hint = ConfigurationSchema.nearest(to: path).map { ", did you mean \($0)?" } ?? ""
        return "unknown key \(shortened(path))\(hint)"
    }

    private static func unknown(section name: String) -> String {
        let names = ConfigurationSchema.sections.map(\.name)
        let hint = EditDistance.nearest(to: name, in: names, within: 3).map { ", did you mean [\($0)]?" } ?? ""
        return "unknown section [\(shortened(name))]\(hint)"
    }

    /// Removes line ends and other control characters, which may come from the file.
    private static func oneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }

    private static func shortened(_ name: String) -> String {
        let safe = oneLine(name)
        return safe.count > 80 ? String(safe.prefix(80)) + "..." : safe
    }
}
