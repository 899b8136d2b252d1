import FoundationEssentials
import Testing

/// Files of the project, by their path from its root.
enum ProjectFiles {
    static func url(_ path: String) -> URL {
        (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }.appending(path: path)
    }

    static func text(_ path: String) throws -> String {
        try String(decoding: Data(contentsOf: url(path)), as: UTF8.self)
    }

    /// Whether a file is what the program generates; writes it first if `UPDATE_SAMPLE` is set.
    static func isGenerated(_ path: String, _ wanted: String) throws -> Bool {
        if ProcessInfo.processInfo.environment["UPDATE_SAMPLE"] != nil { try Data(wanted.utf8).write(to: url(path)) }
        return try text(path) == wanted
    }
}
