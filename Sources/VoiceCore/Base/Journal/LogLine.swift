/// A line of the log on its way out.
package struct LogLine: Sendable, Equatable {
    /// For the journal; nil where there is none.
    package var entry: JournalEntry?
    /// For standard error, with its line feed; also where the journal does not take the entry.
    package var text: String

    package init(_ text: String, entry: JournalEntry? = nil) {
        self.text = text
        self.entry = entry
    }

    /// What it takes to keep it, roughly, in bytes.
    var size: Int {
        (entry?.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } ?? 0) + text.utf8.count
    }
}
