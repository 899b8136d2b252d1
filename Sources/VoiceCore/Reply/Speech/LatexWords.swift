/// Reads a short LaTeX formula out in English words, or writes it with plain signs, which a voice reads in its own language.
struct LatexWords {
    private static let deepest = 8
    private static let signs: [Character: String] = [
        "=": "equals", "+": "plus", "-": "minus", "\u{2212}": "minus", "*": "times", "/": "over", "<": "is less than",
        ">": "is more than", "\u{B1}": "plus or minus", "\u{D7}": "times", "\u{2248}": "is about",
        "\u{2264}": "is at most", "\u{2265}": "is at least",
    ]
    private static let commands: [String: String] = [
        "times": "times", "cdot": "times", "div": "divided by", "pm": "plus or minus", "leq": "is at most",
        "le": "is at most", "geq": "is at least", "ge": "is at least", "neq": "is not", "ne": "is not",
        "approx": "is about", "sim": "is about", "to": "to", "rightarrow": "to", "infty": "infinity",
        "sum": "the sum of", "int": "the integral of", "prod": "the product of", "degree": "degrees",
        "circ": "degrees", "left": "", "right": "", "quad": "", "qquad": "", "text": "", "mathrm": "", "mathbf": "",
        "displaystyle": "", "ldots": "and so on", "cdots": "and so on", "percent": "percent",
    ]

    private static let commandSigns: [String: String] = [
        "times": "\u{D7}", "cdot": "\u{B7}", "div": "\u{F7}", "pm": "\u{B1}", "leq": "\u{2264}", "le": "\u{2264}",
        "geq": "\u{2265}", "ge": "\u{2265}", "neq": "\u{2260}", "ne": "\u{2260}", "approx": "\u{2248}",
        "sim": "\u{2248}",
        "to": "\u{2013}", "rightarrow": "\u{2013}", "infty": "\u{221E}", "sum": "\u{2211}", "int": "\u{222B}",
        "prod": "\u{220F}", "degree": "\u{B0}", "circ": "\u{B0}", "ldots": "\u{2026}", "cdots": "\u{2026}",
        "percent": "%",
        "alpha": "\u{3B1}", "beta": "\u{3B2}", "gamma": "\u{3B3}", "lambda": "\u{3BB}", "pi": "\u{3C0}",
        "sigma": "\u{3C3}",
    ]

    private let text: [Character]
    private let readsWords: Bool
    private var at = 0

    init(_ formula: [Character], readsWords: Bool = true) {
        text = formula
        self.readsWords = readsWords
    }

    /// Single words or signs with single blanks.
    var words: String {
        var reader = self
        let words = reader.sequence(depth: 0).joined(separator: " ")
        guard !readsWords else { return words }
        return ["\u{B2}", "\u{B3}", "^", "\u{B0}"].reduce(words) { $0.replacing(" " + $1, with: $1) }
            .replacing("^ ", with: "^").replacing("\u{221A} ", with: "\u{221A}")
    }

    private mutating func sequence(depth: Int) -> [String] {
        var words: [String] = []
        while at < text.count, text[at] != "}" || depth == 0 {
            if text[at] == "}" {
                at += 1
                continue
            }
            words += atom(depth: depth)
        }
        return words
    }

    /// A group, a command, a number or a letter.
    private mutating func atom(depth: Int) -> [String] {
        guard at < text.count else { return [] }
        let character = text[at]
        at += 1
        switch character {
        case "{":
            guard depth < Self.deepest else { return [] }
            let words = sequence(depth: depth + 1)
            if at < text.count { at += 1 }
            return words
        case "\\": return command(depth: depth)
        case "^":
            let power = atom(depth: depth)
            guard readsWords else {
                switch power {
                case ["2"]: return ["\u{B2}"]
                case ["3"]: return ["\u{B3}"]
                case ["\u{B0}"]: return power
                default: return ["^"] + power
                }
            }
            switch power {
            case ["2"]: return ["squared"]
            case ["3"]: return ["cubed"]
            case ["degrees"]: return power
            default: return ["to the power of"] + power
            }
        case "_": return atom(depth: depth)
        case _ where character.isNumber:
            var number = String(character)
            while at < text.count, text[at].isNumber || (".,".contains(text[at]) && isNumber(at + 1)) {
                number.append(text[at])
                at += 1
            }
            return [number]
        case _ where character.isLetter: return [String(character)]
        default:
            guard let word = Self.signs[character] else { return [] }
            return [readsWords ? word : String(character)]
        }
    }

    private func isNumber(_ index: Int) -> Bool { index < text.count && text[index].isNumber }

    private mutating func command(depth: Int) -> [String] {
        var name = ""
        while at < text.count, text[at].isLetter, name.count < 20 {
            name.append(text[at])
            at += 1
        }
        guard !name.isEmpty else {
            // "\," and the like are blanks, "\%" is itself.
            let isPercent = at < text.count && text[at] == "%"
            if at < text.count { at += 1 }
            return isPercent ? [readsWords ? "percent" : "%"] : []
        }
        switch name {
        case "frac", "dfrac", "tfrac": return atom(depth: depth) + [readsWords ? "over" : "/"] + atom(depth: depth)
        case "sqrt": return [readsWords ? "the square root of" : "\u{221A}"] + atom(depth: depth)
        case _ where !readsWords && Self.commandSigns[name] != nil: return [Self.commandSigns[name] ?? name]
        default: return Self.commands[name].map { $0.isEmpty ? [] : [$0] } ?? [name]
        }
    }
}
