internal import CXml

/// Reads XML and HTML as they come, with libxml2's HTML parser (docs/decisions/markup.md). Never fails: passes over what
/// is malformed. Bounded in depth and in the attributes of a tag; its owner bounds the bytes.
package final class MarkupReader {
    package enum Event {
        /// Names are in lower case; a prefix that stands for a known namespace has its usual name.
        case open(String, [String: String])
        /// In pieces.
        case text(UnsafeRawBufferPointer)
        case close(String)
    }

    private enum Place {
        /// Before the first element: declarations, noise.
        case before
        case comment
        case markup
        case characterData

        /// The mark that ends the place.
        var mark: [UInt8] {
            switch self {
            case .before: Array("<!--".utf8)
            case .comment: Array("-->".utf8)
            case .markup: Array("<![CDATA[".utf8)
            case .characterData: Array("]]>".utf8)
            }
        }

        /// The place behind its mark.
        var next: Place {
            switch self {
            case .before: .comment
            case .comment: .before
            case .markup: .characterData
            case .characterData: .markup
            }
        }
    }

    private static let frame = "<document>"
    private static let deepest = 200
    /// Bytes parsed at a time, after which the depth is checked.
    private static let slice = 4096

    private let handle: (Event) -> Void
    private var parser: OpaquePointer?
    private var place: Place
    /// The beginning of a mark that continues in the next piece.
    private var held: [UInt8] = []
    /// A start tag whose end has not come yet.
    private var tag: MarkupTag?
    private var open: [String] = []
    private var spaces: [String: String] = [:]

    /// - Parameter isFragment: whether text may come before the first element.
    package init(isFragment: Bool = false, _ handle: @escaping (Event) -> Void) {
        self.handle = handle
        place = isFragment ? .markup : .before
        let events = cxml_events(
            context: Unmanaged.passUnretained(self).toOpaque(),
            open: { MarkupReader.at($0)?.opens($1, $2) },
            text: { MarkupReader.at($0)?.handle(.text(UnsafeRawBufferPointer(start: $1, count: Int($2)))) },
            close: { MarkupReader.at($0)?.closes() }
        )
        parser = cxml_parser_new(events)
        // The parser reads nothing behind the end of the first element, so the whole document is put into another element.
        cxml_parser_push(parser, Self.frame, Int32(Self.frame.utf8.count), 0)
    }

    deinit { cxml_parser_free(parser) }

    /// The text of a fragment of HTML, without its elements; an element that begins a line becomes a blank.
    package static func text(of html: String) -> String {
        guard html.utf8.contains(where: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "<") }) else { return html }
        var bytes: [UInt8] = []
        var hidden = 0
        let reader = MarkupReader(isFragment: true) { event in
            switch event {
            case .text(let piece): if hidden == 0 { bytes += piece }
            case .open(let name, _):
                if beginsLine(name) { bytes.append(0x20) }
                if name == "script" || name == "style" { hidden += 1 }
            case .close(let name):
                if beginsLine(name) { bytes.append(0x20) }
                if name == "script" || name == "style" { hidden -= 1 }
            }
        }
        var whole = Array(html.utf8)
        // The words of a tag without an end are text.
        if let last = whole.lastIndex(of: UInt8(ascii: "<")), !whole[last...].contains(UInt8(ascii: ">")) {
            whole.replaceSubrange(last...last, with: Array("&lt;".utf8))
        }
        reader.push(whole, isLast: true)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether an element of HTML begins a line or a cell.
    package static func beginsLine(_ name: String) -> Bool { lines.contains(name) }

    private static let lines: Set<String> = [
        "br", "p", "div", "li", "ul", "ol", "dl", "dt", "dd", "tr", "td", "th", "table", "blockquote", "pre", "hr",
        "h1", "h2", "h3", "h4", "h5", "h6", "section", "article",
    ]

    /// - Parameter bytes: UTF-8.
    package func push(_ bytes: [UInt8], isLast: Bool = false) {
        let clean = filtered(bytes, isLast: isLast)
        clean.withUnsafeBytes { clean in
            let start = clean.bindMemory(to: CChar.self).baseAddress
            for from in stride(from: 0, to: clean.count, by: Self.slice) where open.count <= Self.deepest {
                cxml_parser_push(parser, start.map { $0 + from }, Int32(min(Self.slice, clean.count - from)), 0)
            }
        }
        if isLast, open.count <= Self.deepest { cxml_parser_push(parser, "", 0, 1) }
    }

    // MARK: What HTML does not have

    /// Drops what comes before the first element, writes character data as text, and control characters as blanks.
    private func filtered(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        let input = held + bytes
        held = []
        var result: [UInt8] = []
        result.reserveCapacity(input.count)
        var index = 0
        var mark = place.mark
        while index < input.count {
            let byte = input[index]
            if tag != nil {
                index += 1
                tag?.add(Self.visible(byte))
                if let whole = tag, whole.isComplete || whole.isTooLong {
                    if whole.isComplete { result += whole.bytes }
                    tag = nil
                }
                continue
            }
            if byte == mark[0] {
                let rest = input[index...].prefix(mark.count)
                if rest.count < mark.count, mark.starts(with: rest), !isLast {
                    held = Array(rest)
                    break
                }
                let isMark = rest.elementsEqual(mark)
                let isElement =
                    (place == .before || place == .markup)
                    && rest.dropFirst().first.map { (0x41...0x5A).contains($0 & 0xDF) } == true
                if isMark || isElement {
                    index += isMark ? mark.count : 1
                    if isElement { tag = MarkupTag() }
                    place = isElement ? .markup : place.next
                    mark = place.mark
                    continue
                }
            }
            index += 1
            switch byte {
            case _ where place == .before || place == .comment: break
            case UInt8(ascii: "<") where place == .characterData: result += Array("&lt;".utf8)
            case UInt8(ascii: "&") where place == .characterData: result += Array("&amp;".utf8)
            default: result.append(Self.visible(byte))
            }
        }
        return result
    }

    /// A blank for a control character.
    private static func visible(_ byte: UInt8) -> UInt8 {
        byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D ? 0x20 : byte
    }

    // MARK: Events of the parser

    private static func at(_ context: UnsafeMutableRawPointer?) -> MarkupReader? {
        context.map { Unmanaged<MarkupReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private func opens(_ name: UnsafePointer<CChar>?, _ pairs: UnsafePointer<UnsafePointer<CChar>?>?) {
        var attributes: [String: String] = [:]
        var index = 0
        while let pairs, let key = pairs[2 * index], index < MarkupTag.mostAttributes {
            let (key, value) = (String(cString: key), pairs[2 * index + 1].map { String(cString: $0) } ?? "")
            if attributes[key] == nil { attributes[key] = value }
            if key.hasPrefix("xmlns:"), let usual = Self.usualPrefix(of: value), spaces.count < MarkupTag.mostAttributes
            {
                spaces[String(key.dropFirst("xmlns:".count))] = usual
            }
            index += 1
        }
        open.append(usual(name.map { String(cString: $0) } ?? ""))
        if open.count > 1 { handle(.open(open.last ?? "", attributes)) }
    }

    private func closes() {
        if let name = open.popLast(), !open.isEmpty { handle(.close(name)) }
    }

    private func usual(_ name: String) -> String {
        guard let colon = name.firstIndex(of: ":"), let prefix = spaces[String(name[..<colon])] else { return name }
        return prefix + name[(prefix.isEmpty ? name.index(after: colon) : colon)...]
    }

    /// The prefix by which the readers know a namespace, empty for those of feeds and lists themselves; nil for others.
    private static func usualPrefix(of namespace: String) -> String? {
        let text = namespace.lowercased()
        let own = [
            "http://www.w3.org/2005/atom", "http://purl.org/atom/ns#", "http://purl.org/rss/1.0/",
            "http://purl.oclc.org/net/rss_2.0/enc#", "http://my.netscape.com/rdf/simple/0.9/", "http://xspf.org/ns/0/",
        ]
        if own.contains(text) { return "" }
        if text.contains("search.yahoo.com/mrss") { return "media" }
        return text.hasPrefix("http://purl.org/dc/") ? "dc" : nil
    }
}
