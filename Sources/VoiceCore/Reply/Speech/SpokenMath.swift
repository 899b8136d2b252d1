internal import VoiceBase

/// Rewrites mathematics in LaTeX with the signs that are read aloud: `\frac{1}{2}` is "1/2", `$x^2$` is "x²", `\(\pi r\)` is "π r".
///
/// Between delimiters everything is read as mathematics, elsewhere only known commands. Code stays as it is, as do prices: what is
/// between two dollar signs counts only if it looks like a formula.
enum SpokenMath {
    /// Longest formula, in characters.
    private static let longest = 2000
    /// How many characters of a paragraph are searched for ends of formulas.
    private static let reach = 100_000

    static func rewritten(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "$") }) else { return text }
        var result = ""
        var fence: Character?
        // Paragraphs, as a formula on lines of its own spans several; code blocks line by line.
        var open: [Substring] = []
        func close() {
            if !open.isEmpty { result += formulas(in: Array(open.joined(separator: "\n"))) + "\n" }
            open = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let bare = line.drop { $0 == " " }
            let mark = bare.hasPrefix("```") ? "`" : bare.hasPrefix("~~~") ? "~" : nil as Character?
            if let mark, fence == nil || fence == mark {
                close()
                fence = fence == nil ? mark : nil
                result += line + "\n"
            } else if fence != nil {
                result += line + "\n"
            } else {
                open.append(line)
                if bare.isEmpty { close() }
            }
        }
        close()
        result.removeLast()
        return result
    }

    // MARK: Formulas in a text

    private static func formulas(in text: [Character]) -> String {
        var result = ""
        var at = 0
        var left = reach
        while at < text.count {
            if text[at] == "`" {
                let run = text[at...].prefix { $0 == "`" }.count
                let end = endOfCode(text, at + run, run)
                result += String(text[at..<end])
                at = end
            } else if left > 0, text[at] == "$" || text[at] == "\\", let (inside, end) = delimited(text, at, &left) {
                result += spoken(inside, after: result.last)
                at = end
            } else if text[at] == "\\", let (sign, end) = bareCommand(text, at) {
                // "30^\circ"
                if sign == "\u{B0}", result.last == "^" { result.removeLast() }
                result += sign
                at = end
            } else if let (script, end) = bareScript(text, at) {
                result += script
                at = end
            } else {
                result.append(text[at])
                at += 1
            }
        }
        return result
    }

    private static func endOfCode(_ text: [Character], _ start: Int, _ run: Int) -> Int {
        var at = start
        while at < text.count {
            let marks = text[at...].prefix { $0 == "`" }.count
            if marks == run { return at + run }
            at += max(1, marks)
        }
        return start
    }

    /// Returns the formula that begins here with its delimiters, and the position after it.
    private static func delimited(
        _ text: [Character],
        _ start: Int,
        _ left: inout Int
    ) -> (inside: ArraySlice<Character>, end: Int)? {
        let rest = text[start...].prefix(longest)
        func end(of close: String, from start: Int) -> Int? {
            let (first, second) = (close.first, close.dropFirst().first)
            var at = start
            while at + 1 < rest.endIndex {
                if rest[at] == first, rest[at + 1] == second { return at }
                at += 1
            }
            left -= at - start
            return nil
        }
        for (open, close) in [("\\(", "\\)"), ("\\[", "\\]"), ("$$", "$$")] where rest.starts(with: open) {
            guard let end = end(of: close, from: start + 2), end > start + 2 else { continue }
            return (text[(start + 2)..<end], end + 2)
        }
        if rest.starts(with: "\\begin{") {
            let name = rest.dropFirst(7).prefix(40).prefix { $0 != "}" }
            var at = name.endIndex
            while let end = end(of: "\\e", from: at) {
                if rest[end...].starts(with: "\\end{"), let close = rest[end...].firstIndex(of: "}") {
                    return (text[min(end, name.endIndex + 1)..<end], close + 1)
                }
                at = end + 1
            }
            return nil
        }
        guard rest.first == "$", start == 0 || text[start - 1] != "\\" && text[start - 1] != "$" else { return nil }
        let line = rest.dropFirst().prefix { $0 != "\n" }
        left -= line.count
        guard let first = line.first, !first.isWhitespace, first != "$",
            let end = line.indices.first(where: { line[$0] == "$" && line[$0 - 1] != "\\" }),
            !line[end - 1].isWhitespace,
            end + 1 >= text.count || !text[end + 1].isNumber && !text[end + 1].isLetter && text[end + 1] != "$",
            isFormula(line[..<end])
        else { return nil }
        // "US$5"
        if start > 0, text[start - 1].isLetter { return nil }
        return (line[..<end], end + 1)
    }

    private static let functions: Set<String> = [
        "sin", "cos", "tan", "cot", "log", "exp", "max", "min", "lim", "mod", "gcd", "det", "dim", "km", "cm", "mm",
        "kg",
    ]

    /// Whether what stands between two dollar signs is mathematics and not two prices with words between them.
    private static func isFormula(_ text: ArraySlice<Character>) -> Bool {
        let words = text.split { !$0.isLetter }
        let hasCommand = text.contains("\\")
        let hasSign = text.contains { "^_=+*/<>{}|".contains($0) } || hasCommand
        let hasProse = words.contains { word in
            let isCommand = word.startIndex > text.startIndex && text[word.startIndex - 1] == "\\"
            return !isCommand && word.count > 2 && !functions.contains(String(word).lowercased())
        }
        if hasProse { return hasCommand && text.contains("{") }
        if hasSign { return true }
        // "$x$", "$12$", "$ab$", "$f(x)$", "$x - 1$"
        return words.allSatisfy { $0.count <= 2 } && (words.isEmpty || text.count <= 24 && !text.contains(","))
    }

    /// A known command outside delimiters, with its arguments.
    private static func bareCommand(_ text: [Character], _ start: Int) -> (String, Int)? {
        let name = String(text[(start + 1)...].prefix { $0.isASCII && $0.isLetter })
        guard structures.contains(name) || signs[name] != nil || name == "text" || name == "mathrm" || name == "mathbf"
        else {
            return nil
        }
        // "C:\pi", "home\alpha" are paths.
        let before = text[..<start].suffix(80).reversed().prefix { !$0.isWhitespace }
        let word = before.prefix { $0.isLetter }
        if before.contains(":") || before.contains("\\") && !before.contains("}") && word.count > 1 || word.count > 1 {
            guard structures.contains(name), text[start...].dropFirst(1 + name.count).first == "{" else { return nil }
        }
        var reader = FormulaReader(text[start...].prefix(longest), depth: 0)
        let sign = reader.command()
        return (sign, reader.position)
    }

    /// "10^{-6}" and "x_{10}" outside delimiters.
    private static func bareScript(_ text: [Character], _ start: Int) -> (String, Int)? {
        guard text[start] == "^" || text[start] == "_", start > 0, start + 1 < text.count, text[start + 1] == "{",
            text[start - 1].isLetter || text[start - 1].isNumber || text[start - 1] == ")"
        else { return nil }
        let inside = text[(start + 2)...].prefix(16)
        guard let close = inside.firstIndex(of: "}"),
            !inside[..<close].contains(where: { $0.isWhitespace || $0 == "{" })
        else {
            return nil
        }
        var reader = FormulaReader(text[start...close], depth: 0)
        return (reader.read(), close + 1)
    }

    private static func spoken(_ formula: ArraySlice<Character>, after last: Character?) -> String {
        // "10$^6$" is a power, "true.$^1$" a reference.
        let isBaseless = formula.first { $0 != "{" && $0 != " " } == "^"
        if isBaseless, !(last.map { $0.isNumber || $0.isLetter || $0 == ")" } ?? false) { return "" }
        var reader = FormulaReader(formula, depth: 0)
        return tidied(reader.read())
    }

    static func tidied(_ text: String) -> String {
        text.singleSpaced.replacing("( ", with: "(").replacing(" )", with: ")").replacing(" ,", with: ",")
    }

    // MARK: Commands

    /// Commands with arguments in braces.
    fileprivate static let structures: Set<String> = ["frac", "dfrac", "tfrac", "cfrac", "sqrt", "binom"]
    /// Commands whose argument is text, or is read without them.
    fileprivate static let wrappers: Set<String> = [
        "text", "textbf", "textit", "textrm", "mathrm", "mathbf", "mathit", "mathsf", "mathcal", "mathbb",
        "operatorname", "vec",
        "hat", "bar", "overline", "underline", "boldsymbol", "bm", "boxed", "mbox", "tilde", "dot", "widehat",
        "overrightarrow",
        "underbrace", "overbrace", "textsuperscript", "textsubscript", "emph",
    ]
    fileprivate static let signs: [String: String] = {
        let greek = """
            alpha \u{3B1} beta \u{3B2} gamma \u{3B3} delta \u{3B4} epsilon \u{3B5} varepsilon \u{3B5} zeta \u{3B6} eta \u{3B7} theta \u{3B8} \
            vartheta \u{3B8} iota \u{3B9} kappa \u{3BA} lambda \u{3BB} mu \u{3BC} nu \u{3BD} xi \u{3BE} pi \u{3C0} rho \u{3C1} sigma \u{3C3} tau \
            \u{3C4} upsilon \u{3C5} phi \u{3C6} varphi \u{3C6} chi \u{3C7} psi \u{3C8} omega \u{3C9} Gamma \u{393} Delta \u{394} Theta \u{398} Lambda \
            \u{39B} Xi \u{39E} Pi \u{3A0} Sigma \u{3A3} Phi \u{3A6} Psi \u{3A8} Omega \u{3A9}
            """
        let operators = """
            times \u{D7} cdot \u{D7} ast \u{D7} div \u{F7} pm \u{B1} mp \u{2213} leq \u{2264} le \u{2264} geq \u{2265} ge \u{2265} neq \u{2260} \
            ne \u{2260} approx \u{2248} equiv \u{2261} sim ~ to \u{2192} rightarrow \u{2192} Rightarrow \u{21D2} implies \u{21D2} iff \u{21D4} \
            leftarrow \u{2190} leftrightarrow \u{2194} infty \u{221E} sum \u{2211} prod \u{220F} int \u{222B} partial \u{2202} nabla \
            \u{2207} in \u{2208} notin \u{2209} subset \u{2282} cup \u{222A} cap \u{2229} forall \u{2200} exists \u{2203} ldots \u{2026} \
            cdots \u{2026} dots \u{2026} circ \u{B0} degree \u{B0} therefore \u{2234} because \u{2235} propto \u{221D} angle \u{2220} \
            perp \u{22A5} parallel \u{2225} neg \u{AC} land \u{2227} lor \u{2228} emptyset \u{2205} ll \u{226A} gg \u{226B} prime ' \
            longrightarrow \u{2192} mapsto \u{2192} euro \u{20AC} pounds \u{A3} lt < gt >
            """
        let words = (greek + " " + operators).split(separator: " ").map(String.init)
        return Dictionary(
            uniqueKeysWithValues: stride(from: 0, to: words.count - 1, by: 2).map { (words[$0], words[$0 + 1]) }
        )
    }()
}

/// Reads a formula from beginning to end.
private struct FormulaReader {
    private let text: ArraySlice<Character>
    private let depth: Int
    private(set) var position: Int

    private static let deepest = 12
    private static let spaces: Set<String> = [
        "quad", "qquad", "displaystyle", "textstyle", "limits", "nolimits", "hline", "left", "right",
        "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr",
    ]

    init(_ text: ArraySlice<Character>, depth: Int) {
        (self.text, self.depth) = (text, depth)
        position = text.startIndex
    }

    private static let sums: Set<Character> = ["\u{2211}", "\u{220F}", "\u{222B}"]

    private mutating func takesPower() -> Bool {
        skipBlanks()
        guard next == "^" else { return false }
        position += 1
        return true
    }

    private var next: Character? { position < text.endIndex ? text[position] : nil }

    mutating func read() -> String {
        var result = ""
        while let character = next {
            switch character {
            case "\\": result += spaced(command(), after: result)
            case "^": result += power()
            case "_":
                position += 1
                let index = argument()
                // "\\sum_{i=1}^n": from here to there.
                if let last = result.last(where: { $0 != " " }), Self.sums.contains(last) {
                    let end = takesPower() ? "\u{2026}" + argument() : ""
                    result += index + end + " "
                    continue
                }
                result += (result.last?.isNumber == true || index.count > 1 ? " " : "") + index
            case "{": result += argument()
            case "}", "$": position += 1
            case "~", "&":
                result += " "
                position += 1
            case "*":
                result += "\u{D7}"
                position += 1
            case "<", ">", "|", "[", "]":
                result += ShieldedMarks.shielded(character)
                position += 1
            default:
                result.append(character)
                position += 1
            }
        }
        return result
    }

    /// Names of functions stand apart from what they apply to.
    private func spaced(_ sign: String, after result: String) -> String {
        guard sign.count > 1, sign.first?.isLetter == true,
            result.last?.isLetter == true || result.last?.isNumber == true
        else {
            return sign
        }
        return " " + sign
    }

    /// Reads the command at the position.
    mutating func command() -> String {
        position += 1
        let name = String(text[position...].prefix { $0.isASCII && $0.isLetter })
        guard !name.isEmpty else {
            defer { position = min(text.endIndex, position + 1) }
            guard let sign = next else { return "" }
            return "%$#&_".contains(sign) ? String(sign) : " "
        }
        position += name.count
        if next == "*" { position += 1 }
        if let sign = SpokenMath.signs[name] {
            // "30^\circ" has its sign already; the blank behind a command is not text.
            let isOperator =
                sign.first?.isLetter != true && !"\u{B0}'\u{221E}\u{2202}\u{2207}\u{2205}\u{2220}\u{AC}".contains(sign)
            guard isOperator else { return sign }
            return " \(sign == "<" || sign == ">" ? ShieldedMarks.shielded(Character(sign)) : sign) "
        }
        switch name {
        case "frac", "dfrac", "tfrac", "cfrac":
            let (upper, lower) = (argument(), argument())
            return Self.grouped(upper) + "/" + Self.grouped(lower)
        case "binom":
            let (upper, lower) = (argument(), argument())
            return "(\(upper), \(lower))"
        case "sqrt":
            skipBlanks()
            var root = "\u{221A}"
            if next == "[", let close = text[position...].firstIndex(of: "]") {
                let degree = String(text[(position + 1)..<close])
                position = close + 1
                root = degree == "3" ? "\u{221B}" : degree == "4" ? "\u{221C}" : degree == "2" ? root : degree + root
            }
            return root + Self.grouped(argument())
        case "begin", "end":
            _ = argument()
            return " "
        case _ where SpokenMath.wrappers.contains(name): return argument()
        case _ where Self.spaces.contains(name):
            if name == "left" || name == "right", next == "." { position += 1 }
            return " "
        // "\sin", "\log"
        default: return name + " "
        }
    }

    /// "^2", "^{10}", "^\circ"
    private mutating func power() -> String {
        position += 1
        let exponent = SpokenMath.tidied(argument())
        switch exponent {
        case "2": return "\u{B2}"
        case "3": return "\u{B3}"
        case "\u{B0}", "'", "": return exponent
        default: return ShieldedMarks.shielded("^") + Self.grouped(exponent)
        }
    }

    private mutating func skipBlanks() { while next?.isWhitespace == true { position += 1 } }

    /// Reads a group in braces, a command or a single character.
    private mutating func argument() -> String {
        skipBlanks()
        guard let first = next else { return "" }
        if first == "\\" { return command() }
        guard first == "{" else {
            position += 1
            return String(first)
        }
        var (end, open) = (position, 0)
        while end < text.endIndex {
            if text[end] == "{" { open += 1 }
            if text[end] == "}" { open -= 1 }
            if open == 0 { break }
            end += 1
        }
        let inside = text[(position + 1)..<max(position + 1, min(end, text.endIndex))]
        position = min(text.endIndex, end + 1)
        guard depth < Self.deepest else { return String(inside.filter { $0.isLetter || $0.isNumber }) }
        var reader = FormulaReader(inside, depth: depth + 1)
        return reader.read()
    }

    /// In brackets, if it is more than one number or word.
    private static func grouped(_ text: String) -> String {
        let text = SpokenMath.tidied(text)
        let isOne = text.allSatisfy { $0.isLetter || $0.isNumber || ".,\u{B2}\u{B3}\u{221A}%".contains($0) }
        return isOne || text.hasPrefix("-") && text.dropFirst().allSatisfy({ $0.isLetter || $0.isNumber })
            ? text : "(\(text))"
    }
}
