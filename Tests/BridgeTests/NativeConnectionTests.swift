import NIOCore
import NIOEmbedded
import Testing
import VoiceBase

@testable import BridgeCore

struct NativeConnectionTests {
    /// A box whose daemon is there, and its clients.
    private final class Box {
        let loop = EmbeddedEventLoop()
        let server: NativeServer
        let key: [UInt8]

        init(isEncrypted: Bool = false) throws {
            var random = SystemRandomNumberGenerator()
            let folder = "/tmp/jarvis-native-test-\(UInt32.random(in: 0 ... .max))"
            var settings = NativeSettings()
            settings.isEncrypted = isEncrypted
            let identity = try HouseIdentity(folder: folder, traces: [], random: &random)
            let key = try NativeKey.made(in: folder, random: &random)
            self.key = try #require(NativeKey.bytes(key))
            server = NativeServer(
                NativeBox(settings, identity: identity, key: key),
                loop: loop,
                socket: "/nonexistent",
                log: { _ in }
            )
            see(["name": "Kitchen", "microphone_muted": false])
        }

        func see(_ values: [String: JSONValue]) {
            server.see(.line(ByteBuffer(), changed: nil, values: values))
        }

        func connect() throws -> EmbeddedChannel {
            let channel = EmbeddedChannel(handler: NativeConnection(server), loop: loop)
            channel.connect(to: try SocketAddress(ipAddress: "192.168.1.5", port: 6053), promise: nil)
            loop.run()
            return channel
        }

        /// A client that was answered and follows the states.
        func follower() throws -> EmbeddedChannel {
            let channel = try connect()
            try channel.send(NativeFrames.frame(NativeMessage(.hello)))
            try channel.send(NativeFrames.frame(NativeMessage(.subscribeStates)))
            _ = try channel.messages()
            return channel
        }
    }

    @Test func twentyClientsAllHearOfAChange() throws {
        let box = try Box()
        let clients = try (0..<20).map { _ in try box.follower() }
        box.see(["name": "Kitchen", "microphone_muted": true])
        for client in clients {
            let changed = try client.messages()
            #expect(changed.map(\.kind) == [.switchState] && changed.first?.fields?.flag(2) == true)
        }
    }

    @Test func strangersGiveWayToEachOtherAndNeverEndAClient() throws {
        let box = try Box()
        let clients = try (0..<20).map { _ in try box.follower() }
        let strangers = try (0..<200).map { _ in try box.connect() }
        box.loop.run()
        #expect(clients.allSatisfy { $0.isActive })
        #expect(strangers.count(where: \.isActive) == ConnectionBook.mostStrangers)
        #expect(strangers.last?.isActive == true, "no one is kept out")
        box.loop.advanceTime(by: NativeConnection.patience)
        #expect(strangers.allSatisfy { !$0.isActive } && clients.allSatisfy(\.isActive), "who says nothing is closed")
    }

    @Test func clientWithoutTheKeyGetsNothing() throws {
        let box = try Box(isEncrypted: true)
        let channel = try box.connect()
        try channel.send(NativeFrames.frame(NativeMessage(.hello)) + NativeFrames.frame(NativeMessage(.listEntities)))
        let answer = try channel.bytes()
        #expect(answer == NativeFrames.frame(data: [1] + Array("Bad indicator byte".utf8)))
        box.loop.run()
        #expect(!channel.isActive)
    }

    /// Home Assistant comes from the same address again, with the key that the user has typed meanwhile.
    @Test func rightKeyIsTakenAfterManyWrongOnes() throws {
        let box = try Box(isEncrypted: true)
        func greet(_ key: [UInt8]) throws -> (channel: EmbeddedChannel, isTaken: Bool) {
            let channel = try box.connect()
            var handshake = NoiseHandshake(key: key, prologue: Array("NoiseAPIInit".utf8) + [0, 0])
            try channel.send([1, 0, 0] + NativeFrames.frame(data: [0] + handshake.begin()))
            box.loop.run()
            var frames = NativeFrames(isEncrypted: true)
            frames.add(try channel.bytes())
            _ = try frames.nextData()
            return (channel, try frames.nextData()?.first == 0)
        }
        for _ in 0..<100 {
            let (channel, isTaken) = try greet([UInt8](repeating: 9, count: 32))
            #expect(!channel.isActive && !isTaken)
        }
        let (channel, isTaken) = try greet(box.key)
        #expect(channel.isActive && isTaken)
    }

    @Test(arguments: [true, false]) func homeIsNamedWhereItNeedsTheKey(isEncrypted: Bool) throws {
        let box = try Box(isEncrypted: isEncrypted)
        let connection = NativeConnection(box.server)
        let channel = EmbeddedChannel(handler: connection, loop: box.loop)
        channel.connect(to: try SocketAddress(ipAddress: "192.168.1.5", port: 6053), promise: nil)
        box.loop.run()
        #expect(box.server.home(of: connection) == (isEncrypted ? "192.168.1.5" : nil))
        connection.close()
        box.loop.run()
        #expect(box.server.home(of: connection) == nil, "it has left")
    }

    @Test func clientsLeaveWithTheDaemonAndAreNotTakenWithoutIt() throws {
        let box = try Box()
        let client = try box.follower()
        box.server.see(.gone)
        box.loop.run()
        #expect(!client.isActive)
        let early = try box.connect()
        #expect(!early.isActive)
        box.see(["name": "Kitchen"])
        let late = try box.follower()
        #expect(late.isActive)
    }

    @Test func clientThatDoesNotReadIsClosedInsteadOfKeptFor() throws {
        let box = try Box()
        let client = try box.follower()
        client.isWritable = false
        box.see(["name": "Kitchen", "microphone_muted": true])
        box.loop.run()
        #expect(!client.isActive)
    }
}

extension EmbeddedChannel {
    fileprivate func send(_ bytes: [UInt8]) throws { try writeInbound(ByteBuffer(bytes: bytes)) }

    fileprivate func bytes() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
        return bytes
    }

    fileprivate func messages() throws -> [NativeMessage] {
        var frames = NativeFrames(isEncrypted: false)
        frames.add(try bytes())
        var messages: [NativeMessage] = []
        while let message = try frames.nextMessage() { messages.append(message) }
        return messages
    }
}
