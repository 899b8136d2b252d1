internal import CSherpa
internal import Glibc
package import VoiceBase

/// Keyword spotting with sherpa-onnx, loaded at run time: a streaming transducer with a keyword list.
package final class SherpaSpotter: WakeWordDetector {
    /// Location of library and model.
    package struct Place: Equatable, Sendable {
        /// Path of libsherpa-onnx-c-api.so, or its name, which the dynamic linker searches for.
        package var library: String
        /// Folder with encoder, decoder and joiner (*.onnx), tokens.txt and keywords.txt.
        package var model: String

        package init(library: String, model: String) {
            self.library = library
            self.model = model
        }
    }

    private let spotter: OpaquePointer
    private let words: WakeWords
    /// Buffer for the keyword found.
    private let keyword = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 256)

    /// - Throws: what is missing, with the fix.
    package init(_ words: WakeWords, at place: Place, files: FileReader = .system) throws(WakeWordError) {
        self.words = words
        let model = try SherpaModel(folder: place.model)
        try model.check(words, files: files)
        var error = [CChar](repeating: 0, count: 512)
        let opened = model.withPaths { paths in
            withUnsafePointer(to: paths) { csherpa_open(place.library, $0, &error, error.count) }
        }
        guard let opened else {
            keyword.deallocate()
            throw WakeWordError(String(decoding: error.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        spotter = opened
    }

    deinit {
        csherpa_close(spotter)
        keyword.deallocate()
    }

    package func process(_ samples: UnsafeBufferPointer<Int16>) throws(WakeWordError) -> [WakeCandidate] {
        guard let base = samples.baseAddress, let room = keyword.baseAddress else { return [] }
        guard csherpa_process(spotter, base, samples.count) else { throw WakeWordError("sherpa-onnx fails") }
        var found: [WakeCandidate] = []
        while csherpa_found(spotter, room, keyword.count) {
            let name = WakeModelFolder.plain(String(cString: room))
            // Keywords that are not in the configuration do not count. A find rests on many frames and is reported
            // once.
            if words[name] != nil { found.append(WakeCandidate(name, .certain)) }
        }
        return found
    }

    package func reset() { _ = csherpa_restart(spotter) }
}

/// The files of a keyword model in one folder, as released.
struct SherpaModel {
    let folder: String
    private let encoder: String
    private let decoder: String
    private let joiner: String

    private var tokens: String { folder + "/tokens.txt" }
    private var keywords: String { folder + "/keywords.txt" }

    init(folder: String) throws(WakeWordError) {
        self.folder = folder
        var names: [String] = []
        guard let directory = opendir(folder) else {
            throw WakeWordError("there is no folder \(folder): activation.sherpa_model names the one with the model")
        }
        while let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            )
        }
        closedir(directory)
        func find(_ part: String) throws(WakeWordError) -> String {
            // Prefers the variant in 8-bit integers, which a small box can run.
            let found = names.filter { $0.hasPrefix(part) && $0.hasSuffix(".onnx") }.sorted()
            guard let name = found.first(where: { $0.contains("int8") }) ?? found.first else {
                throw WakeWordError("\(folder) has no \(part)*.onnx: it wants a streaming keyword model of sherpa-onnx")
            }
            return folder + "/" + name
        }
        encoder = try find("encoder")
        decoder = try find("decoder")
        joiner = try find("joiner")
        guard access(tokens, R_OK) == 0 else { throw WakeWordError("\(folder) has no tokens.txt") }
    }

    /// Returns the names in keywords.txt.
    func keywordNames(files: FileReader = .system) throws(WakeWordError) -> [String] {
        guard let bytes = try? files.read(keywords, 1 << 20).bytes else {
            throw WakeWordError("\(folder) has no keywords.txt: make one with sherpa-onnx-cli text2token")
        }
        return Self.names(String(decoding: bytes, as: UTF8.self))
    }

    /// Checks that every wake word is among the keywords.
    func check(_ words: WakeWords, files: FileReader) throws(WakeWordError) {
        let names = try keywordNames(files: files)
        for word in words.words where !word.isStop && !names.contains(word.text) {
            throw WakeWordError("\(keywords) does not have \"\(word.text)\": add it with sherpa-onnx-cli text2token")
        }
    }

    /// Returns the keywords of a list with one line each: "▁HE Y ▁JAR VI S :1.5 #0.35 @HEY JARVIS"; without a name, the
    /// joined tokens.
    static func names(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { line in
            if let at = line.firstIndex(of: "@") { return WakeModelFolder.plain(line[line.index(after: at)...]) }
            let tokens = line.split(separator: " ").filter { !$0.hasPrefix(":") && !$0.hasPrefix("#") }
            return WakeModelFolder.plain(tokens.joined().split(separator: "\u{2581}").joined(separator: " "))
        }
    }

    func withPaths<Result>(_ body: (csherpa_model) -> Result) -> Result {
        encoder.withCString { encoder in
            decoder.withCString { decoder in
                joiner.withCString { joiner in
                    tokens.withCString { tokens in
                        keywords.withCString { keywords in
                            body(
                                csherpa_model(
                                    encoder: encoder,
                                    decoder: decoder,
                                    joiner: joiner,
                                    tokens: tokens,
                                    keywords: keywords
                                )
                            )
                        }
                    }
                }
            }
        }
    }
}
