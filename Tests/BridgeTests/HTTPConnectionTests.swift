import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import VoiceBase
import VoiceCore

@testable import BridgeCore

struct HTTPConnectionTests {
    /// A bridge without a daemon, and one connection to it.
    private final class Browser {
        let channel = EmbeddedChannel()
        let hub: BridgeHub

        init() throws {
            let page = PageFile(type: "text/html", bytes: Array("page".utf8))
            hub = BridgeHub(
                loop: channel.embeddedEventLoop,
                gate: BridgeGate(hosts: [], secrets: try .sample()),
                files: ["/": page],
                socket: "/nonexistent",
                sessions: SessionFile(folder: "/tmp/jarvis-bridge-test-\(UInt32.random(in: 0 ... .max))"),
                log: { _ in }
            )
            try channel.pipeline.syncOperations.addHandler(HTTPConnection(hub: hub))
            channel.localAddress = try SocketAddress(ipAddress: "127.0.0.1", port: 8787)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 8787)).wait()
        }

        /// What comes back for a request: its head, and its body.
        func ask(
            _ method: HTTPMethod,
            _ path: String,
            _ headers: [(String, String)] = [("Host", "127.0.0.1:8787")],
            body: String = "",
            version: HTTPVersion = .http1_1
        ) throws -> (head: HTTPResponseHead, body: String) {
            let head = HTTPRequestHead(version: version, method: method, uri: path, headers: HTTPHeaders(headers))
            try channel.writeInbound(HTTPServerRequestPart.head(head))
            if !body.isEmpty { try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: body))) }
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
            var answer: (head: HTTPResponseHead?, body: String) = (nil, "")
            while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
                switch part {
                case .head(let head): answer.head = head
                case .body(.byteBuffer(let bytes)): answer.body += String(buffer: bytes)
                default: break
                }
            }
            return (try #require(answer.head), answer.body)
        }

        func post(
            _ path: String,
            _ body: String,
            session: String? = nil
        ) throws -> (head: HTTPResponseHead, body: String) {
            var headers = [
                ("Host", "127.0.0.1:8787"), ("Origin", "http://127.0.0.1:8787"), ("Content-Type", "application/json"),
            ]
            if let session { headers.append(("Authorization", "Bearer \(session)")) }
            return try ask(.POST, path, headers, body: body)
        }

        func signIn() throws -> String {
            let answer = try post("/session", #"{"token":"token-0123456789"}"#)
            return try #require(JSONValue.parse(ByteBuffer(string: answer.body))?["session"]?.stringValue)
        }
    }

    @Test func answersHEADWithTheHeadOfGETAndNoBody() throws {
        let browser = try Browser()
        let (whole, body) = try browser.ask(.GET, "/")
        let (head, nothing) = try browser.ask(.HEAD, "/")
        #expect(body == "page" && nothing == "")
        #expect(head.status == .ok && head.headers["Content-Length"] == ["4"])
        #expect(head.headers["Content-Type"] == whole.headers["Content-Type"])
        for path in ["/nothing", "/command", "/events", "/metrics"] {
            let (head, body) = try browser.ask(.HEAD, path)
            #expect(body.isEmpty, "\(path)")
            #expect(head.status != .methodNotAllowed || head.headers["Allow"] == ["POST"])
        }
    }

    @Test func answersHTTP10InHTTP10AndCloses() throws {
        let browser = try Browser()
        let (head, body) = try browser.ask(.GET, "/", [("Connection", "keep-alive")], version: .http1_0)
        #expect(head.version == .http1_0 && head.status == .ok && body == "page")
        #expect(head.headers["Connection"] == ["close"])
        #expect(!browser.channel.isActive)
    }

    @Test func namesTheMethodsOfAPath() throws {
        let (head, _) = try Browser().ask(.DELETE, "/")
        #expect(head.status == .methodNotAllowed && head.headers["Allow"] == ["GET, HEAD"])
    }

    @Test func givesEachSignInAnotherSessionAndNoCookie() throws {
        let browser = try Browser()
        let first = try browser.signIn()
        #expect(try browser.signIn() != first)
        #expect(try browser.post("/session", #"{"token":"token-0123456789"}"#).head.headers["Set-Cookie"].isEmpty)
    }

    @Test func signingOutEndsTheSession() throws {
        let browser = try Browser()
        let (first, second) = (try browser.signIn(), try browser.signIn())
        #expect(try browser.post("/logout", "{}", session: first).head.status == .noContent)
        #expect(try browser.post("/command", "{}", session: first).head.status == .unauthorized)
        #expect(try browser.post("/command", "{}", session: second).head.status == .ok)
    }

    @Test func aSessionIsRefusedAtAnotherPort() throws {
        let browser = try Browser()
        let session = try browser.signIn()
        let headers = [("Host", "127.0.0.1:9999"), ("Authorization", "Bearer \(session)")]
        #expect(try browser.ask(.GET, "/events", headers).head.status == .unauthorized)
    }

    /// While guesses wait for their answers, more of them are refused immediately.
    @Test func wrongTokensDoNotLockOutTheRightOne() throws {
        let crowd = try Browser()
        for number in 0..<20 {
            let channel = EmbeddedChannel(
                handler: HTTPConnection(hub: crowd.hub), loop: crowd.channel.embeddedEventLoop
            )
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 8787)).wait()
            let headers: HTTPHeaders = [
                "Host": "127.0.0.1:8787", "Origin": "http://127.0.0.1:8787", "Content-Type": "application/json",
            ]
            try channel.writeInbound(
                HTTPServerRequestPart.head(.init(version: .http1_1, method: .POST, uri: "/session", headers: headers))
            )
            try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: #"{"token":"guess"}"#)))
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
            let head = try channel.readOutbound(as: HTTPServerResponsePart.self)
            if case .head(let head) = head {
                #expect(head.status == .tooManyRequests && number >= 16)
            } else {
                #expect(number < 16)
            }
        }
        #expect(try !crowd.signIn().isEmpty)
    }

    @Test(arguments: ["stop", "interrupt", "mute"]) func ordersHaveReservedConnections(order: String) {
        var places = CommandPlaces()
        for _ in 0..<CommandPlaces.most {
            let isTaken = places.take("listen")
            #expect(isTaken)
        }
        let isAskTaken = places.take("ask")
        #expect(!isAskTaken)
        let isOrderTaken = places.take(order)
        #expect(isOrderTaken)
        places.leave(order)
        places.leave("listen")
        let isAskTakenLater = places.take("ask")
        #expect(isAskTakenLater)
    }

    // MARK: Proxies

    @Test func authorityInTheTargetReplacesTheHost() throws {
        let browser = try Browser()
        #expect(try browser.ask(.GET, "http://127.0.0.1:8787/?x").head.status == .ok)
        #expect(try browser.ask(.GET, "http://127.0.0.1:8787").head.status == .ok)
        #expect(try browser.ask(.GET, "http://evil.example/").head.status == .forbidden)
        #expect(try browser.ask(.GET, "http://evil.example/metrics").head.status == .forbidden)
    }

    @Test(arguments: ["X-Forwarded-For", "X-Real-IP", "X-Forwarded-Host", "CF-Connecting-IP", "Via", "Forwarded"])
    func proxiedRequestIsNotLocal(header: String) throws {
        let browser = try Browser()
        let host = ("Host", "127.0.0.1:8787")
        #expect(try browser.ask(.GET, "/metrics", [host]).head.status == .ok)
        #expect(try browser.ask(.GET, "/metrics", [host, (header, "192.0.2.1")]).head.status == .unauthorized)
    }

    @Test func expect100ContinueIsAnswered() throws {
        let browser = try Browser()
        let headers = [("Host", "127.0.0.1:8787"), ("Expect", "100-continue")]
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/session", headers: HTTPHeaders(headers))
        try browser.channel.writeInbound(HTTPServerRequestPart.head(head))
        let part = try browser.channel.readOutbound(as: HTTPServerResponsePart.self)
        guard case .head(let answer)? = part else {
            Issue.record("no answer")
            return
        }
        #expect(answer.status == .continue)
    }

    // MARK: What a page may do

    @Test func browserCannotNameAHome() {
        let played: [String: JSONValue] = ["action": "play", "what": "http://192.168.1.9/a"]
        let named = played.merging(["home": "192.168.1.9"]) { own, _ in own }
        let order: JSONValue = ["command": "media", "arguments": .object(named)]
        let request = BridgeHub.pageRequest("media", order)
        #expect(request["arguments"] == .object(played))
        #expect(request["remote"] == true)
    }

    @Test(arguments: [
        #"{"command":"ask","arguments":{"text":"yes"}}"#, #"{"command":"ask","remote":false}"#,
        #"{"command":"ask","arguments":{"remote":false},"remote":null}"#,
    ])
    func orderOfAPageIsAlwaysMarkedRemote(body: String) throws {
        let order = try #require(JSONValue.parse(ByteBuffer(string: body)))
        let line = BridgeHub.request("ask", order).line
        #expect(try ControlRequest(line: Array(line.utf8)).isRemote)
    }

    // MARK: What is served

    @Test func thePageIsTheInstalledOne() throws {
        #expect(PageFile.folder.hasPrefix("/") && PageFile.folder.hasSuffix("/share/jarvis-voiced/page"))
        #expect(throws: BridgeConfiguration.Problem.self) { try PageFile.all(in: "/nonexistent", name: "box") }
    }
}
