/// One setting: its name, what it accepts, where it is kept and the sentence that explains it.
package struct ConfigurationKey: Sendable {
    /// The dotted path, for instance "audio.input".
    package let path: String
    package let kind: Kind
    package let documentation: String
    private let read: @Sendable (Configuration) -> ConfigurationValue
    private let write: @Sendable (inout Configuration, ConfigurationValue) -> Void

    /// What a key accepts.
    package enum Kind: Sendable, Equatable {
        case text(mayBeEmpty: Bool)
        case file
        case url(schemes: [String], takesQuery: Bool)
        case choice([String])
        case integer(ClosedRange<Int>, multipleOf: Int)
        case oneOf([Int])
        case number(ClosedRange<Double>)
        case flag
    }

    /// "audio" of "audio.input".
    package var section: String { String(path.prefix { $0 != "." }) }
    /// "input" of "audio.input".
    package var name: String { String(path.drop { $0 != "." }.dropFirst()) }
    /// "JARVIS_AUDIO_INPUT" of "audio.input".
    package var environmentName: String {
        "JARVIS_" + String(path.map { $0 == "." ? "_" : $0 }).uppercased()
    }
    package var builtIn: ConfigurationValue { read(Configuration()) }

    package func value(in configuration: Configuration) -> ConfigurationValue { read(configuration) }

    /// Stores the value if the key accepts it; otherwise returns what it wants and got, in one sentence.
    package func set(_ value: ConfigurationValue, in configuration: inout Configuration) -> String? {
        guard let accepted = kind.accept(value) else {
            if let problem = kind.problem(ofAddress: value) { return "\(path) \(problem)" }
            return "\(path) wants \(kind.wanted), got \(kind.shown(value))"
        }
        write(&configuration, accepted)
        return nil
    }
}

extension ConfigurationKey {
    typealias Member<Value> = any WritableKeyPath<Configuration, Value> & Sendable

    static func text(
        _ path: String,
        _ member: Member<String>,
        mayBeEmpty: Bool = false,
        _ documentation: String
    ) -> ConfigurationKey {
        string(path, member, .text(mayBeEmpty: mayBeEmpty), documentation)
    }

    static func file(
        _ path: String,
        _ member: Member<String>,
        _ documentation: String
    ) -> ConfigurationKey {
        string(path, member, .file, documentation)
    }

    static func url(
        _ path: String,
        _ member: Member<String>,
        schemes: [String],
        takesQuery: Bool = true,
        _ documentation: String
    ) -> ConfigurationKey {
        string(path, member, .url(schemes: schemes, takesQuery: takesQuery), documentation)
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ path: String,
        _ member: Member<Choice>,
        _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            kind: .choice(Choice.allCases.map(\.rawValue)),
            documentation: documentation,
            read: { .text($0[keyPath: member].rawValue) },
            write: { configuration, value in
                guard case .text(let text) = value, let choice = Choice(rawValue: text) else { return }
                configuration[keyPath: member] = choice
            }
        )
    }

    /// One of a few integers.
    static func oneOf(
        _ path: String,
        _ member: Member<Int>,
        _ choices: [Int],
        _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            kind: .oneOf(choices),
            documentation: documentation,
            read: { .integer($0[keyPath: member]) },
            write: { configuration, value in
                guard case .integer(let integer) = value else { return }
                configuration[keyPath: member] = integer
            }
        )
    }

    static func integer(
        _ path: String,
        _ member: Member<Int>,
        _ range: ClosedRange<Int>,
        multipleOf step: Int = 1,
        _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            kind: .integer(range, multipleOf: step),
            documentation: documentation,
            read: { .integer($0[keyPath: member]) },
            write: { configuration, value in
                guard case .integer(let integer) = value else { return }
                configuration[keyPath: member] = integer
            }
        )
    }

    static func number(
        _ path: String,
        _ member: Member<Double>,
        _ range: ClosedRange<Double>,
        _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            kind: .number(range),
            documentation: documentation,
            read: { .number($0[keyPath: member]) },
            write: { configuration, value in
                guard case .number(let number) = value else { return }
                configuration[keyPath: member] = number
            }
        )
    }

    static func flag(
        _ path: String,
        _ member: Member<Bool>,
        _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            kind: .flag,
            documentation: documentation,
            read: { .flag($0[keyPath: member]) },
            write: { configuration, value in
                guard case .flag(let flag) = value else { return }
                configuration[keyPath: member] = flag
            }
        )
    }

    private static func string(
        _ path: String,
        _ member: Member<String>,
        _ kind: Kind,
        _ documentation: String
    ) -> ConfigurationKey {
        ConfigurationKey(
            path: path,
            kind: kind,
            documentation: documentation,
            read: { .text($0[keyPath: member]) },
            write: { configuration, value in
                guard case .text(let text) = value else { return }
                configuration[keyPath: member] = text
            }
        )
    }
}
