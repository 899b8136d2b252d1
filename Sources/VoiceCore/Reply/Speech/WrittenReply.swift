internal import VoiceBase

/// A reply without what the model wrote for itself or its server instead of the user.
///
///     thoughts         <think>...</think>  [THINK]...[/THINK]  <|channel|>analysis<|message|>...<|end|>   left out
///     tool calls       <tool_call>...</tool_call>  [TOOL_CALLS][...]  {"name":..., "arguments":...}       one sentence
///     source marks     between lenticular brackets or private use characters                             left out
///     scripts, styles  of a web page                                                                     left out
///     other marks      <|im_end|>  \boxed{42}                                                            the text in them stays
///     directions       *sighs*                                                                           left out
///
/// A mark is known by the words in its name and not by its brackets. One directly after a backquote is mentioned, not used.
/// Filtering a filtered text changes nothing.
package struct WrittenReply: Sendable, Equatable {
    /// Takes the place of tool calls in the reply.
    package static let call = "Jarvis tried to use a tool that this server does not carry out."

    package private(set) var text: String
    package private(set) var hasCall = false
    package private(set) var hasThoughts = false
    /// Whether only the mark at its end showed that a text was a thought.
    package private(set) var hasLateThoughts = false

    /// - Parameter isComplete: whether nothing will be appended; a beginning whose meaning is open is otherwise left out.
    package init(_ written: String, isComplete: Bool = true) {
        let (unframed, hadThoughts) = TemplateMarks.removed(from: written, isComplete: isComplete)
        let (marked, wasLate) = LostChannels.restored(in: unframed, isComplete: isComplete)
        hasThoughts = hadThoughts
        guard marked.utf8.contains(where: Self.mayBeginMark) else {
            text = marked
            return
        }
        var reader = MarkReader(Array(marked.utf8), isComplete: isComplete)
        reader.read()
        hasCall = reader.hasCall
        hasThoughts = hadThoughts || reader.hasThoughts
        hasLateThoughts = wasLate || reader.hasLateThoughts
        text = StageDirections.removed(from: String(decoding: reader.kept, as: UTF8.self), isComplete: isComplete)
    }

    private static func mayBeginMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "*"),
            UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "~"), UInt8(ascii: "\\"), 0xE2, 0xE3, 0xEE:
            true
        // "turn0search1", "call:name{"
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"): true
        default: false
        }
    }
}

/// Reads a reply from beginning to end and keeps what is meant for the user.
private struct MarkReader {
    /// Further marks are left in the text.
    private static let mostMarks = 1000
    /// How far the end of a mark, or of a mark's header, is looked for, in bytes.
    private static let reach = 300

    let bytes: [UInt8]
    let isComplete: Bool
    private(set) var kept: [UInt8] = []
    private(set) var hasCall = false
    private(set) var hasThoughts = false
    private(set) var hasLateThoughts = false
    private var at = 0
    private var json = EmbeddedJSON()
    private let marks: [(start: Int, mark: ModelMark)]
    /// The first mark at or after `at`.
    private var nextMark = 0

    init(_ bytes: [UInt8], isComplete: Bool) {
        self.bytes = bytes
        self.isComplete = isComplete
        var marks: [(start: Int, mark: ModelMark)] = []
        for (start, byte) in bytes.enumerated()
        where byte == UInt8(ascii: "<") || byte == UInt8(ascii: "[") || byte == 0xE2 {
            guard let mark = ModelMark(in: bytes, at: start), marks.count < Self.mostMarks else { continue }
            let isElement =
                mark.role == .other && mark.form == .tag && HTMLTag.isElement(mark.name) && mark.name != "details"
            if !isElement { marks.append((start, mark)) }
        }
        self.marks = marks
        kept.reserveCapacity(bytes.count)
    }

    mutating func read() {
        while at < bytes.count {
            let isTaken =
                at == 0 || bytes[at - 1] == 0x0A ? takeBareCall() || takeNext() : takeNext()
            if !isTaken {
                kept.append(bytes[at])
                at += 1
            }
        }
    }

    private mutating func takeNext() -> Bool {
        switch bytes[at] {
        case UInt8(ascii: "`"), UInt8(ascii: "~"): takeFence()
        case UInt8(ascii: "<"): takeMark()
        case UInt8(ascii: "["): takeMark() || takeData() || takeProgram()
        case UInt8(ascii: "{"): takeData()
        case UInt8(ascii: "c"): takeNamedCall()
        case UInt8(ascii: "t"): takeTurnMark()
        case UInt8(ascii: "T"), UInt8(ascii: "A"): takeStep()
        case UInt8(ascii: ":"): takeContentReference()
        case UInt8(ascii: "\\"): takeBox()
        case 0xE2: takeMark()
        case 0xE3: takeSource("\u{3010}", "\u{3011}") || takeSource("\u{3016}", "\u{3017}")
        case 0xEE: takeSource("\u{E200}", "\u{E201}")
        default: false
        }
    }

    /// A call on a line of its own whose marks were lost.
    private mutating func takeBareCall() -> Bool {
        guard let end = BareCall.end(in: bytes, at: at, json: &json, isComplete: isComplete) else { return false }
        return leaveOutCall(to: end)
    }

    private var isBlankSoFar: Bool { kept.allSatisfy { $0 <= 0x20 } }

    private func isLineStart(_ position: Int) -> Bool {
        let before = bytes[..<position].suffix(80)
        return before.allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x09 || $0 == 0x0D }
            || (before.lastIndex(of: 0x0A).map { bytes[$0..<position].allSatisfy { $0 <= 0x20 } } ?? false)
    }

    private func endOfLine(from start: Int) -> Int {
        bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
    }

    private func isBlank(_ range: Range<Int>) -> Bool { bytes[range].allSatisfy { $0 <= 0x20 } }

    private mutating func leaveOutThought(to end: Int) -> Bool {
        hasThoughts = hasThoughts || !isBlank(at..<end)
        at = end
        return true
    }

    /// Replaces a call by a sentence, once for each reply.
    private mutating func leaveOutCall(to end: Int) -> Bool {
        while let last = kept.last, last <= 0x20 { kept.removeLast() }
        if !kept.isEmpty { kept += Array("\n\n".utf8) }
        if !hasCall { kept += Array(WrittenReply.call.utf8) }
        if end < bytes.count, kept.last != 0x0A { kept += Array("\n\n".utf8) }
        hasCall = true
        at = end
        return true
    }

    // MARK: Marks

    /// Returns the first mark after a position that satisfies a condition, and its start.
    private func first(from start: Int, where isWanted: (ModelMark) -> Bool) -> (start: Int, mark: ModelMark)? {
        marks[nextMark...].first { $0.start >= start && isWanted($0.mark) }
    }

    private mutating func takeMark() -> Bool {
        while nextMark < marks.count, marks[nextMark].start < at { nextMark += 1 }
        guard nextMark < marks.count, marks[nextMark].start == at else { return false }
        let mark = marks[nextMark].mark
        switch mark.role {
        case .thought: return mark.isClosing ? takeThoughtEnd(mark) : takeThought(mark)
        case .call:
            guard mark.isClosing else { return leaveOutCall(to: callEnd(mark)) }
            at = mark.end
            return true
        case .silent:
            if mark.isClosing { return false }
            if let end = first(from: mark.end, where: { $0.isClosing && $0.base == mark.base })?.mark.end {
                at = end
                return true
            }
            guard isLineStart(at) else { return false }
            at = bytes.count
            return true
        case .channel: return takeChannel(mark)
        case .turn: return takeTurn(mark)
        case .other: return mark.form == .tag ? takeLeadingBlock(mark) : dropToken(mark)
        }
    }

    private mutating func dropToken(_ mark: ModelMark) -> Bool {
        guard mark.form == .token else { return false }
        // A model that continues after its end writes another text.
        at = mark.name == "endoftext" && !isBlankSoFar ? bytes.count : mark.end
        return true
    }

    private mutating func takeThought(_ mark: ModelMark) -> Bool {
        let isEnd = { (other: ModelMark) in other.role == .thought && other.isClosing }
        let own = first(from: mark.end) { $0.isClosing && $0.base == mark.base }
        // While more may come, the end of an inner thought does not end this one.
        if let end = own ?? (isComplete ? first(from: mark.end, where: isEnd) : nil) {
            return leaveOutThought(to: end.mark.end)
        }
        if mark.form == .bracket, !mark.isShouted { return false }
        guard isBlankSoFar || isLineStart(at) else { return false }
        // Some models use a tool before they have ended their thought.
        let call = isComplete ? first(from: mark.end) { $0.role == .call && !$0.isClosing } : nil
        return leaveOutThought(to: call?.start ?? bytes.count)
    }

    /// The text before an end without a beginning was a thought.
    private mutating func takeThoughtEnd(_ mark: ModelMark) -> Bool {
        if !isBlankSoFar {
            (hasThoughts, hasLateThoughts, hasCall) = (true, true, false)
            kept.removeAll(keepingCapacity: true)
        }
        at = mark.end
        return true
    }

    /// A block in a mark of any other name, at the beginning, is a thought if the reply follows on a line of its own.
    private mutating func takeLeadingBlock(_ mark: ModelMark) -> Bool {
        guard isBlankSoFar, !mark.isClosing, !mark.isOfAnswer,
            let end = first(from: mark.end, where: { $0.isClosing && $0.base == mark.base })?.mark.end,
            end < bytes.count, bytes[end] == 0x0A || bytes[end] == 0x0D, !isBlank(end..<bytes.count)
        else { return false }
        return leaveOutThought(to: end)
    }

    // MARK: Channels

    /// Takes a message with its header: `<|start|>assistant<|channel|>final<|message|>...<|end|>`.
    private mutating func takeChannel(_ mark: ModelMark) -> Bool {
        var (header, body) = ("", mark.end)
        if mark.name == "message" {
            // The first marks of a reply may be lost, since they are in the prompt.
            let written = String(decoding: kept, as: UTF8.self)
            guard written.utf8.count < 80, ChannelHeader.names.contains(where: written.contains) else {
                at = mark.end
                return true
            }
            header = written
            kept.removeAll()
        } else if mark.isClosing {
            at = mark.end
            return true
        } else {
            let next = first(from: mark.end) {
                $0.form == .token && !["channel", "start", "constrain"].contains($0.name)
            }
            if let next, next.mark.name == "message", next.start - mark.end <= Self.reach {
                header = String(decoding: bytes[mark.end..<next.start], as: UTF8.self)
                body = next.mark.end
            } else {
                let behind = String(decoding: bytes[mark.end..<min(bytes.count, mark.end + 40)], as: UTF8.self)
                guard let name = ChannelHeader.names.first(where: behind.hasPrefix) else {
                    at = isComplete ? mark.end : bytes.count
                    if behind.hasPrefix("assistant") { at = min(bytes.count, at + "assistant".utf8.count) }
                    return true
                }
                (header, body) = (name, mark.end + name.utf8.count)
            }
        }
        let end = first(from: body) { $0.form == .token && ($0.isClosing || $0.endsMessage) }
        let bodyEnd = end?.start ?? bytes.count
        let channel = ChannelHeader(header)
        let isData = bytes[body..<bodyEnd].first { $0 > 0x20 } == UInt8(ascii: "{")
        if channel.isForTool || end?.mark.name == "call" || (channel.isCommentary && isData) {
            return leaveOutCall(to: bodyEnd)
        }
        if channel.isThought { return leaveOutThought(to: bodyEnd) }
        if !isBlankSoFar { kept += Array("\n\n".utf8) }
        at = body
        return true
    }

    /// `<|im_start|>assistant`, `<start_of_turn>model`: what follows as the turn of another speaker is invented.
    private mutating func takeTurn(_ mark: ModelMark) -> Bool {
        let line = bytes[mark.end..<min(endOfLine(from: mark.end), mark.end + 40)]
        let role =
            mark.isRole
            ? mark.name : String(decoding: line.prefix { $0 > 0x20 && $0 != UInt8(ascii: "<") }, as: UTF8.self)
        guard !mark.isClosing else {
            at = mark.end
            return true
        }
        let isOther = ["user", "human", "system"].contains(role.lowercased())
        at = isOther && !isBlankSoFar ? bytes.count : mark.isRole ? mark.end : mark.end + role.utf8.count
        return true
    }

    // MARK: Tool calls

    /// Returns where a call ends: at its end mark, before the next mark of another kind, after its data, or with its
    /// paragraph.
    private mutating func callEnd(_ mark: ModelMark) -> Int {
        if let end = first(from: mark.end, where: { $0.isClosing && $0.role == .call && $0.base == mark.base }) {
            return end.mark.end
        }
        guard isComplete else { return bytes.count }
        let next = first(from: mark.end) { $0.form == .token && $0.role != .call || $0.role == .thought }
        let limit = next?.start ?? bytes.count
        var end = mark.end
        while end < limit, let start = bytes[end..<min(endOfLine(from: end), limit)].firstIndex(where: isBracket),
            let (_, after) = json.value(in: bytes, at: start), after > end
        {
            end = min(after, limit)
        }
        if end > mark.end { return end }
        if mark.form == .token { return limit }
        let rest = bytes[mark.end..<limit]
        return zip(rest.indices, rest.indices.dropFirst()).first { bytes[$0] == 0x0A && bytes[$1] == 0x0A }?.0 ?? limit
    }

    private func isBracket(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

    /// Takes an object that is a call, or an array of such objects. Any other value is kept as it is.
    private mutating func takeData() -> Bool {
        guard at == 0 || bytes[at - 1] != UInt8(ascii: "`"), let (value, end) = json.value(in: bytes, at: at) else {
            return false
        }
        if Self.isCall(value) {
            // "functools[{...}]"
            while bytes[at] == UInt8(ascii: "["), let last = kept.last, isOfName(last) { kept.removeLast() }
            return leaveOutCall(to: end)
        }
        guard bytes[end - 1] == bytes[at] + 2 else { return false }
        kept += bytes[at..<end]
        at = end
        return true
    }

    private static func isCall(_ value: JSONValue) -> Bool {
        switch value {
        case .array(let values): return !values.isEmpty && values.allSatisfy(isCall)
        case .object(let members):
            // LangChain writes the answer itself as an action.
            let action = members["action"]?.stringValue?.lowercased().replacing("_", with: " ")
            if ["final answer", "answer", "respond", "reply"].contains(action) { return false }
            let names = ["name", "function", "function_name", "tool", "tool_name", "action"]
            let arguments = ["arguments", "parameters", "args", "params", "input", "tool_input", "action_input"]
            if names.contains(where: { members[$0]?.stringValue != nil }),
                arguments.contains(where: { members[$0] != nil })
            {
                return true
            }
            return ["function", "function_call", "tool_call", "tool_calls"].contains { name in
                switch members[name] {
                case .object(let inner): inner["name"] != nil
                case .array(let values): !values.isEmpty
                default: false
                }
            }
        default: return false
        }
    }

    /// A fenced block that is a call or a thought. Any other block is kept as it is.
    private mutating func takeFence() -> Bool {
        let fence = bytes[at...].prefix { $0 == bytes[at] }
        guard fence.count >= 3, isLineStart(at) else { return false }
        let open = endOfLine(from: at)
        var (close, end, line) = (bytes.count, bytes.count, open)
        while line < close {
            let next = endOfLine(from: line)
            let text = bytes[line..<next].drop { $0 == 0x20 }
            if text.starts(with: fence), text.allSatisfy({ $0 == fence[fence.startIndex] || $0 <= 0x20 }) {
                (close, end) = (line, next)
            }
            line = next
        }
        let language = String(decoding: bytes[(at + fence.count)..<open].filter { $0 > 0x20 }, as: UTF8.self)
        let role = ModelMark.role(ofName: language)
        if role == .thought { return leaveOutThought(to: end) }
        if role == .call || holdsCall(open..<max(open, close)) { return leaveOutCall(to: end) }
        kept += bytes[at..<end]
        at = end
        return true
    }

    private mutating func holdsCall(_ block: Range<Int>) -> Bool {
        guard let start = bytes[block].firstIndex(where: { $0 > 0x20 }) else { return false }
        if let mark = ModelMark(in: bytes, at: start) { return mark.role == .call }
        guard isBracket(bytes[start]), let (value, end) = json.value(in: bytes, at: start) else { return false }
        return Self.isCall(value) && isBlank(min(end, block.upperBound)..<block.upperBound)
    }

    /// `[get_weather(city="Rome")]` on a line of its own.
    private mutating func takeProgram() -> Bool {
        guard isLineStart(at) else { return false }
        let line = bytes[at..<endOfLine(from: at)]
        let name = line.dropFirst().prefix { isOfName($0) }
        let text = line.prefix(upTo: (line.lastIndex { $0 > 0x20 }).map { $0 + 1 } ?? line.endIndex)
        guard name.contains(where: { $0 == UInt8(ascii: "_") }) || text.contains(UInt8(ascii: "=")), name.count > 1,
            line.dropFirst(1 + name.count).first == UInt8(ascii: "("), text.suffix(2).elementsEqual(")]".utf8)
        else { return false }
        return leaveOutCall(to: text.endIndex)
    }

    /// `call:get_weather{city:Rome}`, which remains of a call whose marks were lost.
    private mutating func takeNamedCall() -> Bool {
        guard bytes[at...].starts(with: "call:".utf8), at == 0 || !isOfName(bytes[at - 1]) else { return false }
        let name = bytes[(at + 5)...].prefix { isOfName($0) }
        guard !name.isEmpty, name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: "{") else {
            return false
        }
        let end = bytes[name.endIndex..<endOfLine(from: at)].lastIndex(of: UInt8(ascii: "}")).map { $0 + 1 }
        return leaveOutCall(to: end ?? bytes.count)
    }

    /// The steps of an agent in its prompt's form: "Thought: ... Action: ... Action Input: ... Final Answer: ...".
    private mutating func takeStep() -> Bool {
        guard isLineStart(at) else { return false }
        func line(_ head: String) -> Int? {
            bytes[at...].firstRange(of: Array(("\n" + head).utf8)).map { $0.lowerBound + 1 }
        }
        let answer = line("Final Answer:").map { $0 + "Final Answer:".utf8.count }
        if bytes[at...].starts(with: "Thought:".utf8) {
            guard let end = answer ?? line("Action:") ?? (isComplete || !isBlankSoFar ? nil : bytes.count) else {
                return false
            }
            return leaveOutThought(to: end)
        }
        guard bytes[at...].starts(with: "Action:".utf8), line("Action Input:") != nil else { return false }
        return leaveOutCall(to: answer ?? bytes.count)
    }

    private func isOfName(_ byte: UInt8) -> Bool {
        let scalar = Unicode.Scalar(byte)
        return scalar.isASCII
            && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "_.".unicodeScalars.contains(scalar))
    }

    // MARK: Marks of sources

    /// Private use characters always enclose a mark; brackets do if a dagger or only numbers are in them.
    private mutating func takeSource(_ open: String, _ close: String) -> Bool {
        guard bytes[at...].starts(with: open.utf8) else { return false }
        let start = at + open.utf8.count
        let limit = min(bytes.count, start + Self.reach)
        guard let end = bytes[start..<limit].firstRange(of: Array(close.utf8)) else {
            guard open == "\u{E200}", !isComplete else { return false }
            at = bytes.count
            return true
        }
        let inside = String(decoding: bytes[start..<end.lowerBound], as: UTF8.self)
        let isNumbers =
            inside.contains(where: \.isNumber) && inside.allSatisfy { $0.isNumber || ":,;- \u{2013}L".contains($0) }
        let isMark = open == "\u{E200}" || isNumbers || inside.contains("\u{2020}") || inside.hasPrefix("turn")
        guard isMark || ["source", "citation"].contains(inside.lowercased()) else { return false }
        at = end.upperBound
        return true
    }

    /// `turn0search1`, with or without the word that precedes it.
    private mutating func takeTurnMark() -> Bool {
        func digits(_ from: Int) -> Int { bytes[from...].prefix(3).prefix { (0x30...0x39).contains($0) }.endIndex }
        guard bytes[at...].starts(with: "turn".utf8) else { return false }
        let number = digits(at + 4)
        guard number > at + 4 else { return false }
        let kind = bytes[number...].prefix { (0x61...0x7A).contains($0) }
        let end = digits(kind.endIndex)
        guard (3...10).contains(kind.count), end > kind.endIndex else { return false }
        let before = kept.prefix(upTo: kept.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? 0)
        for word in ["filecite", "cite"] where before.suffix(word.utf8.count).elementsEqual(word.utf8) {
            kept.removeLast(kept.count - before.count + word.utf8.count)
            break
        }
        at = end
        return true
    }

    /// `:contentReference[oaicite:0]{index=0}`
    private mutating func takeContentReference() -> Bool {
        let head = ":contentReference["
        guard bytes[at...].starts(with: head.utf8),
            let close = bytes[at...].prefix(80).firstIndex(of: UInt8(ascii: "]"))
        else { return false }
        at = close + 1
        let index = bytes[at...].prefix(20)
        if index.starts(with: "{index=".utf8), let end = index.firstIndex(of: UInt8(ascii: "}")) { at = end + 1 }
        return true
    }

    /// `\boxed{42}` and `\boxed{\text{Rome}}`: the frame of a result.
    private mutating func takeBox() -> Bool {
        for name in ["\\boxed{", "\\fbox{"] where bytes[at...].starts(with: name.utf8) {
            var depth = 1
            let start = at + name.utf8.count
            for position in start..<min(bytes.count, start + 4 * Self.reach) {
                if bytes[position] == UInt8(ascii: "{") { depth += 1 }
                if bytes[position] == UInt8(ascii: "}") { depth -= 1 }
                guard depth == 0 else { continue }
                at = position + 1
                dropFormula()
                kept += Self.unwrapped(bytes[start..<position])
                return true
            }
        }
        return false
    }

    /// Drops the marks of a formula that holds nothing but the result: `$\boxed{42}$`.
    private mutating func dropFormula() {
        for (open, close) in [("$$", "$$"), ("$", "$"), ("\\[", "\\]"), ("\\(", "\\)")] {
            let before = kept.lastIndex { $0 != 0x20 }.map { kept[...$0] } ?? []
            let behind = bytes[at...].drop { $0 == 0x20 }
            guard before.suffix(open.utf8.count).elementsEqual(open.utf8), behind.starts(with: close.utf8) else {
                continue
            }
            kept.removeSubrange((before.count - open.utf8.count)...)
            at = behind.startIndex + close.utf8.count
            return
        }
    }

    /// Removes a command around the whole text: `\text{Rome}`.
    private static func unwrapped(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        for name in ["\\text{", "\\textbf{", "\\mathrm{", "\\mathbf{"]
        where text.starts(with: name.utf8) && text.last == UInt8(ascii: "}") {
            let inside = text.dropFirst(name.utf8.count).dropLast()
            if !inside.contains(UInt8(ascii: "}")) { return inside }
        }
        return text
    }
}
