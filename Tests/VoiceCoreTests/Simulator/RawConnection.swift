import Glibc

/// A blocking TCP connection to 127.0.0.1 that gives up after ten seconds.
final class RawConnection {
    struct Failure: Error { var what: String }

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(what: "connect: \(errno)") }
    }

    deinit { Glibc.close(descriptor) }

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(what: "send: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// Exactly so many bytes; nil at the end of the stream.
    func read(_ count: Int) throws -> [UInt8]? {
        while buffer.count < count {
            guard try fill() else { return nil }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// The next line without its CRLF; nil at the end of the stream.
    func line() throws -> String? {
        while true {
            if let end = buffer.firstIndex(of: 10) {
                let text = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end + 1)
                return text.hasSuffix("\r") ? String(text.dropLast()) : text
            }
            guard try fill() else { return nil }
        }
    }

    /// One HTTP response with Content-Length; the body is short if the server cut it.
    func response() throws -> (status: Int, headers: [String: String], body: String)? {
        guard let first = try line() else { return nil }
        var headers: [String: String] = [:]
        while let text = try line(), !text.isEmpty {
            let sides = text.split(separator: ":", maxSplits: 1)
            headers[sides[0].lowercased()] = String(sides.last ?? "").trimmingPrefix(" ").description
        }
        let length = Int(headers["content-length"] ?? "0") ?? 0
        while buffer.count < length {
            guard try fill() else { break }
        }
        let body = String(decoding: buffer.prefix(length), as: UTF8.self)
        buffer.removeFirst(min(length, buffer.count))
        return (Int(first.split(separator: " ")[1]) ?? 0, headers, body)
    }

    private func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count < 0 && errno != ECONNRESET { throw Failure(what: "recv: \(errno)") }
        buffer.append(contentsOf: chunk.prefix(max(0, count)))
        return count > 0
    }
}
