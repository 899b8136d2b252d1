import CZlib
import Testing

@testable import TestSupport
@testable import VoiceNetwork

/// Compressed replies, and those that would unpack to gigabytes.
struct TransferCodingTests {
    @Test(arguments: [
        ("Content-Encoding: gzip\r\n", true), ("Content-Encoding: x-gzip\r\n", true),
        ("Content-Encoding: DEFLATE\r\n", true),
        ("Content-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", true), ("", true),
        ("Content-Encoding: gzip, gzip\r\n", false), ("Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n", false),
        ("Content-Encoding: br\r\n", false), ("Content-Encoding: zstd\r\n", false),
        ("Content-Encoding: lz4\r\n", false), ("Content-Encoding: gzip;q=1\r\n", false),
        ("Content-Encoding: none, gzip\r\n", true), ("Content-Encoding: none, br\r\n", false),
        ("Transfer-Encoding: gzip, chunked\r\n", false), ("Transfer-Encoding: none\r\n", false),
        ("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", false),
        ("Transfer-Encoding: chunked, chunked\r\n", false),
    ])
    func singleCodingIsAccepted(fields: String, isAccepted: Bool) {
        let headers = fields.split(separator: "\r\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (name: String(parts[0]), value: String(parts[1].dropFirst()))
        }
        #expect(TransferCoding(headers).isAccepted(compressed: true) == isAccepted)
    }

    @Test func unofferedCompressionIsRefused() {
        #expect(!TransferCoding([("Content-Encoding", "gzip")]).isAccepted(compressed: false))
        #expect(TransferCoding([("Transfer-Encoding", "chunked")]).isAccepted(compressed: false))
    }

    @Test(arguments: ["none", "utf-8", "UTF-8, identity", "binary", "aws-chunked", ""])
    func meaninglessCodingLeavesTheReplyAsItIs(coding: String) async throws {
        let script: LoopbackServer.Script = { socket in
            _ = socket.readHeader()
            socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: 5\r\n\r\nsound")
        }
        let server = try LoopbackServer(script, script)
        let url = "http://127.0.0.1:\(server.port)/"
        try await NetworkThread.with { network in
            #expect(try await network.perform(HTTPRequest(url: url)).body == Array("sound".utf8))
            let stream = try await network.open(HTTPRequest(url: url, decompresses: true))
            #expect(try await stream.next() == Array("sound".utf8))
        }
    }

    /// libcurl would unpack them on the network thread, for every client, however many there are.
    @Test(arguments: [
        "Transfer-Encoding: gzip, gzip, gzip, chunked", "Content-Encoding: gzip\r\nContent-Encoding: gzip",
        "Content-Encoding: br",
        String(repeating: "A: b\r\n", count: 300) + "Content-Encoding: gzip\r\nContent-Encoding: gzip",
    ])
    func refusesAReplyInItsHead(fields: String) async throws {
        let script: LoopbackServer.Script = { socket in
            _ = socket.readHeader()
            socket.write("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n" + String(repeating: "x", count: 1000))
        }
        let server = try LoopbackServer(script, script)
        let url = "http://127.0.0.1:\(server.port)/"
        try await NetworkThread.with { network in
            await #expect(throws: HTTPFailure.badCoding) {
                _ = try await network.open(HTTPRequest(url: url, decompresses: true))
            }
            await #expect(throws: HTTPFailure.badCoding) { _ = try await network.perform(HTTPRequest(url: url)) }
        }
    }

    /// 10 kB of gzip that unpack to 10 MB of zeros, a slice at a time.
    @Test func unpacksInSlicesUpToTheBoundOfTheReply() async throws {
        let packed = Self.packed(zeros: 10 << 20)
        let script: LoopbackServer.Script = { socket in
            _ = socket.readHeader()
            socket.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n")
            socket.write(packed)
        }
        let server = try LoopbackServer(script, script)
        try await NetworkThread.with { network in
            for limit in [16 << 20, 4 << 20] {
                let url = "http://127.0.0.1:\(server.port)/"
                let stream = try await network.open(
                    HTTPRequest(url: url, maximumReplyBytes: limit, decompresses: true)
                )
                var count = 0
                do throws(HTTPFailure) {
                    while let piece = try await stream.next() {
                        #expect(piece.count <= Inflater.slice && piece.allSatisfy { $0 == 0 })
                        count += piece.count
                    }
                    #expect(count == 10 << 20 && limit > count)
                } catch {
                    #expect(error == .replyTooLarge(limit: limit) && limit < 10 << 20)
                }
            }
        }
    }

    /// So many zeros, compressed with gzip.
    private static func packed(zeros count: Int) -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        deflateInit2_(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        defer { deflateEnd(&stream) }
        var zeros = [UInt8](repeating: 0, count: count)
        return zeros.withUnsafeMutableBufferPointer { zeros in
            stream.next_in = zeros.baseAddress
            stream.avail_in = UInt32(count)
            return [UInt8](unsafeUninitializedCapacity: count + 1000) { room, used in
                stream.next_out = room.baseAddress
                stream.avail_out = UInt32(room.count)
                deflate(&stream, Z_FINISH)
                used = room.count - Int(stream.avail_out)
            }
        }
    }

    @Test func readsMembersOneAfterAnother() throws {
        let member = Self.packed(zeros: 100)
        let inflater = Inflater()
        var count = 0
        for byte in member + member + Array("junk".utf8) {
            inflater.add([byte])
            while let piece = try inflater.next() { count += piece.count }
        }
        #expect(count == 200)
    }

    @Test(arguments: [[0x1F, 0x8B, 0x09, 0x00], [0xFF, 0xFF, 0xFF, 0xFF], [0x78, 0x9C, 0xFF, 0xFF]])
    func uncompressedBodyIsRefused(bytes: [UInt8]) throws {
        let inflater = Inflater()
        inflater.add(bytes)
        #expect(throws: Inflater.Malformed.self) { while try inflater.next() != nil {} }
    }
}
