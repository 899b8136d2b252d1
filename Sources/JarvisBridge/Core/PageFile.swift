internal import CDeflate
internal import Glibc
internal import NIOCore
internal import VoiceBase

/// A file of the page, in memory: requests never touch the disk.
package struct PageFile: Sendable {
    let type: String
    let bytes: ByteBuffer
    /// The page compressed by gzip; nil if it is not smaller, or zlib is missing.
    let packed: ByteBuffer?

    private static let names = [
        "/": ("index.html", "text/html; charset=utf-8"), "/page.css": ("page.css", "text/css; charset=utf-8"),
        "/page.js": ("page.js", "text/javascript; charset=utf-8"), "/icon.svg": ("icon.svg", "image/svg+xml"),
        "/icon-192.png": ("icon-192.png", "image/png"), "/icon-512.png": ("icon-512.png", "image/png"),
        "/apple-touch-icon.png": ("apple-touch-icon.png", "image/png"),
    ]
    private static let manifestPath = "/manifest.webmanifest"
    static let paths = Set(names.keys).union([manifestPath])

    init(type: String, bytes: [UInt8]) {
        self.type = type
        self.bytes = ByteBuffer(bytes: bytes)
        var room = [UInt8](repeating: 0, count: bytes.count + bytes.count / 1000 + 64)
        let count = cdeflate_gzip(bytes, bytes.count, &room, room.count)
        packed = count > 0 && count < bytes.count ? ByteBuffer(bytes: room[..<count]) : nil
    }

    /// Reads the files of the page, by path.
    /// - Parameter name: the box's, under which a phone keeps the page.
    package static func all(in folder: String, name: String) throws(BridgeConfiguration.Problem) -> [String: PageFile] {
        let manifest = Array(manifest(name).line.utf8)
        var files = [manifestPath: PageFile(type: "application/manifest+json", bytes: manifest)]
        for (path, (name, type)) in names {
            do {
                files[path] = PageFile(
                    type: type, bytes: try FileReader.system.read("\(folder)/\(name)", 1 << 20).bytes
                )
            } catch {
                throw .init("\(folder)/\(name): \(error); name the folder of the page with --page")
            }
        }
        return files
    }

    /// The manifest with which a phone puts the page on its home screen (https://www.w3.org/TR/appmanifest).
    private static func manifest(_ name: String) -> JSONValue {
        func icon(_ path: String, _ sizes: String, _ type: String) -> JSONValue {
            ["src": .string(path), "sizes": .string(sizes), "type": .string(type)]
        }
        return [
            "name": .string("Jarvis: \(name)"), "short_name": .string(name), "id": "/", "start_url": "/", "scope": "/",
            "display": "standalone", "background_color": "#0d1015", "theme_color": "#0d1015",
            "icons": [
                icon("icon-192.png", "192x192", "image/png"), icon("icon-512.png", "512x512", "image/png"),
                icon("icon.svg", "any", "image/svg+xml"),
            ],
        ]
    }

    /// Where the page is installed, beside the program; nothing else is served, unless it is named.
    package static var folder: String {
        guard let program = realpath("/proc/self/exe", nil) else { return "/usr/share/jarvis-voiced/page" }
        defer { free(program) }
        let parts = String(cString: program).split(separator: "/").dropLast(2)
        return "/" + (parts + ["share", "jarvis-voiced", "page"]).joined(separator: "/")
    }
}
