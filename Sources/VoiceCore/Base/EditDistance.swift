/// Finds the word that was probably meant.
package enum EditDistance {
    /// The first candidate with the fewest edits from `word`; nil if all need more than `limit`.
    package static func nearest(to word: String, in candidates: [String], within limit: Int) -> String? {
        guard word.utf8.count <= 128 else { return nil }
        let letters = Array(word.utf8)
        var best: (word: String, distance: Int)?
        for candidate in candidates {
            let distance = between(letters, Array(candidate.utf8))
            if distance <= limit && distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// Levenshtein distance in bytes.
    private static func between(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in b.enumerated() {
                let substitution = diagonal + (left == right ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substitution, row[j] + 1, diagonal + 1)
            }
        }
        return row[b.count]
    }
}
