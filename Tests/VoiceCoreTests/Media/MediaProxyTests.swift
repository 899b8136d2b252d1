import CLinux
import FoundationEssentials
import Glibc
import Synchronization
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceMedia
@testable import VoiceNetwork

/// The decoder's only way to the network.
struct MediaProxyTests {
    /// Returns everything that a client receives from a proxy.
    private func ask(
        _ proxy: MediaProxy,
        _ text: String,
        credentials: String? = nil
    ) async throws -> String {
        // Blocks, and the proxy needs one of Swift's few threads to start.
        try await OwnThread.run("jv-test-client") {
            Result { try Self.fetch(proxy, text, credentials: credentials) }
        }.get()
    }

    private static func fetch(
        _ proxy: MediaProxy,
        _ text: String,
        credentials: String? = nil
    ) throws -> String {
        let address = try #require(proxy.environment.first).dropFirst("http_proxy=http://".count)
        let parts = address.split { $0 == "@" || $0 == ":" }.map(String.init)
        let right = "Basic " + Data("\(parts[0]):\(parts[1])".utf8).base64EncodedString()
        let stop = clinux_eventfd()
        defer { close(stop) }
        let host = try #require(NetworkAddress(text: parts[2]))
        let port = try #require(Int(parts[3]))
        let socket = try StreamSocket.connect(to: host, port: port, patience: .seconds(10), stop: stop)
        let head = text + "\r\nProxy-Authorization: \(credentials ?? right)\r\n\r\n"
        _ = try socket.write(Array(head.utf8)[...])
        var reply: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while reply.count < 4 << 20 {
            var entry = pollfd(fd: socket.file, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 20_000) > 0 else { break }
            let count = try? buffer.withUnsafeMutableBytes { try socket.read(into: $0) }
            guard let count, count > 0 else { break }
            reply += buffer[..<count]
        }
        return String(decoding: reply, as: UTF8.self)
    }

    private func started(
        _ place: MediaSource.Place = .init(address: "http://127.0.0.1/"),
        policy: MediaPolicy,
        _ limits: MediaProxy.Limits = .init(),
        lookUp: @escaping @Sendable (String) -> [NetworkAddress] = { _ in [] }
    ) throws -> MediaProxy {
        let proxy = try MediaProxy(place, policy: policy, limits: limits, lookUp: lookUp)
        proxy.run()
        return proxy
    }

    @Test func proxyServesOnlyWithItsSecret() async throws {
        let heads = Mutex<[String]>([])
        let server = try LoopbackServer { socket in
            let head = socket.readHeader()
            heads.withLock { $0.append(head) }
            socket.write("HTTP/1.1 200 OK\r\n\r\nsound")
        }
        let proxy = try started(policy: MediaPolicy(hosts: "127.0.0.1"))
        let request = "GET http://127.0.0.1:\(server.port)/a HTTP/1.1"
        for credentials in ["", "Basic amFydmlzOg==", "Digest x"] {
            let reply = try await ask(proxy, request, credentials: credentials)
            #expect(reply.hasPrefix("HTTP/1.1 407 ") && reply.contains("Proxy-Authenticate: Basic"))
        }
        #expect(heads.withLock { $0.isEmpty })
        #expect(try await ask(proxy, request) == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsound")
        let head = heads.withLock { $0.first } ?? ""
        #expect(head.hasPrefix("GET /a HTTP/1.1\r\n"))
        #expect(!head.contains("Basic"), "the secret goes no further")
        proxy.close()
    }

    @Test(arguments: [
        "127.0.0.1", "169.254.169.254", "10.0.0.1", "192.168.1.1", "[::1]", "[fe80::1]", "[::ffff:127.0.0.1]",
        "localhost",
        "inner.example", "half.example",
    ])
    func innerAddressesAreRefused(host: String) async throws {
        // One inner address among public ones is enough.
        let proxy = try started(
            policy: MediaPolicy(),
            lookUp: { name in
                let inner = ["127.0.0.1"]
                let half = ["93.184.216.34", "10.0.0.1"]
                return (name == "half.example" ? half : inner).compactMap(NetworkAddress.init(text:))
            }
        )
        #expect(try await ask(proxy, "GET http://\(host):9/a HTTP/1.1").hasPrefix("HTTP/1.1 403 "))
        let secure = SecureAddress.plain("https://\(host):9/a")
        #expect(secure != "https://\(host):9/a")
        #expect(try await ask(proxy, "GET \(secure) HTTP/1.1").hasPrefix("HTTP/1.1 403 "))
        #expect(proxy.lastProblem?.contains("is in a private network") == true)
        proxy.close()
    }

    /// The name resolved to a public address at first.
    @Test func changedAddressOfANameIsRefused() async throws {
        let server = MediaServer()
        let port = try await server.start()
        let asked = Mutex(0)
        let lookUp: @Sendable (String) -> [NetworkAddress] = { _ in
            let text = asked.withLock { count in
                count += 1
                return count == 1 ? "93.184.216.34" : "127.0.0.1"
            }
            return [NetworkAddress(text: text)].compactMap { $0 }
        }
        let policy = MediaPolicy()
        let url = try policy.network("http://radio.example:\(port)/a")
        #expect(policy.allows(lookUp(url.host), of: url))
        let proxy = try started(policy: policy, lookUp: lookUp)
        #expect(try await ask(proxy, "GET http://radio.example:\(port)/a HTTP/1.1").hasPrefix("HTTP/1.1 403 "))
        #expect(server.requests.isEmpty)
        proxy.close()
        await server.stop()
    }

    /// Arguments and the decoder's environment show neither the address nor what the server may know.
    @Test func theDecoderIsSentToTheAddressOfTheJob() async throws {
        let place = MediaSource.Place(address: "https://a.example/b.mp3?key=secret")
        let proxy = try started(place, policy: MediaPolicy(), .init())
        let start = MediaProxy.startAddress(of: place.address)
        #expect(start == "http://media.invalid/start.mp3")
        let reply = try await ask(proxy, "GET \(start) HTTP/1.1")
        #expect(reply.contains("Location: http://a.example.https.invalid:443/b.mp3?key=secret\r\n"))
        #expect(try await ask(proxy, "GET \(start) HTTP/1.1", credentials: "Basic x").hasPrefix("HTTP/1.1 407 "))
        proxy.close()
    }

    /// A redirect that wants its cookie back, and a server that asks for a password.
    @Test func cookiesAndPasswordsStayInTheProxy() async throws {
        let heads = Mutex<[String]>([])
        let moved = "HTTP/1.1 302 Found\r\nSet-Cookie: t=2; Path=/x\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"
        let scripts = [moved, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"].map { answer -> LoopbackServer.Script in
            { socket in
                heads.withLock { $0.append(socket.readHeader()) }
                socket.write(answer)
            }
        }
        let server = try LoopbackServer(scripts[0], scripts[1])
        let url = try #require(ServerURL("http://127.0.0.1:\(server.port)/"))
        var place = MediaSource.Place(address: "http://127.0.0.1:\(server.port)/a")
        place.secrets.keep(cookie: "s=1", from: url)
        place.secrets.keep(authorization: "Basic dTpw", for: url)
        let proxy = try started(place, policy: MediaPolicy(hosts: "127.0.0.1"), .init())
        #expect(try await !ask(proxy, "GET \(place.address) HTTP/1.1").contains("Set-Cookie"))
        _ = try await ask(proxy, "GET http://127.0.0.1:\(server.port)/b HTTP/1.1\r\nCookie: own=3")
        let asked = heads.withLock { $0 }
        #expect(asked[0].contains("Cookie: s=1\r\nAuthorization: Basic dTpw\r\n"), "\(asked)")
        #expect(asked[1].contains("Cookie: s=1; t=2\r\nAuthorization: Basic dTpw\r\n"), "\(asked)")
        proxy.close()
    }

    /// A tunnel would carry data that cannot be inspected.
    @Test func aTunnelIsRefused() async throws {
        let proxy = try started(policy: MediaPolicy(hosts: "127.0.0.1"))
        #expect(try await ask(proxy, "CONNECT 127.0.0.1:9 HTTP/1.1").hasPrefix("HTTP/1.1 400 "))
        proxy.close()
    }

    @Test func publicAddressOfTheHomeIsRefused() async throws {
        let home = HomeNetwork([
            .init(bytes: [0x26, 0x06, 0x47, 0, 0, 1, 2, 3] + [UInt8](repeating: 0, count: 8), length: 64)
        ])
        let proxy = try MediaProxy(
            .init(address: "http://nas.example/"),
            policy: MediaPolicy(),
            lookUp: { _ in [NetworkAddress(text: "2606:4700:1:2ff::9")].compactMap { $0 } },
            home: { home }
        )
        proxy.run()
        #expect(try await ask(proxy, "GET http://nas.example:9/a HTTP/1.1").hasPrefix("HTTP/1.1 403 "))
        proxy.close()
    }

    @Test func overlongAnswerIsCutOff() async throws {
        let server = MediaServer()
        let port = try await server.start()
        server.serve("/a", .huge(type: "audio/mpeg", [UInt8](repeating: 7, count: 100_000), length: 5 << 30))
        let proxy = try started(policy: MediaPolicy(hosts: "127.0.0.1"), .init(bytes: 1 << 20))
        // What the server sends counts, not the line that the proxy adds to its head.
        let added = "Connection: close\r\n"
        let answer = try await ask(proxy, "GET http://127.0.0.1:\(port)/a HTTP/1.1")
        #expect(answer.utf8.count - added.utf8.count <= 1 << 20)
        #expect(proxy.lastProblem == "it is longer than 1 MB")
        proxy.close()
        await server.stop()
    }

    @Test func badRequestsAndMissingHostsAreReported() async throws {
        let proxy = try started(policy: MediaPolicy(hosts: "127.0.0.1 gone.example"))
        #expect(try await ask(proxy, "nonsense").hasPrefix("HTTP/1.1 400 "))
        #expect(try await ask(proxy, "GET http://gone.example/ HTTP/1.1").hasPrefix("HTTP/1.1 502 "))
        #expect(proxy.lastProblem == "the host gone.example cannot be resolved")
        #expect(try await ask(proxy, "GET http://127.0.0.1:1/ HTTP/1.1").hasPrefix("HTTP/1.1 502 "))
        #expect(proxy.lastProblem == "127.0.0.1: Connection refused")
        proxy.close()
    }
}
