internal import Glibc
internal import VoiceBase

/// A folder with TensorFlow Lite's library and wake-word models: per word NAME.json, which describes how to run it, and
/// the .tflite file that it names.
package struct WakeModelFolder: Equatable, Sendable {
    package static let name = "wake"
    package static let libraryName = "libtensorflowlite_c.so"
    /// The folder used by the system service.
    package static let service = StateDirectory.service + "/" + name
    private static let longestManifest = 16 << 10
    private static let longestModel = 4 << 20

    package let path: String
    /// Path of TensorFlow Lite's library; in the folder by default.
    package let library: String
    /// Whether it holds the library, which is installed last.
    package var isFilled: Bool { Folder.names(in: path).contains(Self.libraryName) }

    package init(path: String, library: String? = nil) {
        self.path = path
        self.library = library ?? path + "/" + Self.libraryName
    }

    /// Uses the configured folder; otherwise the first that is filled, in the state folder or the service's.
    package init(configured: String, environment: [String: String]) {
        guard configured.isEmpty else {
            self.init(path: configured)
            return
        }
        let own = StateDirectory.path(environment: environment).map { $0 + "/" + Self.name }
        let folders = [own, Self.service].compactMap { $0 }
        self.init(path: folders.first { Self(path: $0).isFilled } ?? folders[0])
    }

    /// Whether this user may not look into a folder; it may not even be there.
    package static func isHidden(_ folder: String) -> Bool {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return false
        }
        return errno == EACCES
    }

    /// Whether the models in a folder are the service's, which only root may install.
    package static func isService(_ path: String) -> Bool {
        path == StateDirectory.service || path.hasPrefix(StateDirectory.service + "/")
    }

    /// The command that installs models where this process looks for them.
    static func installCommand(intoStateFolder state: String?) -> String {
        (state.map(isService) ?? false ? "sudo " : "") + "jarvis-voiced wake install"
    }

    /// The words with a model, as written in the configuration.
    package var words: [String] {
        Folder.names(in: path).filter { $0.hasSuffix(".json") }.map { Configuration.Word.plain($0.dropLast(5)) }
    }

    /// - Throws: if there is no library, with the fix.
    func checkLibrary() throws(WakeWordError) {
        let place = library.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        guard Folder.names(in: place).contains(Self.libraryName) else {
            let command = Self.installCommand(intoStateFolder: place)
            throw WakeWordError("\(place) has no \(Self.libraryName): run \"\(command)\"")
        }
    }

    /// Returns a word's manifest and the bytes of its model.
    ///
    /// - Throws: what is missing or invalid, with the fix.
    func model(
        of word: String,
        isStop: Bool = false,
        files: FileReader = .system
    ) throws(WakeWordError) -> (MicroWakeWordManifest, [UInt8]) {
        try checkLibrary()
        let names = Folder.names(in: path)
        guard
            let name = names.first(where: {
                $0.hasSuffix(".json") && Configuration.Word.plain($0.dropLast(5)) == Configuration.Word.plain(word)
            })
        else {
            if isStop { throw WakeWordError("\(path) has no \(word).json, the model that activation.stop_model names") }
            let known = words.isEmpty ? "none" : words.joined(separator: ", ")
            throw WakeWordError(
                "\(path) has no model of \"\(word)\" (it has \(known)): activation.wake_words takes those"
            )
        }
        let manifest: MicroWakeWordManifest
        do {
            let bytes = try files.read(path + "/" + name, Self.longestManifest).bytes
            manifest = try MicroWakeWordManifest(bytes)
        } catch {
            throw WakeWordError("\(path)/\(name): \(error)")
        }
        do throws(FileReader.Fault) {
            return (manifest, try files.read(path + "/" + manifest.model, Self.longestModel).bytes)
        } catch {
            throw WakeWordError("\(path)/\(manifest.model): \(error)")
        }
    }
}
