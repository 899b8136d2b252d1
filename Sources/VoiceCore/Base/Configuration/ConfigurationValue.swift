/// A value as written in the file, validated or not.
package enum ConfigurationValue: Sendable, Equatable {
    case text(String)
    case integer(Int)
    case number(Double)
    case flag(Bool)
    case texts([String])
    case table
    /// A type no key has: a date, a time, a mixed array.
    case other

    /// The value in TOML notation, for the sample file and for `config show`.
    package var toml: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .integer(let integer): String(integer)
        case .number(let number): String(number)
        case .flag(let flag): String(flag)
        case .texts(let texts): "[" + texts.map(Self.quoted).joined(separator: ", ") + "]"
        case .table: "{}"
        case .other: "?"
        }
    }

    /// A short form for error messages, on one line.
    var shown: String {
        switch self {
        case .table: return "a table"
        case .other: return "a date or a mixed array"
        case .texts: return "an array"
        case .text(let text) where text.count > 40: return Self.quoted(String(text.prefix(40)) + "...")
        default: return toml
        }
    }

    /// A TOML basic string (TOML 1.0.0, "String").
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
