/// Reads a short LaTeX formula out in words.
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

    private let text: [Character]
    private var at = 0

    init(_ formula: [Character]) {
        text = formula
    }

    /// Single words with single blanks.
    var words: String {
        var reader = self
        return reader.sequence(depth: 0).joined(separator: " ")
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
        default: return Self.signs[character].map { [$0] } ?? []
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
            return isPercent ? ["percent"] : []
        }
        switch name {
        case "frac", "dfrac", "tfrac": return atom(depth: depth) + ["over"] + atom(depth: depth)
        case "sqrt": return ["the square root of"] + atom(depth: depth)
        default: return Self.commands[name].map { $0.isEmpty ? [] : [$0] } ?? [name]
        }
    }
}
