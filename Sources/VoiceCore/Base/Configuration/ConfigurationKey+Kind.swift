extension ConfigurationKey.Kind {
    /// Maximum length of a text value, in UTF-8 bytes.
    private static let maximumTextBytes = 4096

    /// The accepted values, worded as the object of a sentence.
    package var wanted: String {
        switch self {
        case .text(mayBeEmpty: true): "a line of text"
        case .text(mayBeEmpty: false): "a line of text that is not empty"
        case .file: "the absolute path of a file, or \"\""
        case .url(let schemes, _): "a URL that begins with " + Self.alternatives(schemes.map { $0 + "://" })
        case .hosts: "hosts separated by blanks, each a name or an address, with or without :port"
        case .choice(let choices): "one of " + Self.alternatives(choices.map { "\"\($0)\"" })
        case .choices(let choices):
            "a list without repetitions of " + Self.alternatives(choices.map { "\"\($0)\"" })
        case .oneOf(let choices): "one of " + Self.alternatives(choices.map(String.init))
        case .integer(let range, multipleOf: 1): "an integer from \(range.lowerBound) to \(range.upperBound)"
        case .integer(let range, multipleOf: let step):
            "a multiple of \(step) from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range): "a number from \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound))"
        case .flag: "true or false"
        }
    }

    /// The value in the form in which it is stored, or nil if the key does not accept it.
    package func accept(_ value: ConfigurationValue) -> ConfigurationValue? {
        switch (self, value) {
        case (.text(let mayBeEmpty), .text(let text)):
            guard mayBeEmpty || !text.isEmpty else { return nil }
            return Self.isOneLine(text) ? value : nil
        case (.file, .text(let text)):
            return text.isEmpty || (text.hasPrefix("/") && Self.isOneLine(text)) ? value : nil
        case (.url(let schemes, let takesQuery), .text(let text)):
            guard let url = ServerURL(text), schemes.contains(url.scheme), takesQuery || !text.contains("?") else {
                return nil
            }
            return value
        case (.hosts, .text(let text)):
            return text.utf8.count <= Self.maximumTextBytes && ListedHost.firstWrong(in: text) == nil ? value : nil
        case (.choice(let choices), .text(let text)):
            return choices.contains(text) ? value : nil
        case (.choices(let choices), .texts(let texts)):
            return !texts.isEmpty && Set(texts).count == texts.count && texts.allSatisfy(choices.contains) ? value : nil
        case (.choices, .text(let text)):
            return accept(.texts([text]))
        case (.oneOf(let choices), .integer(let integer)):
            return choices.contains(integer) ? value : nil
        case (.integer(let range, multipleOf: let step), .integer(let integer)):
            return range.contains(integer) && integer.isMultiple(of: step) ? value : nil
        case (.number(let range), .number(let number)):
            return range.contains(number) ? value : nil
        case (.number(let range), .integer(let integer)):
            return range.contains(Double(integer)) ? .number(Double(integer)) : nil
        case (.flag, .flag):
            return value
        default:
            return nil
        }
    }

    /// The error for an unknown or repeated choice, with the choices; nil if something else is wrong.
    package func unknownChoice(_ value: ConfigurationValue, section: String, path: String) -> String? {
        switch (self, value) {
        case (.choice(let choices), .text(let text)):
            return "\(path): there is no \"\(text)\". Choose " + Self.alternatives(choices)
        case (.choices(let choices), .texts(let texts)):
            if let text = texts.first(where: { !choices.contains($0) }) {
                return "There is no \(section) \"\(text)\". Choose " + Self.alternatives(choices)
            }
            let repeated = texts.first { text in texts.count { $0 == text } > 1 }
            return repeated.map { "\(path) names \"\($0)\" twice: once is enough" }
        case (.choices, .text(let text)):
            return unknownChoice(.texts([text]), section: section, path: path)
        default: return nil
        }
    }

    /// The fault of a URL or a host; nil if the key accepts it or takes neither. The text never repeats the URL, which may
    /// contain a password.
    package func problem(ofAddress value: ConfigurationValue) -> String? {
        if self == .hosts, case .text(let text) = value, let wrong = ListedHost.firstWrong(in: text) {
            // It may be an address with a password.
            let name = wrong.contains("@") ? "an address" : ConfigurationValue.text(wrong).shown
            return "names \(name): write the host alone, as in \"nas.lan 192.168.1.5:8000 [fd00::5]:8000\""
        }
        guard case .url(let schemes, let takesQuery) = self, case .text(let text) = value else { return nil }
        let lower = text.lowercased()
        guard let scheme = schemes.first(where: { lower.hasPrefix($0 + "://") }) else {
            return text.isEmpty || text.contains("://")
                ? nil : "has no scheme: write \(wanted), as in \(schemes.last ?? "")://HOST:PORT"
        }
        guard let problem = ServerURL.problem(text) else {
            return takesQuery || !text.contains("?") ? nil : "\(ServerURL.Problem.query)"
        }
        guard problem == .hostNotASCII, let host = Self.host(of: text, scheme),
            let ascii = InternationalHost.ascii(host)
        else { return "\(problem)" }
        return "has non-ASCII letters in its host: write the host as \(ascii)"
    }

    /// Expects a URL without a user name.
    private static func host(of text: String, _ scheme: String) -> Substring? {
        let authority = text.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
        return authority.prefix { $0 != ":" }
    }

    /// Converts the text of an environment variable or of a command line option to the type of value the key expects.
    package func value(fromText text: String) -> ConfigurationValue {
        switch self {
        case .text, .file, .url, .hosts, .choice: .text(text)
        case .choices:
            .texts(text.split(separator: ",").map(Self.trimmed))
        case .integer, .oneOf: Int(text).map(ConfigurationValue.integer) ?? .text(text)
        case .number: Double(text).map(ConfigurationValue.number) ?? .text(text)
        case .flag:
            switch text.lowercased() {
            case "true", "yes", "on", "1": .flag(true)
            case "false", "no", "off", "0": .flag(false)
            default: .text(text)
            }
        }
    }

    /// The rejected value for an error message. URLs and paths are not repeated, because they may contain a secret by
    /// mistake.
    package func shown(_ value: ConfigurationValue) -> String {
        switch (self, value) {
        case (.file, .text), (.url, .text): "something else"
        // "openai local" without its comma.
        case (.choices, .texts(let texts)) where texts.count == 1: ConfigurationValue.text(texts[0]).shown
        default: value.shown
        }
    }

    /// Without blanks at either end; those inside show that a comma is missing.
    private static func trimmed(_ item: Substring) -> String {
        let text = item.drop { $0 == " " }
        return text.lastIndex { $0 != " " }.map { String(text[...$0]) } ?? ""
    }

    private static func isOneLine(_ text: String) -> Bool {
        text.utf8.count <= maximumTextBytes && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func alternatives(_ items: [String]) -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return items.dropLast().joined(separator: ", ") + " or " + last
    }

    private static func plain(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e9 ? String(Int(number)) : String(number)
    }
}
