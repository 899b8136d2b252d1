internal import Glibc
internal import NIOCore
internal import VoiceBase

/// A file of the page, in memory: requests never touch the disk.
package struct PageFile: Sendable {
    let type: String
    let bytes: ByteBuffer

    private static let names = [
        "/": ("index.html", "text/html; charset=utf-8"), "/page.css": ("page.css", "text/css; charset=utf-8"),
        "/page.js": ("page.js", "text/javascript; charset=utf-8"), "/icon.svg": ("icon.svg", "image/svg+xml"),
    ]

    /// Reads the files of the page, by path.
    package static func all(in folder: String) throws(BridgeConfiguration.Problem) -> [String: PageFile] {
        var files: [String: PageFile] = [:]
        for (path, (name, type)) in names {
            do {
                let file = try FileReader.system.read("\(folder)/\(name)", 1 << 20)
                files[path] = PageFile(type: type, bytes: ByteBuffer(bytes: file.bytes))
            } catch {
                throw .init("\(folder)/\(name): \(error); name the folder of the page with --page")
            }
        }
        return files
    }

    /// Where the page is installed, beside the program; nothing else is served, unless it is named.
    package static var folder: String {
        guard let program = realpath("/proc/self/exe", nil) else { return "/usr/share/jarvis-voiced/page" }
        defer { free(program) }
        let parts = String(cString: program).split(separator: "/").dropLast(2)
        return "/" + (parts + ["share", "jarvis-voiced", "page"]).joined(separator: "/")
    }
}
