/// Decodes the bytes of a server into whole messages, however the bytes are split (RFC 6455 section 5).
///
/// A message contained whole in the input is passed on in place, without a copy. Text is validated as it arrives and fails
/// at the first byte that cannot become UTF-8. After a violation the decoder returns nothing more.
package struct WebSocketDecoder: ~Copyable {
    /// A message or control frame; the pointers are valid until the next call and only as long as the input.
    package enum Item {
        case text(UnsafeRawBufferPointer)
        case binary(UnsafeRawBufferPointer)
        case ping(UnsafeRawBufferPointer)
        case pong(UnsafeRawBufferPointer)
        /// The code is nil if the frame was empty.
        case close(code: UInt16?, reason: String)
    }

    /// Memory kept after a message, in bytes; more is freed.
    private static let keptMemory = 1 << 18

    private let maximumMessageBytes: Int

    // The current frame.
    private var header: InlineArray<10, UInt8> = .init(repeating: 0)
    private var headerCount = 0
    private var headerNeeded = 2
    private var isInPayload = false
    private var isFinal = false
    private var opcode = WebSocketOpcode.continuation
    private var remaining = 0
    private var control = RawBuffer()

    // The current message, which may span frames.
    private var messageKind: WebSocketOpcode?
    private var message = RawBuffer()
    private var validator = UTF8Validator()

    // Whether the last call returned data that the next call must drop.
    private var isDelivered = false
    private var isControlDelivered = false
    private var hasFailed = false

    /// - Parameter maximumMessageBytes: a longer message, whole or fragmented, is a violation with code 1009.
    package init(maximumMessageBytes: Int = 16 << 20) {
        self.maximumMessageBytes = maximumMessageBytes
    }

    /// Takes bytes off the front of the input until an item is complete; nil once the input is used up.
    package mutating func next(_ input: inout UnsafeRawBufferPointer) throws(WebSocketViolation) -> Item? {
        guard !hasFailed else {
            input = UnsafeRawBufferPointer(start: nil, count: 0)
            return nil
        }
        if isDelivered {
            message.removeAll(keeping: Self.keptMemory)
            isDelivered = false
        }
        if isControlDelivered {
            control.removeAll()
            isControlDelivered = false
        }
        do {
            while true {
                guard try readHeader(&input) else { return nil }
                guard let item = try readPayload(&input) else {
                    if isInPayload { return nil }
                    continue
                }
                return item
            }
        } catch {
            hasFailed = true
            throw error
        }
    }

    // MARK: Header

    private mutating func readHeader(_ input: inout UnsafeRawBufferPointer) throws(WebSocketViolation) -> Bool {
        guard !isInPayload else { return true }
        while headerCount < headerNeeded {
            guard !input.isEmpty else { return false }
            let wanted = min(headerNeeded - headerCount, input.count)
            for index in 0..<wanted { header[headerCount + index] = input[index] }
            headerCount += wanted
            input = UnsafeRawBufferPointer(rebasing: input[wanted...])
            if headerCount == 2 { try checkStart() }
        }
        try beginPayload()
        return true
    }

    /// Checks the two bytes every frame has, and determines the length of the header.
    private mutating func checkStart() throws(WebSocketViolation) {
        let first = header[0]
        let second = header[1]
        guard first & 0x70 == 0 else {
            throw .protocolError("a reserved bit is set without an extension (RFC 6455 section 5.2)")
        }
        guard let opcode = WebSocketOpcode(rawValue: first & 0x0f) else {
            throw .protocolError("unknown opcode \(first & 0x0f) (RFC 6455 section 5.2)")
        }
        guard second & 0x80 == 0 else {
            throw .protocolError("the server masked a frame (RFC 6455 section 5.1)")
        }
        self.opcode = opcode
        isFinal = first & 0x80 != 0
        let length = second & 0x7f
        if opcode.isControl {
            guard isFinal else { throw .protocolError("a control frame is fragmented (RFC 6455 section 5.5)") }
            guard length <= 125 else {
                throw .protocolError("a control frame is longer than 125 bytes (RFC 6455 section 5.5)")
            }
        } else if opcode == .continuation {
            guard messageKind != nil else {
                throw .protocolError("a continuation without a message to continue (RFC 6455 section 5.4)")
            }
        } else if messageKind != nil {
            throw .protocolError("a new message began inside another (RFC 6455 section 5.4)")
        }
        headerNeeded = length == 126 ? 4 : length == 127 ? 10 : 2
    }

    private mutating func beginPayload() throws(WebSocketViolation) {
        var length = UInt64(header[1] & 0x7f)
        if headerNeeded > 2 {
            length = 0
            for index in 2..<headerNeeded { length = length << 8 | UInt64(header[index]) }
            guard length < 1 << 63 else {
                throw .protocolError("the highest bit of a length is set (RFC 6455 section 5.2)")
            }
            guard length >= (headerNeeded == 4 ? 126 : 65_536) else {
                throw .protocolError("a length is not in its shortest form (RFC 6455 section 5.2)")
            }
        }
        if !opcode.isControl {
            guard length <= UInt64(maximumMessageBytes - message.count) else {
                throw .tooBig("a message is longer than \(maximumMessageBytes) bytes")
            }
            if opcode != .continuation {
                messageKind = opcode
                validator.reset()
            }
        } else if opcode == .close, length == 1 {
            throw .protocolError("a close frame with half a code (RFC 6455 section 5.5.1)")
        }
        remaining = Int(length)
        isInPayload = true
        headerCount = 0
        headerNeeded = 2
    }

    // MARK: Payload

    private mutating func readPayload(
        _ input: inout UnsafeRawBufferPointer
    ) throws(WebSocketViolation) -> Item? {
        let piece = UnsafeRawBufferPointer(rebasing: input.prefix(remaining))
        input = UnsafeRawBufferPointer(rebasing: input[piece.count...])
        remaining -= piece.count
        if opcode.isControl {
            return try readControl(piece)
        }
        if messageKind == .text, !validator.accept(piece) {
            throw .invalidText("a text is not UTF-8 (RFC 6455 section 8.1)")
        }
        let isLast = remaining == 0 && isFinal
        if !isLast || !message.isEmpty {
            message.append(piece)
        }
        guard remaining == 0 else { return nil }
        isInPayload = false
        guard isFinal else { return nil }
        let kind = messageKind
        messageKind = nil
        isDelivered = true
        let whole = message.isEmpty ? piece : message.bytes
        guard kind == .text else { return .binary(whole) }
        guard validator.isComplete else {
            throw .invalidText("a text ends inside a character (RFC 6455 section 8.1)")
        }
        return .text(whole)
    }

    private mutating func readControl(_ piece: UnsafeRawBufferPointer) throws(WebSocketViolation) -> Item? {
        if remaining > 0 || !control.isEmpty {
            control.append(piece)
        }
        guard remaining == 0 else { return nil }
        isInPayload = false
        let whole = control.isEmpty ? piece : control.bytes
        switch opcode {
        case .ping:
            isControlDelivered = true
            return .ping(whole)
        case .pong:
            isControlDelivered = true
            return .pong(whole)
        default: return try readClose(whole)
        }
    }

    private func readClose(_ payload: UnsafeRawBufferPointer) throws(WebSocketViolation) -> Item {
        guard payload.count >= 2 else { return .close(code: nil, reason: "") }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard WebSocketCloseCode.mayBeReceived(code) else {
            throw .protocolError("close code \(code) must not be sent (RFC 6455 section 7.4)")
        }
        let reason = UnsafeRawBufferPointer(rebasing: payload[2...])
        var validator = UTF8Validator()
        guard validator.accept(reason), validator.isComplete else {
            throw .invalidText("the reason of a close frame is not UTF-8 (RFC 6455 section 5.5.1)")
        }
        return .close(code: code, reason: String(decoding: reason, as: UTF8.self))
    }
}
