/// The bytes of one connection: the handshake, then messages. A value.
package struct NativeWire {
    /// The identity of the box, which it sends before there is a key.
    package struct Box: Sendable {
        var name: String
        /// Colons between the bytes.
        var address: String
        /// 32 bytes; nil for connections without encryption.
        var key: [UInt8]?

        package init(name: String, address: String, key: [UInt8]?) {
            (self.name, self.address, self.key) = (name, address, key)
        }
    }

    package enum Output: Equatable {
        case send([UInt8])
        /// A message of a client that knows the key, or without encryption of any client.
        case message(NativeMessage)
        /// Close, after what was sent. The text is for the log.
        case close(String)
    }

    private enum State {
        case plain
        /// The client's hello is awaited; then its part of the handshake.
        case begins
        case shakes(prologue: [UInt8])
        case closed
        case encrypted(NoiseHandshake.Ciphers)
    }

    private let box: Box
    private var state: State
    private var frames: NativeFrames

    package init(_ box: Box) {
        self.box = box
        state = box.key == nil ? .plain : .begins
        frames = NativeFrames(isEncrypted: box.key != nil)
    }

    package mutating func receive(_ bytes: some Sequence<UInt8>) -> [Output] {
        if case .closed = state { return [] }
        frames.add(bytes)
        var outputs: [Output] = []
        do throws(NativeFrames.Fault) {
            if box.key == nil {
                while let message = try frames.nextMessage() { outputs.append(.message(message)) }
            } else {
                while let data = try frames.nextData(atMost: longest) {
                    outputs += take(data)
                    if case .closed = state { return outputs }
                }
            }
        } catch {
            outputs += close(error)
        }
        return outputs
    }

    /// The bytes of a message; nil before the handshake, or if it is too long.
    package mutating func send(_ message: NativeMessage) -> [UInt8]? {
        switch state {
        case .plain: return NativeFrames.frame(message)
        case .encrypted(var ciphers):
            let head = [message.number, UInt16(truncatingIfNeeded: message.body.count)].flatMap {
                [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)]
            }
            guard message.body.count <= NativeFrames.longest - 32,
                let data = ciphers.sending.seal(head + message.body)
            else { return nil }
            state = .encrypted(ciphers)
            return NativeFrames.frame(data: data)
        case .begins, .shakes, .closed: return nil
        }
    }

    private var longest: Int {
        if case .encrypted = state { NativeFrames.longest } else { NativeFrames.longestUnknown }
    }

    private mutating func take(_ data: [UInt8]) -> [Output] {
        switch state {
        case .begins:
            let length = [UInt8(truncatingIfNeeded: data.count >> 8), UInt8(truncatingIfNeeded: data.count)]
            state = .shakes(prologue: Array("NoiseAPIInit".utf8) + length + data)
            let address = box.address.filter { $0 != ":" }.lowercased()
            return [.send(NativeFrames.frame(data: [1] + Array(box.name.utf8) + [0] + Array(address.utf8) + [0]))]
        case .shakes(let prologue): return shake(data, prologue)
        case .encrypted(var ciphers):
            guard let plain = ciphers.receiving.open(data), plain.count >= 4 else {
                state = .closed
                return [.close("a message that is damaged")]
            }
            state = .encrypted(ciphers)
            return [.message(NativeMessage(number: UInt16(plain[0]) << 8 | UInt16(plain[1]), body: Array(plain[4...])))]
        case .plain, .closed: return []
        }
    }

    private mutating func shake(_ data: [UInt8], _ prologue: [UInt8]) -> [Output] {
        var handshake = NoiseHandshake(key: box.key ?? [], prologue: prologue)
        do throws(NoiseHandshake.Fault) {
            guard data.first == 0 else { throw .refused }
            let answer = try handshake.answer(Array(data.dropFirst()))
            state = .encrypted(answer.ciphers)
            return [.send(NativeFrames.frame(data: [0] + answer.second))]
        } catch {
            state = .closed
            // Home Assistant asks the user for the key at exactly these words.
            return [Self.refusal("Handshake MAC failure"), .close("a wrong key")]
        }
    }

    private mutating func close(_ fault: NativeFrames.Fault) -> [Output] {
        defer { state = .closed }
        switch (fault, state) {
        // This refusal tells Home Assistant that a key is needed.
        case (.otherKind, .begins): return [Self.refusal("Bad indicator byte"), .close("no encryption")]
        case (.otherKind, _): return [.close("another protocol, or a key where none is wanted")]
        case (.tooLong, _): return [.close("a message that is too long")]
        }
    }

    private static func refusal(_ words: String) -> Output {
        .send(NativeFrames.frame(data: [1] + Array(words.utf8)))
    }
}
