/// A field of a protobuf message, to be written.
///
/// The wire format is written here by hand: of the protocol's 160 messages the bridge needs thirty, flat and of a few fields each.
/// The code that a generator makes for them is larger than this folder, and its runtime larger than the bridge.
enum ProtoValue: Equatable, Sendable {
    case number(UInt32)
    case flag(Bool)
    case text(String)
    case bytes([UInt8])
    case fixed(UInt32)
    case real(Float)
    case message([ProtoField])
}

/// The number of a field in its message, and its value.
struct ProtoField: Equatable, Sendable {
    let number: UInt8
    let value: ProtoValue

    init(_ number: UInt8, _ value: ProtoValue) { (self.number, self.value) = (number, value) }

    /// Adds the bytes of the field. Default values, which a reader assumes anyway, are left out, as is usual.
    func write(to bytes: inout [UInt8]) {
        switch value {
        case .number(0), .flag(false), .text(""), .bytes([]), .fixed(0): break
        case .number(let number):
            writeTag(.varint, to: &bytes)
            Varint.write(UInt64(number), to: &bytes)
        case .flag(true):
            writeTag(.varint, to: &bytes)
            bytes.append(1)
        case .text(let text): write(Array(text.utf8), to: &bytes)
        case .bytes(let content): write(content, to: &bytes)
        case .fixed(let bits): write(bits, to: &bytes)
        case .real(let real): if real != 0 { write(real.bitPattern, to: &bytes) }
        case .message(let fields): write(fields.bytes, to: &bytes)
        }
    }

    private func writeTag(_ wire: ProtoFields.Wire, to bytes: inout [UInt8]) {
        Varint.write(UInt64(number) << 3 | wire.rawValue, to: &bytes)
    }

    private func write(_ content: [UInt8], to bytes: inout [UInt8]) {
        writeTag(.bytes, to: &bytes)
        Varint.write(UInt64(content.count), to: &bytes)
        bytes += content
    }

    private func write(_ bits: UInt32, to bytes: inout [UInt8]) {
        writeTag(.four, to: &bytes)
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
    }
}

extension [ProtoField] {
    var bytes: [UInt8] { reduce(into: []) { $1.write(to: &$0) } }
}

/// A received message, field by field. Unknown fields are skipped; if a field occurs twice, the last one counts.
struct ProtoFields {
    enum Wire: UInt64 {
        case varint, eight, bytes
        case four = 5
    }

    private enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    private var values: [UInt64: Value] = [:]
    private var lists: [UInt64: [ArraySlice<UInt8>]] = [:]

    /// nil if it is not a message.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let tag = Varint.read(&rest), let wire = Wire(rawValue: tag & 7), tag >> 3 > 0 else { return nil }
            switch wire {
            case .varint:
                guard let number = Varint.read(&rest) else { return nil }
                values[tag >> 3] = .number(number)
            case .bytes:
                guard let count = Varint.read(&rest), count <= UInt64(rest.count) else { return nil }
                values[tag >> 3] = .bytes(rest.prefix(Int(count)))
                lists[tag >> 3, default: []].append(rest.prefix(Int(count)))
                rest = rest.dropFirst(Int(count))
            case .four, .eight:
                let count = wire == .four ? 4 : 8
                guard rest.count >= count else { return nil }
                values[tag >> 3] = .number(rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) })
                rest = rest.dropFirst(count)
            }
        }
    }

    /// 0 if the field is absent; its low bits if the number is too large, as readers of protobuf do.
    func number(_ field: UInt64) -> UInt32 {
        if case .number(let number)? = values[field] { UInt32(truncatingIfNeeded: number) } else { 0 }
    }

    func flag(_ field: UInt64) -> Bool { number(field) != 0 }

    func real(_ field: UInt64) -> Float { Float(bitPattern: number(field)) }

    /// Every text of a field that may occur several times; texts that are not UTF-8 are left out.
    func texts(_ field: UInt64) -> [String] {
        (lists[field] ?? []).compactMap { String(validating: $0, as: UTF8.self) }
    }

    /// Every message of such a field; damaged ones are left out.
    func messages(_ field: UInt64) -> [ProtoFields] { (lists[field] ?? []).compactMap { ProtoFields(Array($0)) } }

    /// Empty if the field is absent, or is not UTF-8.
    func text(_ field: UInt64) -> String {
        if case .bytes(let bytes)? = values[field] { String(validating: bytes, as: UTF8.self) ?? "" } else { "" }
    }
}

/// A number of variable length, seven bits in a byte, the lowest first.
enum Varint {
    static func write(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Takes a number from the beginning; nil if it is incomplete, or longer than 64 bits.
    static func read(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for (place, byte) in bytes.prefix(10).enumerated() {
            guard place < 9 || byte <= 1 else { return nil }
            number |= UInt64(byte & 0x7F) << UInt64(7 * place)
            guard byte & 0x80 == 0 else { continue }
            bytes = bytes.dropFirst(place + 1)
            return number
        }
        return nil
    }
}
