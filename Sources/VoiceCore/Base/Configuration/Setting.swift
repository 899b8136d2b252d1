/// Declares one key, with the Swift type of its value.
package struct Setting<Value: Sendable>: Sendable {
    package let key: ConfigurationKey
    package let builtIn: Value
    /// nil for a value of another type; `key` checks the range.
    let decode: @Sendable (ConfigurationValue) -> Value?
    let encode: @Sendable (Value) -> ConfigurationValue

    private init(
        _ path: String,
        _ builtIn: Value,
        _ kind: ConfigurationKey.Kind,
        isLive: Bool,
        _ documentation: String,
        decode: @escaping @Sendable (ConfigurationValue) -> Value?,
        encode: @escaping @Sendable (Value) -> ConfigurationValue
    ) {
        key = ConfigurationKey(
            path: path, kind: kind, builtIn: encode(builtIn), isLive: isLive, documentation: documentation
        )
        self.builtIn = builtIn
        self.decode = decode
        self.encode = encode
    }
}

/// A declaration without its type, which `ConfigurationSchema` collects from the `Keys` of a section.
package protocol AnySetting {
    var key: ConfigurationKey { get }
}

extension Setting: AnySetting {}

extension Setting<String> {
    /// - Parameter kind: text, a file or an address.
    package init(
        _ path: String,
        _ builtIn: String,
        as kind: ConfigurationKey.Kind = .text(mayBeEmpty: false),
        isLive: Bool = false,
        _ documentation: String
    ) {
        self.init(path, builtIn, kind, isLive: isLive, documentation) {
            if case .text(let text) = $0 { text } else { nil }
        } encode: {
            .text($0)
        }
    }
}

extension Setting where Value: RawRepresentable<String> & CaseIterable {
    /// One of the cases, by raw value.
    package init(_ path: String, _ builtIn: Value, isLive: Bool = false, _ documentation: String) {
        let choices = Value.allCases.map(\.rawValue)
        self.init(path, builtIn, .choice(choices), isLive: isLive, documentation) {
            if case .text(let text) = $0 { Value(rawValue: text) } else { nil }
        } encode: {
            .text($0.rawValue)
        }
    }
}

extension Setting {
    /// A list of cases by raw value, not empty and without repetitions.
    package init<Case: RawRepresentable<String> & CaseIterable & Sendable>(
        _ path: String,
        _ builtIn: [Case],
        isLive: Bool = false,
        _ documentation: String
    ) where Value == [Case] {
        self.init(path, builtIn, .choices(Case.allCases.map(\.rawValue)), isLive: isLive, documentation) {
            if case .texts(let texts) = $0 { texts.compactMap(Case.init(rawValue:)) } else { nil }
        } encode: {
            .texts($0.map(\.rawValue))
        }
    }
}

extension Setting<[Configuration.Service.Name]> {
    /// Names of services; `ConfigurationSchema` adds which there are.
    package init(_ path: String, _ builtIn: Value, _ documentation: String) {
        self.init(path, builtIn, .choices([]), isLive: false, documentation) {
            if case .texts(let texts) = $0 { texts.map { Configuration.Service.Name(rawValue: $0) } } else { nil }
        } encode: {
            .texts($0.map(\.rawValue))
        }
    }
}

extension Setting<Int> {
    package init(
        _ path: String,
        _ builtIn: Int,
        _ range: ClosedRange<Int>,
        multipleOf step: Int = 1,
        isLive: Bool = false,
        _ documentation: String
    ) {
        self.init(path, builtIn, .integer(range, multipleOf: step), isLive: isLive, documentation)
    }

    /// One of a set of integers.
    package init(_ path: String, _ builtIn: Int, oneOf choices: [Int], isLive: Bool = false, _ documentation: String) {
        self.init(path, builtIn, .oneOf(choices), isLive: isLive, documentation)
    }

    private init(_ path: String, _ builtIn: Int, _ kind: ConfigurationKey.Kind, isLive: Bool, _ documentation: String) {
        self.init(path, builtIn, kind, isLive: isLive, documentation) {
            if case .integer(let integer) = $0 { integer } else { nil }
        } encode: {
            .integer($0)
        }
    }
}

extension Setting<Double> {
    package init(
        _ path: String,
        _ builtIn: Double,
        _ range: ClosedRange<Double>,
        isLive: Bool = false,
        _ documentation: String
    ) {
        self.init(path, builtIn, .number(range), isLive: isLive, documentation) {
            if case .number(let number) = $0 { number } else { nil }
        } encode: {
            .number($0)
        }
    }
}

extension Setting<Bool> {
    package init(_ path: String, _ builtIn: Bool, isLive: Bool = false, _ documentation: String) {
        self.init(path, builtIn, .flag, isLive: isLive, documentation) {
            if case .flag(let flag) = $0 { flag } else { nil }
        } encode: {
            .flag($0)
        }
    }
}

/// One of the choices, or "auto", which lets the program choose.
package enum OrAuto<Choice: RawRepresentable<String> & CaseIterable & Equatable & Sendable>: RawRepresentable,
    CaseIterable, Equatable, Sendable
{
    case auto
    case chosen(Choice)

    package init?(rawValue: String) {
        if rawValue == "auto" {
            self = .auto
        } else if let choice = Choice(rawValue: rawValue) {
            self = .chosen(choice)
        } else {
            return nil
        }
    }

    package static var allCases: [Self] { [.auto] + Choice.allCases.map { .chosen($0) } }

    package var rawValue: String { choice?.rawValue ?? "auto" }

    /// nil for "auto".
    package var choice: Choice? { if case .chosen(let choice) = self { choice } else { nil } }
}
