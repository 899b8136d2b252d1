internal import VoiceBase

/// Media that agents named, each under a short handle such as "media-3".
///
/// The speaking model gets handles and titles, and plays by handle: it cannot misspell an address that it never sees.
/// Beyond `most` items, the least recently named ones are dropped; handles are not reused.
package struct MediaShelf: Sendable, Equatable {
    package static let most = 100

    private var entries: [(handle: String, item: NamedMedia)] = []
    private var count = 0

    package init() {}

    /// Keeps items and returns their handles. An address named before keeps its handle, and also its title, kind and
    /// reason where the new mention lacks them.
    package mutating func keep(_ items: [NamedMedia]) -> [String] {
        items.map { given in
            var handle: String
            var item = given
            if let index = entries.firstIndex(where: { $0.item.address == item.address }) {
                let known = entries.remove(at: index)
                handle = known.handle
                item = item.adding(known.item)
            } else {
                count &+= 1
                handle = "media-\(count)"
            }
            entries.append((handle, item))
            if entries.count > Self.most { entries.removeFirst() }
            return handle
        }
    }

    /// Returns the item that `keep` stored under this handle.
    package func item(_ handle: String) -> NamedMedia? { entries.first { $0.handle == handle }?.item }

    /// Finds an item by handle, also as it is spoken ("Media 3."), or by a title that only one item has.
    package func find(_ name: String) -> NamedMedia? {
        let name = Self.bare(name)
        if let number = Self.number(in: name) {
            return entries.first { $0.handle == "media-\(number)" }?.item
        }
        let wanted = Self.bare(name.lowercased())
        let same = entries.filter { !$0.item.title.isEmpty && Self.bare($0.item.title.lowercased()) == wanted }
        return same.count == 1 ? same[0].item : nil
    }

    /// Whether a name has the form of a handle.
    package static func isHandle(_ name: String) -> Bool { number(in: bare(name)) != nil }

    /// Returns the handles in a text that consists only of several, "media-1, media-2 and media-3"; nil for any other
    /// text.
    package static func handles(in text: String) -> [String]? {
        guard text.utf8.count <= 2048 else { return nil }
        var handles: [String] = []
        var rest = text.lowercased()[...]
        while let start = rest.firstRange(of: "media") {
            // Between two handles there may be punctuation or a word like "and". Another word, such as "to", may mean a
            // range.
            let between = rest[..<start.lowerBound].split { !$0.isLetter && !$0.isNumber }
            let isList =
                handles.isEmpty ? between.isEmpty : between.isEmpty || between.allSatisfy(conjunctions.contains)
            guard isList, handles.isEmpty || !isRange(rest[..<start.lowerBound]) else { return nil }
            let behind = rest[start.upperBound...]
            let gap = behind.prefix { !$0.isLetter && !$0.isNumber }
            let digits = behind[gap.endIndex...].prefix { $0.isASCII && $0.isNumber }
            guard gap.count <= 2, !digits.isEmpty, digits.count <= 9 else { return nil }
            handles.append("media-\(digits)")
            rest = behind[digits.endIndex...]
        }
        guard handles.count > 1, !rest.isSayable else { return nil }
        return handles
    }

    private static let conjunctions: Set<Substring> = [
        "and", "then", "und", "dann", "et", "puis", "y", "e", "en", "poi", "plus",
    ]

    private static func isRange(_ text: Substring) -> Bool {
        let marks = text.filter { !$0.isWhitespace }
        return ["-", "\u{2013}", "\u{2014}", "..", "...", "\u{2026}"].contains(marks)
    }

    /// Strips blanks and punctuation at both ends, except slashes.
    private static func bare(_ name: String) -> String {
        func isMark(_ character: Character) -> Bool {
            !(character.isLetter || character.isNumber || character.isSymbol || "/\\".contains(character))
        }
        let start = name.drop(while: isMark)
        return start.lastIndex { !isMark($0) }.map { String(start[...$0]) } ?? name
    }

    /// - Parameter name: as returned by `bare`.
    private static func number(in name: String) -> Int? {
        guard name.utf8.count <= 32 else { return nil }
        let text = name.lowercased().filter { !" -_#:.".contains($0) }
        guard text.hasPrefix("media") else { return nil }
        var rest = text.dropFirst("media".count)
        // As it is spoken.
        for word in ["number", "nummer", "nr", "no"] where rest.hasPrefix(word) {
            rest = rest.dropFirst(word.count)
            break
        }
        guard !rest.isEmpty, rest.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        // "media-1.5" is not a handle.
        let digits = name.suffix(rest.count)
        return digits.elementsEqual(rest) ? Int(rest) : nil
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && left.entries.elementsEqual(right.entries) { $0 == $1 }
    }
}

/// Media that an answer named, as kept on the shelf.
package struct OfferedMedia: Sendable, Equatable {
    package var handles: [String]
    /// For a speaking model: a line for each, with its handle.
    package var listing: String

    package init(handles: [String], listing: String) {
        self.handles = handles
        self.listing = listing
    }
}

extension MediaShelf {
    /// Lists items for the speaking model: a line for each, with its handle, then the number of those left out.
    package static func lines(_ items: [NamedMedia], handles: [String], leftOut: Int = 0) -> String {
        var lines = zip(handles, items).map { handle, item in
            "\(handle): \"\(item.title)\" (\(item.kind.rawValue))" + (item.reason.map { ", reason: \"\($0)\"" } ?? "")
        }
        if leftOut > 0 {
            lines.append(
                "\(leftOut) more were named and have no handle, for \(items.count) is the most at once: tell the user, and ask "
                    + "Jarvis for the others where they are wanted."
            )
        }
        return lines.joined(separator: "\n")
    }
}
