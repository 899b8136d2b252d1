internal import VoiceBase

/// The folder with TensorFlow Lite's library and the models of words: for each NAME.json, which says how it is to be run,
/// and the NAME.tflite that this names.
package struct WakeModelFolder: Equatable, Sendable {
    package static let name = "wake"
    package static let libraryName = "libtensorflowlite_c.so"
    /// Where the service keeps it.
    package static let service = StateDirectory.service + "/" + name
    private static let longestManifest = 16 << 10
    private static let longestModel = 4 << 20

    package let path: String
    /// TensorFlow Lite's, which is in the folder unless another is named.
    package let library: String
    /// Whether it has the library, which is put there last.
    package var isFilled: Bool { Folder.names(in: path).contains(Self.libraryName) }

    package init(path: String, library: String? = nil) {
        self.path = path
        self.library = library ?? path + "/" + Self.libraryName
    }

    /// The folder that is configured; where none is, the one that is there: in the state folder, then the service's.
    package init(configured: String, environment: [String: String]) {
        guard configured.isEmpty else {
            self.init(path: configured)
            return
        }
        let own = StateDirectory.path(environment: environment).map { $0 + "/" + Self.name }
        let folders = [own, Self.service].compactMap { $0 }
        self.init(path: folders.first { Self(path: $0).isFilled } ?? folders[0])
    }

    /// The words that there are models of, as they are written in the configuration.
    package var words: [String] {
        Folder.names(in: path).filter { $0.hasSuffix(".json") }.map { Self.plain($0.dropLast(5)) }
    }

    /// In lower case, with spaces between the words.
    static func plain(_ name: some StringProtocol) -> String {
        name.split { $0 == " " || $0 == "_" }.joined(separator: " ").lowercased()
    }

    /// - Throws: that there is no library, with the way out.
    func checkLibrary() throws(WakeWordError) {
        let place = library.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        guard Folder.names(in: place).contains(Self.libraryName) else {
            throw WakeWordError("\(place) has no \(Self.libraryName): run \"jarvis-voiced wake install\"")
        }
    }

    /// What is said of the model of a word, and its bytes.
    ///
    /// - Throws: what is missing or cannot be, with the way out.
    func model(of word: String, files: FileReader = .system) throws(WakeWordError) -> (MicroWakeWordManifest, [UInt8]) {
        try checkLibrary()
        let names = Folder.names(in: path)
        guard let name = names.first(where: { $0.hasSuffix(".json") && Self.plain($0.dropLast(5)) == Self.plain(word) })
        else {
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
