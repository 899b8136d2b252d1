@testable import VoiceBase

extension FileReader {
    /// Reads the given files and no others.
    static func stub(_ files: [String: [UInt8]], readableByOthers: Bool = false) -> FileReader {
        FileReader { (path, limit) throws(Fault) in
            guard let bytes = files[path] else { throw .absent }
            guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
            return File(bytes: bytes, isReadableByOthers: readableByOthers)
        }
    }
}
