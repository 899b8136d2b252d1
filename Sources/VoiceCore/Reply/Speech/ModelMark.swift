/// A mark that models and their servers use among themselves, in any brackets: `<think>`, `[/THINK]`, `<|im_end|>`.
struct ModelMark {
    enum Form {
        /// `<name>`
        case tag
        /// `[NAME]`
        case bracket
        /// `<|name|>`, `<name|>`; also with other bars, and between triangles
        case token
    }

    enum Role {
        case thought, call
        /// An element of HTML that browsers do not show.
        case silent
        /// Part of a message with a header: `<|channel|>`.
        case channel
        /// The beginning or end of a speaker's turn.
        case turn
        case other
    }

    private static let longest = 200

    let form: Form
    /// In lower case, with "_" between words.
    let name: String
    /// The name without the words that say whether it is the beginning or the end.
    let base: String
    let isClosing: Bool
    /// Written in capitals.
    let isShouted: Bool
    let role: Role
    /// The position after the mark.
    let end: Int

    /// Returns nil if no mark begins here.
    init?(in bytes: [UInt8], at start: Int) {
        guard start == 0 || bytes[start - 1] != UInt8(ascii: "`") else { return nil }
        let brackets: (open: String, close: String, form: Form)
        switch bytes[start] {
        case UInt8(ascii: "<"): brackets = ("<", ">", .tag)
        case UInt8(ascii: "["): brackets = ("[", "]", .bracket)
        case 0xE2 where bytes[start...].starts(with: "\u{25C1}".utf8): brackets = ("\u{25C1}", "\u{25B7}", .token)
        default: return nil
        }
        let first = start + brackets.open.utf8.count
        let near = bytes[first..<min(bytes.count, first + Self.longest)]
        // A text may be nothing but brackets.
        guard let lead = near.first(where: { $0 != UInt8(ascii: "|") && $0 != UInt8(ascii: "/") }),
            lead >= 0x80 || (0x61...0x7A).contains(lead | 0x20)
        else { return nil }
        let rest = near.prefix { $0 != UInt8(ascii: "<") && $0 != 0x0A }
        guard let close = rest.firstRange(of: Array(brackets.close.utf8)), close.lowerBound > first else { return nil }
        let inside = String(decoding: rest[..<close.lowerBound], as: UTF8.self)
            .replacing("\u{FF5C}", with: "|").replacing("\u{2581}", with: "_")
        let isBarred = brackets.form == .tag && (inside.hasPrefix("|") || inside.hasSuffix("|"))
        var given = inside[...]
        while given.first == "|" { given.removeFirst() }
        while given.last == "|" { given.removeLast() }
        let isSlashed = given.first == "/"
        let written = given.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber || "_-:.|".contains($0) }
        guard written.first?.isLetter == true else { return nil }
        let lower = written.lowercased().map { "-:.|".contains($0) ? "_" : $0 }
        let known = String(lower)
        let isTurn = known.hasSuffix("_of_turn") || ["eos", "bos", "pad"].contains(known)
        form = isBarred || isTurn ? .token : brackets.form
        // Only a tag has attributes.
        guard form == .tag || written.endIndex == given.endIndex else { return nil }
        let words = known.split(separator: "_").map(String.init)
        name = known
        isShouted = written == written.uppercased()
        isClosing =
            isSlashed || words.contains("end") || (form == .token && known.hasSuffix("end"))
            || (isBarred && !inside.hasPrefix("|"))
        let sides: Set<String> = ["begin", "end", "start", "of", "section"]
        let plain = words.filter { !sides.contains($0) }.joined(separator: "_")
        base = ["begin", "end"].reduce(plain) { $0.hasSuffix($1) ? String($0.dropLast($1.count)) : $0 }
        end = close.upperBound
        // "<details type="reasoning">"
        let attributes = form == .tag ? String(given[written.endIndex...]).lowercased() : ""
        let isNamedThought = attributes.contains("type=") && Self.role(ofName: attributes) == .thought
        role = isNamedThought ? .thought : Self.role(name: known, base: base, form: form)
        if form == .bracket {
            // Not a link, and not a word in brackets.
            let next = end < bytes.count ? bytes[end] : 0x20
            guard role == .thought || role == .call, next != UInt8(ascii: "("), next != UInt8(ascii: ":") else {
                return nil
            }
            guard isShouted || isClosing || role == .thought else { return nil }
        }
    }

    private static func role(name: String, base: String, form: Form) -> Role {
        if form == .token {
            if ["channel", "start", "message", "constrain"].contains(name) { return .channel }
            if roles.contains(name) || ["im", "header_id", "role"].contains(base) || name.hasSuffix("_of_turn") {
                return .turn
            }
        }
        let role = role(ofName: name)
        guard role == .other else { return role }
        if form == .token, ["action", "plugin", "ipython"].contains(base) { return .call }
        if form == .tag, ["script", "style", "template", "svg", "noscript"].contains(name) { return .silent }
        return .other
    }

    private static let roles: Set<String> = ["user", "human", "system", "assistant"]

    /// `<|user|>`
    var isRole: Bool { Self.roles.contains(name) }

    /// Whether a message ends before this mark.
    var endsMessage: Bool { ["start", "channel", "call", "return", "end"].contains(name) || role == .turn }

    /// Whether the text in it is for the user, by its name or as an element of HTML.
    var isOfAnswer: Bool {
        HTMLTag.isElement(name)
            || [
                "answer", "final", "response", "reply", "output", "result", "solution", "say", "speak", "speech",
                "voice", "message",
            ]
            .contains { name.contains($0) }
    }

    private static let thoughts = [
        "think", "thought", "reason", "reflect", "analysis", "rationale", "scratchpad", "monolog", "deliberat",
        "ponder",
        "introspect", "contemplat",
    ]
    private static let calls = ["tool", "function", "func_call", "funccall", "invoke", "python_tag"]

    /// The role that the words of a name show.
    static func role(ofName name: String) -> Role {
        let name = name.lowercased()
        if thoughts.contains(where: name.contains) { return .thought }
        return calls.contains(where: name.contains) ? .call : .other
    }
}

/// The header of a message: "assistant<|channel|>commentary to=functions.get_weather".
struct ChannelHeader {
    static let names = ["analysis", "commentary", "final", "thought"]

    private let text: String

    init(_ text: String) { self.text = text.lowercased() }

    var isForTool: Bool { text.contains("to=") }
    var isCommentary: Bool { text.contains("commentary") }
    var isThought: Bool { !text.contains("final") && ModelMark.role(ofName: text) == .thought }
}

/// Channels whose marks a server removed: "analysisThe user asks ...assistantfinalIt is ten."
enum LostChannels {
    private static let names = ["analysis", "commentary", "final"]
    private static let most = 100

    /// Returns the text with its marks put back, and whether it began with a thought that nothing showed to be one.
    static func restored(in text: String, isComplete: Bool) -> (text: String, wasLate: Bool) {
        let bare = text.drop(while: \.isWhitespace)
        let start = bare.hasPrefix("assistant") ? bare.dropFirst("assistant".count) : bare
        let leading = names.first { start.hasPrefix($0) && isChannel($0, before: start.dropFirst($0.count)) }
        var pieces: [(channel: String, body: Substring)] = []
        var (channel, rest) = (leading ?? "analysis", leading.map { start.dropFirst($0.count) } ?? text[...])
        var at = rest.startIndex
        while pieces.count < most, let mark = rest[at...].firstRange(of: "assistant") {
            let behind = rest[mark.upperBound...]
            let next = leading == nil ? behind : behind.drop(while: \.isWhitespace)
            guard let name = names.first(where: next.hasPrefix) else {
                at = mark.upperBound
                continue
            }
            pieces.append((channel, rest[..<mark.lowerBound]))
            (channel, rest) = (name, next.dropFirst(name.count))
            at = rest.startIndex
        }
        let isGlued = leading != nil && rest.first.map { !$0.isWhitespace } ?? false
        // "analysis" may also be the first word of an answer.
        guard !pieces.isEmpty || isGlued || (leading != nil && leading != "final" && !isComplete) else {
            return (text, false)
        }
        pieces.append((channel, rest))
        let isLate = leading == nil && pieces.first?.body.contains { !$0.isWhitespace } == true
        return (pieces.map(message).joined(), isLate)
    }

    private static func isChannel(_ name: String, before rest: Substring) -> Bool {
        guard let next = rest.first else { return false }
        return name == "final" ? next.isUppercase : next.isLetter || next.isWhitespace
    }

    private static func message(_ channel: String, _ body: Substring) -> String {
        let words = body.drop(while: \.isWhitespace)
        guard words.hasPrefix("to="), let data = words.firstIndex(of: "{") else {
            return "<|channel|>\(channel)<|message|>\(body)<|end|>"
        }
        return "<|channel|>\(channel) \(words[..<data])<|message|>\(words[data...])<|end|>"
    }
}
