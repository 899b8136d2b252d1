/// Removes what chat templates write between turns, and the turns that a model invents after its own: `[INST]`, `<<SYS>>`,
/// `### Response:`, `Assistant:`; and the thoughts that Granite writes under a heading.
enum TemplateMarks {
    /// The marks of a turn of the model, at the beginning of a reply.
    private static let own = [
        "### response:", "### assistant:", "### answer:", "assistant:", "gpt4 correct assistant:", "[|assistant|]",
        "ai:", "bot:",
        "### jarvis:", "model:",
    ]
    /// Headings of another speaker's turn, on a line of their own.
    private static let others = [
        "### instruction:", "### instructions:", "### user:", "### human:", "### input:", "[inst]",
    ]
    private static let speakers = ["user:", "human:", "gpt4 correct user:", "[|user|]"]
    private static let answerers = ["assistant:", "ai:", "gpt4 correct assistant:", "[|assistant|]", "bot:"]

    /// - Parameter isComplete: whether nothing will be appended; what may become an invented turn is otherwise left out.
    static func removed(from text: String, isComplete: Bool) -> (text: String, hasThoughts: Bool) {
        let (plain, hasThoughts) = withoutHeadedThoughts(text, isComplete: isComplete)
        return (withoutTurns(withoutMarks(plain), isComplete: isComplete), hasThoughts)
    }

    // MARK: Marks

    private static func withoutMarks(_ text: String) -> String {
        var text = text
        if text.contains("<0x0A>") { text = text.replacing("<0x0A>", with: "\n") }
        // The prompt may come back before the answer.
        for (open, close) in [("[INST]", "[/INST]"), ("<<SYS>>", "<</SYS>>")] {
            guard let end = text.firstRange(of: close), !isMentioned(text, end.lowerBound) else { continue }
            let before = text[..<end.lowerBound].replacing("<s>", with: "").drop(while: \.isWhitespace)
            if before.isEmpty || before.hasPrefix(open) || before.hasPrefix("[INST]") {
                text = String(text[end.upperBound...])
            }
        }
        for mark in ["[/INST]", "<<SYS>>", "[BOS]", "[EOS]", "[|endofturn|]", "<unk>", "[|assistant|]"]
        where text.contains(mark) {
            text = replaced(mark, in: text)
        }
        return text
    }

    private static func replaced(_ mark: String, in text: String) -> String {
        var (result, rest) = ("", text[...])
        while let range = rest.firstRange(of: mark) {
            result += rest[..<range.lowerBound]
            if isMentioned(text, range.lowerBound) { result += mark }
            rest = rest[range.upperBound...]
        }
        return result + rest
    }

    /// One directly after a backquote is mentioned, not used.
    private static func isMentioned(_ text: String, _ place: String.Index) -> Bool {
        place > text.startIndex && text[text.index(before: place)] == "`"
    }

    // MARK: Turns

    private static func withoutTurns(_ text: String, isComplete: Bool) -> String {
        var bare = text.drop(while: \.isWhitespace)
        let head = bare.prefix(40).lowercased()
        if let mark = own.first(where: head.hasPrefix), isTurn(mark, bare, isComplete) {
            bare = bare.dropFirst(mark.count).drop(while: \.isWhitespace)
        } else if head.hasPrefix("assistant\n") || head.hasPrefix("model\n") {
            bare = bare[(bare.firstIndex(of: "\n") ?? bare.startIndex)...].drop(while: \.isWhitespace)
        } else if !text.contains("\n"), !bare.contains("[INST]") {
            return text
        } else {
            bare = text[...]
        }
        var isFenced = false
        // Where the model invents its own next turn.
        let answer = lastAnswer(in: bare)
        // The last visible character before the line. To look for it at every line would cost the square of the length of a
        // text of blank lines.
        var last: Character?
        var at = bare.startIndex
        while at < bare.endIndex {
            let end = bare[at...].firstIndex(of: "\n") ?? bare.endIndex
            let line = bare[at..<end].drop { $0 == " " }
            if line.hasPrefix("```") || line.hasPrefix("~~~") { isFenced.toggle() }
            let start = line.prefix(24).lowercased()
            // "The user said:" announces what another said.
            let isBegun = last.map { $0 != ":" } ?? false
            if !isFenced, isBegun, isInvented(start, before: bare[end...], isAnswered: answer > at, isComplete) {
                return String(bare[..<at])
            }
            // "It is ten.user\n\nAnd now?", where the marks between two turns were lost.
            if !isFenced, let place = lostTurn(in: bare[at..<end], before: bare[end...], isComplete) {
                return String(bare[..<place])
            }
            last = line.last { !$0.isWhitespace } ?? last
            at = end < bare.endIndex ? bare.index(after: end) : end
        }
        if let other = bare.firstRange(of: "[INST]"), other.lowerBound > bare.startIndex,
            !isMentioned(String(bare), other.lowerBound),
            bare[..<other.lowerBound].last != "`"
        {
            return String(bare[..<other.lowerBound])
        }
        return String(bare)
    }

    /// "AI: ..." may be a heading; "Assistant:" is not.
    private static func isTurn(_ mark: String, _ text: Substring, _ isComplete: Bool) -> Bool {
        guard ["ai:", "bot:", "model:"].contains(mark) else { return true }
        return text.dropFirst(mark.count).first == "\n" || text.lowercased().contains("\nuser:")
            || text.lowercased().contains("\nhuman:")
    }

    private static func lastAnswer(in text: Substring) -> Substring.Index {
        text.split(separator: "\n").last { line in
            let start = line.prefix(24).lowercased()
            return answerers.contains(where: start.hasPrefix)
        }?.startIndex ?? text.startIndex
    }

    private static func isInvented(_ line: String, before rest: Substring, isAnswered: Bool, _ isComplete: Bool) -> Bool
    {
        if others.contains(where: line.hasPrefix) { return true }
        guard let speaker = speakers.first(where: line.hasPrefix) else { return false }
        if !isComplete || isAnswered || speaker != "user:" { return true }
        // "User: admin" may be part of an answer.
        return line.dropFirst(speaker.count).allSatisfy(\.isWhitespace) && !rest.contains { !$0.isWhitespace }
    }

    private static func lostTurn(in line: Substring, before rest: Substring, _ isComplete: Bool) -> Substring.Index? {
        for name in ["user", "assistant"] where line.hasSuffix(name) {
            let before = line.dropLast(name.count)
            guard let last = before.last, ".!?\"".contains(last) else { continue }
            // "settings.user" is the name of a file. A blank line follows the name of a speaker.
            let next = rest.dropFirst().drop { $0 == " " }
            if last != "." || (next.isEmpty ? !isComplete : next.first == "\n") { return before.endIndex }
        }
        return nil
    }

    // MARK: Thoughts under a heading

    private static let thoughtHeads = [
        "here is my thought process", "here's my thought process", "here\u{2019}s my thought process",
    ]
    private static let answerHeads = ["here is my response", "here's my response", "here\u{2019}s my response"]

    private static func withoutHeadedThoughts(_ text: String, isComplete: Bool) -> (String, Bool) {
        let marks: (Character) -> Bool = { "*#_ \n\r\t".contains($0) }
        let bare = text.drop(while: marks)
        let head = bare.prefix(32).lowercased()
        guard thoughtHeads.contains(where: { head.hasPrefix($0) || !isComplete && $0.hasPrefix(head) && !head.isEmpty })
        else {
            return (text, false)
        }
        for answer in answerHeads {
            guard let range = bare.firstRange(of: answer, ignoringCase: true) else { continue }
            return (String(bare[range.upperBound...].drop { $0 == ":" || marks($0) }), true)
        }
        // "Here is my thought process" may also begin an answer.
        return (isComplete ? text : "", false)
    }
}

extension Substring {
    fileprivate func firstRange(of words: String, ignoringCase: Bool) -> Range<Index>? {
        var at = startIndex
        let count = words.count
        while at < endIndex {
            if let first = self[at...].first, first == "H" || first == "h" {
                let piece = self[at...].prefix(count)
                if piece.lowercased() == words { return at..<piece.endIndex }
            }
            at = index(after: at)
        }
        return nil
    }
}
