import Testing

@testable import BridgeCore

struct NativeWireTests {
    private static let key = [UInt8](0..<32)
    private static let ping = NativeMessage(.ping)

    private static func wire(_ key: [UInt8]?) -> NativeWire {
        NativeWire(.init(name: "kitchen", address: "02:00:00:00:00:0A", key: key))
    }

    /// What Home Assistant sends first, and its side of the handshake.
    private static func greeting(_ key: [UInt8]) -> (bytes: [UInt8], handshake: NoiseHandshake) {
        var handshake = NoiseHandshake(key: key, prologue: Array("NoiseAPIInit".utf8) + [0, 0])
        return ([1, 0, 0] + NativeFrames.frame(data: [0] + handshake.begin()), handshake)
    }

    /// The data of the frames that were sent.
    private static func sent(_ outputs: [NativeWire.Output]) throws -> [[UInt8]] {
        var frames = NativeFrames(isEncrypted: true)
        for case .send(let bytes) in outputs { frames.add(bytes) }
        var data: [[UInt8]] = []
        while let next = try frames.nextData() { data.append(next) }
        return data
    }

    private static func words(_ outputs: [NativeWire.Output]) throws -> [String] {
        try sent(outputs).map { String(decoding: $0.dropFirst(), as: UTF8.self) }
    }

    @Test(arguments: [1, 3, 1000]) func sameKeyOpensTheConnectionHoweverItsBytesArrive(size: Int) throws {
        var wire = Self.wire(Self.key)
        var (bytes, handshake) = Self.greeting(Self.key)
        var outputs: [NativeWire.Output] = []
        while !bytes.isEmpty {
            outputs += wire.receive(bytes.prefix(size))
            bytes = Array(bytes.dropFirst(size))
        }
        let data = try Self.sent(outputs)
        try #require(data.count == 2)
        #expect(data[0] == [1] + Array("kitchen\0".utf8) + Array("02000000000a\0".utf8))
        #expect(data[1].first == 0 && data[1].count == 49)
        var ciphers = try handshake.finish(Array(data[1].dropFirst()))

        let question = ciphers.sending.seal([0, 7, 0, 0]) ?? []
        #expect(wire.receive(NativeFrames.frame(data: question)) == [.message(Self.ping)])
        let answer = wire.send(NativeMessage(.pingResponse)) ?? []
        let sealed = try Self.sent([.send(answer)]).first ?? []
        #expect(ciphers.receiving.open(sealed) == [0, 8, 0, 0])
    }

    @Test func wrongKeyIsRefusedInTheWordsThatHomeAssistantKnows() throws {
        var wire = Self.wire(Self.key)
        let outputs = wire.receive(Self.greeting([UInt8](repeating: 9, count: 32)).bytes)
        #expect(try Self.words(outputs).last == "Handshake MAC failure")
        #expect(outputs.last == .close("a wrong key"))
        #expect(wire.send(Self.ping) == nil, "a client without the key gets nothing")
        #expect(wire.receive([1, 0, 0]).isEmpty)
    }

    @Test func plainHelloToABoxWithAKeyIsToldThatItNeedsOne() throws {
        var wire = Self.wire(Self.key)
        let outputs = wire.receive([0, 0, 1])
        #expect(try Self.words(outputs) == ["Bad indicator byte"])
        #expect(outputs.last == .close("no encryption"))
        #expect(wire.send(Self.ping) == nil)
    }

    /// A client without the key cannot fill the memory.
    @Test func longFrameBeforeTheKeyClosesTheConnection() {
        var wire = Self.wire(Self.key)
        #expect(wire.receive([1, 1, 1]) == [.close("a message that is too long")])
        #expect(wire.receive([1, 0, 0]).isEmpty)
    }

    @Test func keyForABoxWithoutOneClosesTheConnection() {
        var wire = Self.wire(nil)
        #expect(wire.receive([1, 0, 0]) == [.close("another protocol, or a key where none is wanted")])
    }

    @Test func messageThatWasChangedOnTheWayEndsTheConnection() throws {
        var wire = Self.wire(Self.key)
        var (bytes, handshake) = Self.greeting(Self.key)
        var ciphers = try handshake.finish(Array(try Self.sent(wire.receive(bytes))[1].dropFirst()))
        bytes = ciphers.sending.seal([0, 7, 0, 0]) ?? []
        try #require(!bytes.isEmpty)
        bytes[3] ^= 1
        #expect(wire.receive(NativeFrames.frame(data: bytes)) == [.close("a message that is damaged")])
        #expect(wire.send(Self.ping) == nil)
    }

    @Test func messageThatWasSentBeforeIsNotTakenAgain() throws {
        var wire = Self.wire(Self.key)
        var (bytes, handshake) = Self.greeting(Self.key)
        var ciphers = try handshake.finish(Array(try Self.sent(wire.receive(bytes))[1].dropFirst()))
        bytes = NativeFrames.frame(data: ciphers.sending.seal([0, 7, 0, 0]) ?? [])
        #expect(wire.receive(bytes) == [.message(Self.ping)])
        #expect(wire.receive(bytes) == [.close("a message that is damaged")])
    }

    @Test func plainFramesAreSplitAndPutTogether() {
        var wire = Self.wire(nil)
        let message = NativeMessage(number: 300, body: [UInt8](repeating: 5, count: 200))
        let frame = NativeFrames.frame(message)
        #expect(frame.prefix(5) == [0, 200, 1, 172, 2])
        #expect(wire.receive(frame.prefix(100)).isEmpty)
        #expect(wire.receive(frame.dropFirst(100) + [0, 0, 7]) == [.message(message), .message(Self.ping)])
    }

    @Test(
        arguments: [[0, 0xFF, 0xFF, 0xFF], [0, 0x80, 0x80, 0x80], [0, 0, 0xFF, 0xFF, 0x7F], [2], [0x47]] as [[UInt8]])
    func nonsenseClosesAndIsNotWaitedFor(bytes: [UInt8]) {
        var wire = Self.wire(nil)
        guard case .close? = wire.receive(bytes).last else {
            Issue.record("it is still open")
            return
        }
        #expect(wire.receive([0, 0, 7]).isEmpty)
    }

    @Test func fieldsAreReadBackAndUnknownOnesSkipped() throws {
        let message: [ProtoField] = [
            ProtoField(1, .text("Küche")), ProtoField(2, .fixed(0xDEAD_BEEF)), ProtoField(3, .real(0.25)),
            ProtoField(4, .flag(true)), ProtoField(5, .number(300)),
            ProtoField(6, .message([ProtoField(1, .number(7))])),
            ProtoField(7, .number(0)), ProtoField(8, .text("")),
        ]
        // A field of 64 bits, number 20.
        let bytes = message.bytes + [161, 1, 1, 2, 3, 4, 5, 6, 7, 8]
        let fields = try #require(ProtoFields(bytes))
        #expect(fields.text(1) == "Küche" && fields.number(2) == 0xDEAD_BEEF && fields.real(3) == 0.25)
        #expect(fields.flag(4) && fields.number(5) == 300 && fields.number(7) == 0 && fields.text(9).isEmpty)
        #expect([ProtoField(7, .number(0)), ProtoField(8, .text(""))].bytes.isEmpty)
        for count in 1..<bytes.count - 1 { _ = ProtoFields(Array(bytes.prefix(count))) }
        #expect(ProtoFields([0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]) == nil, "a text that is longer than the message")
        #expect(ProtoFields([0x0B]) == nil && ProtoFields([0x00]) == nil, "no field")
    }
}

/// The part of Home Assistant.
extension NoiseHandshake {
    /// The first message.
    mutating func begin() -> [UInt8] {
        let point = mixOwn()
        let tag = cipher.seal([], authenticating: hash) ?? []
        mix(intoHash: tag)
        return point + tag
    }

    /// Takes the second message.
    mutating func finish(_ second: [UInt8]) throws -> Ciphers {
        let theirs = try takePoint(second)
        try agree(with: theirs)
        guard cipher.open(Array(second.dropFirst(32)), authenticating: hash) != nil else { throw Fault.refused }
        let keys = mix(intoChain: [], count: 1)
        return Ciphers(sending: NoiseCipher(key: chain), receiving: NoiseCipher(key: keys[0]))
    }
}
