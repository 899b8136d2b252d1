/// What agents have named to be played, each under a short handle such as "media-3".
///
/// The speaking model is told handles and titles and plays by handle: an address that it never sees it cannot misspell.
/// Of more than `most` items the ones named longest ago are forgotten; handles are not used again.
package struct MediaShelf: Sendable, Equatable {
    package static let most = 100

    private var entries: [(handle: String, item: NamedMedia)] = []
    private var count = 0

    package init() {}

    /// Keeps items and returns their handles; the same address keeps the one it has.
    package mutating func keep(_ items: [NamedMedia]) -> [String] {
        items.map { item in
            var handle: String
            if let index = entries.firstIndex(where: { $0.item.address == item.address }) {
                handle = entries.remove(at: index).handle
            } else {
                count &+= 1
                handle = "media-\(count)"
            }
            entries.append((handle, item))
            if entries.count > Self.most { entries.removeFirst() }
            return handle
        }
    }

    /// By handle, also one that was written as it is spoken ("Media 3"), or by a title that only one item has.
    package func find(_ name: String) -> NamedMedia? {
        if let number = Self.number(in: name) {
            return entries.first { $0.handle == "media-\(number)" }?.item
        }
        let wanted = name.lowercased()
        let same = entries.filter { !$0.item.title.isEmpty && $0.item.title.lowercased() == wanted }
        return same.count == 1 ? same[0].item : nil
    }

    /// Whether a name has the form of a handle.
    package static func isHandle(_ name: String) -> Bool { number(in: name) != nil }

    private static func number(in name: String) -> Int? {
        let text = name.lowercased().filter { $0 != " " && $0 != "-" && $0 != "_" }
        guard text.hasPrefix("media"), text.utf8.count <= 24 else { return nil }
        let digits = text.dropFirst("media".count)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(digits)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.count == right.count && left.entries.elementsEqual(right.entries) { $0 == $1 }
    }
}

extension MediaShelf {
    /// What the speaking model is told of items: a line for each, with its handle.
    package static func lines(_ items: [NamedMedia], handles: [String]) -> String {
        zip(handles, items).map { handle, item in
            "\(handle): \"\(item.title)\" (\(item.kind.rawValue))" + (item.reason.map { ", reason: \"\($0)\"" } ?? "")
        }.joined(separator: "\n")
    }
}
