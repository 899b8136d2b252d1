import Glibc
import NIOCore
import NIOPosix
import Testing
import VoiceBase

@testable import BridgeCore

/// The real server of the native API between a client that speaks as Home Assistant does, and a daemon's control socket.
struct NativeAssistTests {
    /// One end of a connection; blocking, with a timeout that only ends a broken test.
    private final class Peer {
        private let file: Int32
        private var bytes: [UInt8] = []
        private var isOver = false

        init(_ file: Int32) {
            self.file = file
            var limit = timeval(tv_sec: 20, tv_usec: 0)
            setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }

        func end() {
            if !isOver { close(file) }
            isOver = true
        }

        func write(_ bytes: [UInt8]) { _ = send(file, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

        private func more() throws {
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = recv(file, &piece, piece.count, 0)
            guard count > 0 else { throw Silence() }
            bytes += piece.prefix(count)
        }

        struct Silence: Error {}

        // As a daemon

        func say(_ line: JSONValue) { write(Array((line.line + "\n").utf8)) }

        func line() throws -> JSONValue {
            while !bytes.contains(10) { try more() }
            let line = Array(bytes.prefix { $0 != 10 })
            bytes.removeFirst(line.count + 1)
            return OutsideJSON.decode(JSONValue.self, from: line, atMost: 1 << 20) ?? .null
        }

        /// The next news, by name and text.
        func news() throws -> [String] {
            let line = try line()
            let given = ["action", "text"].compactMap { line["arguments"]?[$0]?.stringValue }
            say(["id": .null, "ok": true, "result": [:]])
            return given
        }

        // As Home Assistant

        func say(_ kind: NativeMessage.Kind, _ fields: [ProtoField] = []) {
            write(NativeFrames.frame(NativeMessage(kind, fields)))
        }

        func event(_ number: UInt32, _ data: [String: String] = [:]) {
            let fields = data.map {
                ProtoField(2, .message([ProtoField(1, .text($0.key)), ProtoField(2, .text($0.value))]))
            }
            say(.assistantEvent, [ProtoField(1, .number(number))] + fields)
        }

        /// The next message of this kind.
        func message(_ kind: NativeMessage.Kind) throws -> NativeMessage {
            while true {
                var frames = NativeFrames(isEncrypted: false)
                frames.add(bytes)
                guard let message = try frames.nextMessage() else {
                    try more()
                    continue
                }
                bytes.removeFirst(NativeFrames.frame(message).count)
                if message.kind == kind { return message }
            }
        }
    }

    private static func listening(at path: String) -> Int32 {
        let file = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in room.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(file, $0, size) }
        }
        listen(file, 4)
        return file
    }

    private static func connected(to port: Int) -> Int32 {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(file, $0, size) }
        }
        return file
    }

    /// A server whose Home Assistant has subscribed and whose daemon is followed.
    /// Its messages are plain, to be read here, but its client counts as one that has shown the key.
    private static func run(_ talk: (_ home: Peer, _ daemon: Peer, _ listener: Int32) throws -> Void) throws {
        try serve(arePaired: true) { home, listener in
            let daemon = Peer(accept(listener, nil, nil))
            daemon.say(["hello": "jarvis-voiced", "protocol": 2])
            #expect(try daemon.news() == ["follow"])
            try talk(home, daemon, listener)
            daemon.end()
        }
    }

    private static func serve(arePaired: Bool, _ talk: (_ home: Peer, _ listener: Int32) throws -> Void) throws {
        var random = SystemRandomNumberGenerator()
        let folder = "/tmp/jarvis-assist-\(UInt32.random(in: 0 ... .max))"
        var settings = NativeSettings()
        (settings.isEncrypted, settings.listen, settings.port) = (false, "127.0.0.1", 0)
        let identity = try HouseIdentity(folder: folder, traces: [], random: &random)
        let box = NativeBox(settings, identity: identity, key: nil)
        let path = folder + "/control.sock"
        let listener = listening(at: path)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer {
            close(listener)
            try? group.syncShutdownGracefully()
        }
        let loop = group.next()
        let (server, bound) = try loop.submit {
            let server = NativeServer(box, loop: loop, socket: path, log: { _ in })
            server.arePaired = arePaired
            server.see(.line(ByteBuffer(), changed: nil, values: ["name": "Kitchen", "house_hears": true]))
            return (NIOLoopBound(server, eventLoop: loop), server.start())
        }.wait()
        let port = try bound.wait().localAddress?.port ?? 0
        let home = Peer(connected(to: port))
        home.say(.hello)
        home.say(.subscribeAssistant, [ProtoField(1, .flag(true))])
        try talk(home, listener)
        home.end()
        _ = server
    }

    @Test func clientWithoutAKeyGetsNoSound() throws {
        try Self.serve(arePaired: false) { home, listener in
            home.say(.ping)
            _ = try home.message(.pingResponse)
            var wish = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            #expect(poll(&wish, 1, 0) == 0, "the daemon is not followed")
        }
    }

    @Test func runGoesThroughBothSocketsAndBack() throws {
        try Self.run { home, daemon, _ in
            daemon.say(["event": "assist", "do": "start", "run": 7, "word": "hey jarvis"])
            let request = try home.message(.assistantRequest)
            #expect(request.fields?.flag(1) == true && request.fields?.text(5) == "Hey Jarvis")
            daemon.say(["event": "assist", "do": "sound", "run": 7, "data": "AQID"])
            home.say(.assistantResponse)
            #expect(try home.message(.assistantAudio).body == [0x0A, 3, 1, 2, 3])
            home.event(1, ["url": "http://home/a.wav"])
            #expect(try daemon.news() == ["began", "speaks"])
            daemon.say(["event": "assist", "do": "sound_ends", "run": 7])
            #expect(try home.message(.assistantAudio).fields?.flag(2) == true)
            home.event(4, ["text": "what time is it"])
            #expect(try daemon.news() == ["heard", "what time is it"])
            home.event(7, ["text": "Noon."])
            home.event(8, ["url": "http://home/a.wav"])
            home.event(2)
            #expect(try daemon.news() == ["says", "Noon."])
            #expect(try daemon.news() == ["sound", "http://home/a.wav"])
            #expect(try daemon.news() == ["ended"])
            daemon.say(["event": "assist", "do": "played", "run": 7])
            #expect(try home.message(.announceFinished).fields?.flag(1) == true)
        }
    }

    @Test func daemonThatLeavesInARunEndsItInHomeAssistant() throws {
        try Self.run { home, daemon, listener in
            daemon.say(["event": "assist", "do": "start", "run": 7, "word": ""])
            _ = try home.message(.assistantRequest)
            home.say(.assistantResponse)
            home.event(1)
            #expect(try daemon.news() == ["began"])
            daemon.end()
            #expect(try home.message(.assistantRequest).fields?.flag(1) == false)
            let again = Peer(accept(listener, nil, nil))
            again.say(["hello": "jarvis-voiced", "protocol": 2])
            #expect(try again.news() == ["follow"], "it is followed again")
            again.end()
        }
    }

    @Test func homeAssistantThatLeavesInARunIsNoLongerFollowed() throws {
        try Self.run { home, daemon, _ in
            daemon.say(["event": "assist", "do": "start", "run": 7, "word": ""])
            _ = try home.message(.assistantRequest)
            home.end()
            #expect(try daemon.news().first == "failed")
            #expect(throws: Peer.Silence.self) { try daemon.line() }
        }
    }
}
