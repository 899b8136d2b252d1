internal import Synchronization

/// The keys of the voice services and the agent's token. Each is looked up in a file, then in the systemd credentials,
/// then in the environment.
///
/// Some containers (LXC, Proxmox) take away the unit's `LoadCredential=`: each credential is then blank or missing, although
/// its file is there. So the daemon reads the file of a missing credential if it may, and otherwise names the way out.
package struct Secrets: Sendable, Equatable {
    /// A secret and where it was found.
    package struct Found: Sendable, Equatable {
        package let secret: Secret?
        /// "file /etc/...", "credential openai-api-key" or "environment OPENAI_API_KEY"; nil if there is no secret.
        package let origin: String?

        /// For `config show`; never contains the secret.
        package var status: String { origin.map { "set (from \($0))" } ?? "not set" }
    }

    /// Keys of the services in use only; other keys are not read.
    private let keys: [ServiceKey: Found]
    package let jarvisToken: Found
    /// Tokens of assistants whose agents take one of their own, by the wake word.
    private let tokens: [String: Found]
    /// Lines for the journal about files that others can read.
    package let warnings: [String]
    /// Files of secrets that systemd should have handed over and did not, by the name of the credential.
    package let withheld: [String: String]

    private static let maximumBytes = 16384

    /// Throws if a secret is present but unusable. A missing secret is not an error; the caller decides.
    ///
    /// - Parameter keyFiles: the keys of the services in use, each with the file that the configuration names, or "".
    package init(
        configuration: Configuration,
        keyFiles: [(key: ServiceKey, path: String)],
        environment: [String: String],
        files: FileReader
    ) throws(ConfigurationError) {
        var search = Search(environment: environment, files: files)
        var keys: [ServiceKey: Found] = [:]
        for (key, path) in keyFiles where keys[key] == nil {
            keys[key] = search.find(
                key: key.setting, path: path, credential: key.credential, variables: [key.variable]
            )
        }
        self.keys = keys
        jarvisToken = search.find(
            key: "jarvis.token_file", path: configuration.jarvis.tokenFile, credential: Self.tokenCredential,
            variables: ["JARVIS_TOKEN", "TERM_LLM_SERVE_TOKEN"]
        )
        var tokens: [String: Found] = [:]
        for assistant in configuration.assistants where assistant.hasOwnToken {
            tokens[assistant.word] = search.find(
                key: assistant.table + ".token_file", path: assistant.configuration.jarvis.tokenFile,
                credential: Self.tokenCredential + "-" + assistant.tag, variables: [], isOfUnit: false
            )
        }
        self.tokens = tokens
        withheld = search.withheld
        warnings = search.warnings + withheld.sorted { $0.key < $1.key }.map { Self.wayOut(of: $0.value) }
        guard search.problems.isEmpty else { throw ConfigurationError(problems: search.problems) }
    }

    /// The name of the agent's token among the credentials of the unit.
    package static let tokenCredential = "jarvis-token"

    /// Allows the rest of a configuration to be inspected if its secrets are unusable.
    package static let none = Secrets()

    private init() { (keys, jarvisToken, tokens, warnings, withheld) = ([:], .none, [:], [], [:]) }

    /// Explains why a secret is withheld, with the fix.
    package static func wayOut(of path: String) -> String {
        "systemd did not hand over \(path): a container (Proxmox, LXC) may have emptied LoadCredential=; let the daemon read "
            + "the file itself: chown jarvis-voiced \(path), then systemctl restart jarvis-voiced"
    }

    /// - Parameter key: nil for a service that needs none.
    package func key(_ key: ServiceKey?) -> Found { key.flatMap { keys[$0] } ?? Found.none }

    /// Everything that must not appear in any text.
    package var all: [Secret] { (keys.values + [jarvisToken] + tokens.values).compactMap(\.secret) }

    package func hasSameKeys(as other: Secrets) -> Bool { keys.mapValues(\.secret) == other.keys.mapValues(\.secret) }

    package func hasSameTokens(as other: Secrets) -> Bool {
        jarvisToken.secret == other.jarvisToken.secret
            && tokens.mapValues(\.secret) == other.tokens.mapValues(\.secret)
    }

    /// The token of an assistant's agent.
    package func token(of assistant: Assistant) -> Found {
        assistant.hasOwnToken ? tokens[assistant.word] ?? Found.none : jarvisToken
    }

    private struct Search {
        let environment: [String: String]
        let files: FileReader
        var warnings: [String] = []
        var problems: [ConfigurationProblem] = []
        var withheld: [String: String] = [:]
        /// The credential that is being looked for.
        private var credential = ""
        /// Follows the message that its file cannot be read.
        private var remedy = ""

        init(environment: [String: String], files: FileReader) {
            self.environment = environment
            self.files = files
        }

        /// Folder of the files that the unit hands over as credentials; nil if the daemon was not started by a unit.
        private var folder: String? {
            guard environment["CREDENTIALS_DIRECTORY"] != nil || environment["NOTIFY_SOCKET"] != nil else { return nil }
            // Only the user's own service manager has one.
            guard environment["XDG_RUNTIME_DIR"] != nil else { return "/etc/jarvis-voiced" }
            return (environment["XDG_CONFIG_HOME"] ?? environment["HOME"].map { $0 + "/.config" }).map {
                $0 + "/jarvis-voiced"
            }
        }

        /// - Parameter isOfUnit: whether the unit lists the credential; others are files of the daemon's user.
        mutating func find(
            key: String,
            path: String,
            credential: String,
            variables: [String],
            isOfUnit: Bool = true
        ) -> Found {
            self.credential = credential
            remedy = isOfUnit ? "" : ": it must belong to the daemon's user, so chown jarvis-voiced it"
            if !path.isEmpty {
                return read(path, named: key, origin: "file \(path)", isOptional: false) ?? .none
            }
            if let folder = environment["CREDENTIALS_DIRECTORY"], folder.hasPrefix("/"),
                let found = read(
                    "\(folder)/\(credential)", named: "credential \(credential)", origin: "credential \(credential)",
                    isOptional: true
                )
            {
                return found
            }
            for name in variables {
                guard let text = environment[name], !text.isEmpty else { continue }
                guard let secret = Secret(text) else {
                    complain(
                        "$" + name, "contains no usable secret: it must be one line of printable ASCII without blanks"
                    )
                    continue
                }
                return Found(secret: secret, origin: "environment \(name)")
            }
            guard let path = folder.map({ "\($0)/\(credential)" }) else { return .none }
            if isOfUnit, case .system? = fault(path) {
                withheld[credential] = path
                return .none
            }
            return read(path, named: path, origin: "file \(path)", isOptional: true) ?? .none
        }

        private func fault(_ path: String) -> FileReader.Fault? {
            do {
                _ = try files.read(path, Secrets.maximumBytes)
                return nil
            } catch { return error }
        }

        /// nil if an optional file is absent or blank: the unit sets blank credentials so that systemd starts the
        /// daemon even if a file is missing.
        private mutating func read(_ path: String, named name: String, origin: String, isOptional: Bool) -> Found? {
            do {
                let file = try files.read(path, Secrets.maximumBytes)
                if isOptional, file.bytes.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) { return nil }
                guard let secret = Secret(String(decoding: file.bytes, as: UTF8.self)) else {
                    complain(
                        name, "\(path) contains no usable secret: it must be one line of printable ASCII without blanks"
                    )
                    return Found.none
                }
                if file.isReadableByOthers {
                    warnings.append("\(path) is readable by every user of this machine: chmod o-r \(path)")
                }
                return Found(secret: secret, origin: origin)
            } catch .absent where isOptional {
                return nil
            } catch {
                complain(name, "\(path) cannot be read: \(error)\(remedy)", isUnreadable: true)
                return Found.none
            }
        }

        private mutating func complain(_ place: String, _ message: String, isUnreadable: Bool = false) {
            var problem = ConfigurationProblem(place: place, message: message)
            (problem.credential, problem.isUnreadable) = (credential, isUnreadable)
            problems.append(problem)
        }
    }
}

extension Secrets.Found {
    fileprivate static let none = Secrets.Found(secret: nil, origin: nil)
}

/// A secret that can be replaced while it is in use.
package final class SharedSecret: Sendable {
    private let content: Mutex<Secret?>

    package init(_ secret: Secret?) {
        content = Mutex(secret)
    }

    package var value: Secret? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}
