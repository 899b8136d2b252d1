package import VoiceBase

/// An argument of a control command.
package struct ControlArgument: Sendable {
    package enum Kind: Sendable, Equatable {
        /// At most this many bytes; as the last argument of a command line it takes all remaining words.
        case text(longest: Int)
        case choice([String])
        /// Present or absent on a command line; true or false in a request.
        case flag
    }

    package let name: String
    package let kind: Kind
    package let isOptional: Bool
    /// Written as "--NAME" on a command line, before the other arguments.
    package let isOption: Bool
    /// The argument that this one completes, and the values of it that it may follow; nil if it stands alone.
    let completes: (name: String, values: [String])?
    package let documentation: String

    package init(
        _ name: String,
        _ kind: Kind,
        isOptional: Bool = false,
        isOption: Bool = false,
        completes: (name: String, values: [String])? = nil,
        _ documentation: String
    ) {
        self.name = name
        self.kind = kind
        self.isOptional = isOptional || isOption
        self.isOption = isOption
        self.completes = completes
        self.documentation = documentation
    }

    /// The argument as text, converted from a number or flag if necessary; nil if it is not of this kind.
    func accept(_ value: JSONValue) -> String? {
        let text: String
        switch value {
        case .string(let string): text = string
        case .integer(let number): text = String(number)
        case .bool(let flag) where kind == .flag: text = String(flag)
        default: return nil
        }
        switch kind {
        case .flag: return ["true", "false"].contains(text) ? text : nil
        case .text(let longest): return text.utf8.count <= longest && !text.isEmpty ? text : nil
        case .choice(let choices): return choices.contains(text) ? text : nil
        }
    }

    /// "at most 1000 bytes of text" or "one of a, b, c".
    package var wanted: String {
        switch kind {
        case .text(let longest): "a text of at most \(longest) bytes"
        case .choice(let choices): "one of " + choices.joined(separator: ", ")
        case .flag: "true or false"
        }
    }

    /// Why a word is not accepted, with the accepted ones.
    func refusal(of word: String?) -> String {
        guard let word else { return "\(name) takes \(wanted)" }
        if case .choice(let choices) = kind {
            return "there is no \(name) \"\(word.prefix(64))\": choose " + choices.joined(separator: ", ")
        }
        return "\(name) takes \(wanted), not \"\(word.prefix(64))\""
    }

    /// "TEXT", "[CHANNEL]", "[on|off]" or "[--priority low|normal|high]".
    package var usage: String {
        let word: String
        switch kind {
        case .text: word = name.uppercased()
        case .choice(let choices): word = choices.joined(separator: "|")
        case .flag: word = ""
        }
        if isOption { return "[--\(name)\(word.isEmpty ? "" : " " + word)]" }
        return isOptional ? "[\(word)]" : word
    }
}

/// The validated arguments of one call.
package struct ControlArguments: Sendable, Equatable {
    private let values: [String: String]
    /// Whether root asks.
    package var isOfRoot = false

    package init(_ given: [String: JSONValue], for wanted: [ControlArgument]) throws(ControlProblem) {
        var values: [String: String] = [:]
        for argument in wanted {
            guard let value = given[argument.name], value != .null else {
                guard argument.isOptional else {
                    throw ControlProblem(.badArgument, "\(argument.name) is missing: \(argument.wanted)")
                }
                continue
            }
            guard let text = argument.accept(value) else {
                if value == .string("") { throw ControlProblem(.badArgument, "\(argument.name) is empty") }
                throw ControlProblem(.badArgument, argument.refusal(of: value.stringValue))
            }
            if let (name, takers) = argument.completes, values[name].map(takers.contains) != true {
                let action = values[name].map { "\"\($0)\" takes no \(argument.name)" } ?? "\(name) is missing"
                throw ControlProblem(
                    .badArgument, "\(action): \(argument.name) goes with \(takers.joined(separator: ", "))"
                )
            }
            values[argument.name] = text
        }
        if let unknown = given.keys.sorted().first(where: { name in !wanted.contains { $0.name == name } }) {
            throw ControlProblem(.badArgument, "there is no argument \(unknown.prefix(64))")
        }
        self.values = values
    }

    package subscript(name: String) -> String? { values[name] }

    /// Assigns the words of a command line to arguments: options first, then each word to the next argument that
    /// accepts it. A text as the last argument takes all remaining words. Behind the first "--", which is not a word itself,
    /// nothing is an option; nor is anything in a command that has none.
    package static func assign(
        _ all: [String],
        to wanted: [ControlArgument]
    ) throws(ControlProblem) -> [String: JSONValue] {
        let mark = all.firstIndex(of: "--") ?? all.endIndex
        var words = all[..<mark]
        var values = try options(&words, of: wanted)
        words += all[mark...].dropFirst()
        let wanted = wanted.filter { !$0.isOption }
        for (index, argument) in wanted.enumerated() {
            guard let word = words.first else { break }
            if case .text = argument.kind, index == wanted.count - 1 {
                values[argument.name] = .string(words.joined(separator: " "))
                words = []
            } else if argument.accept(.string(word)) != nil {
                values[argument.name] = .string(word)
                words.removeFirst()
            } else if !argument.isOptional || wanted.contains(where: { $0.completes?.name == argument.name }) {
                throw ControlProblem(.badArgument, argument.refusal(of: word))
            }
        }
        if let word = words.first {
            guard let last = wanted.last else {
                throw ControlProblem(
                    .badArgument, "nothing may follow this command: \"\(word.prefix(64))\" is too much"
                )
            }
            throw ControlProblem(.badArgument, last.refusal(of: word))
        }
        return values
    }

    /// Removes leading options: "--priority high", "--priority=high" and "--ask".
    private static func options(
        _ words: inout ArraySlice<String>,
        of wanted: [ControlArgument]
    ) throws(ControlProblem) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        while let word = words.first, word.hasPrefix("--") {
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, let argument = wanted.first(where: { $0.isOption && $0.name == name }) else {
                let options = wanted.filter(\.isOption).map { "--\($0.name)" }
                let isMistyped = word.dropFirst(2).first?.isLetter == true && !word.contains(where: \.isWhitespace)
                guard isMistyped, !options.isEmpty else { break }
                throw ControlProblem(
                    .badArgument,
                    "there is no option \(word.prefix(64)), only \(options.joined(separator: " and ")); a text that begins like one "
                        + "stands behind --"
                )
            }
            words = words.dropFirst()
            if argument.kind == .flag, parts.count == 1 {
                values[argument.name] = true
                continue
            }
            let value = parts.count > 1 ? String(parts[1]) : words.popFirst() ?? ""
            guard argument.accept(.string(value)) != nil else {
                throw ControlProblem(.badArgument, argument.refusal(of: value))
            }
            values[argument.name] = .string(value)
        }
        return values
    }
}

/// The words of `jarvis-voiced ctl`, without an option of `ctl` after the command.
package struct ControlWords: Sendable, Equatable {
    package let words: [String]
    /// Whether "--json" was the last word.
    package let printsJSON: Bool

    /// - Parameter captured: the words as typed; after "--" nothing is an option. The dashes stay behind the command, which
    ///   may have options too.
    package init(_ captured: [String]) {
        let mark = captured.firstIndex(of: "--") ?? captured.endIndex
        var words = Array(captured[..<mark])
        printsJSON = words.last == "--json"
        if printsJSON { words.removeLast() }
        self.words = words + (words.isEmpty ? captured[mark...].dropFirst() : captured[mark...])
    }
}
