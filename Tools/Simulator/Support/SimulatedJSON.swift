internal import FoundationEssentials

/// One JSON value.
///
/// Numbers without a fraction are kept as integers, because the Realtime API is strict about fields such as
/// `audio_end_ms`. Objects are unordered; the text form sorts the keys, so that it is reproducible.
package enum SimulatedJSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int)
    case number(Double)
    case string(String)
    case array([SimulatedJSON])
    case object([String: SimulatedJSON])
}

extension SimulatedJSON {
    /// Parses JSON text; nil if it is not JSON.
    package init?(text: String) {
        self.init(bytes: Array(text.utf8))
    }

    /// Parses JSON in UTF-8; nil if it is not JSON.
    package init?(bytes: [UInt8]) {
        guard let value = try? JSONDecoder().decode(SimulatedJSON.self, from: Data(bytes)) else { return nil }
        self = value
    }

    /// The value as one line of JSON, keys sorted, slashes not escaped.
    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        guard let data = try? encoder.encode(self) else { return "null" }
        return String(decoding: data, as: UTF8.self)
    }

    /// The member of an object; nil if it is absent or this is not an object.
    package subscript(key: String) -> SimulatedJSON? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }

    package var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    package var int: Int? {
        guard case .int(let value) = self else { return nil }
        return value
    }

    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    package var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    package var array: [SimulatedJSON]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    package var object: [String: SimulatedJSON]? {
        guard case .object(let value) = self else { return nil }
        return value
    }
}

extension SimulatedJSON: Codable {
    package init(from decoder: any Decoder) throws {
        let box = try decoder.singleValueContainer()
        if box.decodeNil() {
            self = .null
        } else if let value = try? box.decode(String.self) {
            self = .string(value)
        } else if let value = try? box.decode([String: SimulatedJSON].self) {
            self = .object(value)
        } else if let value = try? box.decode([SimulatedJSON].self) {
            self = .array(value)
        } else if let value = try? box.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? box.decode(Int.self) {
            self = .int(value)
        } else {
            self = .number(try box.decode(Double.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.singleValueContainer()
        switch self {
        case .null: try box.encodeNil()
        case .bool(let value): try box.encode(value)
        case .int(let value): try box.encode(value)
        case .number(let value): try box.encode(value)
        case .string(let value): try box.encode(value)
        case .array(let value): try box.encode(value)
        case .object(let value): try box.encode(value)
        }
    }
}

extension SimulatedJSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .int(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(arrayLiteral elements: SimulatedJSON...) { self = .array(elements) }
    package init(nilLiteral: ()) { self = .null }
    package init(dictionaryLiteral elements: (String, SimulatedJSON)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
