/// An entry of the journal in its native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL).
///
///     NAME=value\n                                    a value without a line feed
///     NAME\n<length, 64 bits, little-endian>value\n   any other
package struct JournalEntry: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    /// A longer value is truncated between characters; in bytes.
    package static let longestValue = 256 << 10
    /// Maximum length of a name (journald drops longer ones).
    static let longestName = 64

    /// The field with the line as it may be shared: without what is about the user.
    package static let shared = "JARVIS_SHARED"

    package private(set) var fields: [Field] = []

    /// Adds a field; ignores a name that the journal would reject.
    package mutating func add(_ name: String, _ value: String) {
        guard Self.isName(name) else { return }
        fields.append(Field(name: name, value: value.bounded(toBytes: Self.longestValue)))
    }

    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The entry as a datagram.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 10 })
        for field in fields {
            bytes.append(contentsOf: field.name.utf8)
            if field.value.utf8.contains(0x0A) {
                bytes.append(0x0A)
                let count = UInt64(field.value.utf8.count)
                for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
            } else {
                bytes.append(0x3D)
            }
            bytes.append(contentsOf: field.value.utf8)
            bytes.append(0x0A)
        }
        return bytes
    }

    /// The field name for a metadata key: "first_sample_ms" becomes JARVIS_FIRST_SAMPLE_MS. States and calls have one name
    /// everywhere.
    package static func name(for key: String) -> String {
        switch key {
        case "call": return "JARVIS_CALL_ID"
        case "to": return "JARVIS_STATE"
        case "from": return "JARVIS_STATE_BEFORE"
        default: break
        }
        let letters = key.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            default: UInt8(ascii: "_")
            }
        }
        return "JARVIS_" + String(decoding: letters.prefix(longestName - 7), as: UTF8.self)
    }

    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= longestName else { return false }
        guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else { return false }
        return name.utf8.allSatisfy { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte == UInt8(ascii: "_")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
    }
}
