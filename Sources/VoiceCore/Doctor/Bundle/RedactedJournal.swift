/// The end of the journal as it may be shown to others: no word that was spoken, no secret.
enum RedactedJournal {
    static func text(_ journal: String, redactor: Redactor) -> String {
        journal.split(separator: "\n", omittingEmptySubsequences: false)
            .map { redactor.clean(withoutSpeech(String($0))) }
            .joined(separator: "\n")
    }

    /// The line without the values of fields that hold what somebody said or asked (`log.transcripts`, debug lines).
    static func withoutSpeech(_ line: String) -> String {
        var line = line
        for field in ["text", "query", "arguments", "output", "answer", "question", "transcript", "provider", "item"] {
            line = hiding(field, in: line)
        }
        return line
    }

    private static func hiding(_ field: String, in line: String) -> String {
        let mark = " \(field)="
        guard let start = line.indices.first(where: { line[$0...].hasPrefix(mark) }) else { return line }
        let value = line.index(start, offsetBy: mark.count)
        var end = value
        if value < line.endIndex, line[value] == "\"" {
            end = line.index(after: value)
            while end < line.endIndex, line[end] != "\"" {
                // An escaped character belongs to the value, whatever it is.
                if line[end] == "\\", line.index(after: end) < line.endIndex { end = line.index(after: end) }
                end = line.index(after: end)
            }
            if end < line.endIndex { end = line.index(after: end) }
        } else {
            while end < line.endIndex, line[end] != " " { end = line.index(after: end) }
        }
        return line[..<value] + "(not shown)" + line[end...]
    }
}
