/// The words of the response that speaks now, as the service reports them, to know how much of an answer was said when its
/// session is lost.
struct WordsSaid: Equatable, Sendable {
    /// Maximum size of the words, in bytes; later words count as not said.
    private static let most = 16 << 10

    private(set) var response = ""
    /// The text of the complete parts, and of the part in progress.
    private var done = ""
    private var open = ""

    mutating func said(_ text: String, by response: String, isWhole: Bool) {
        if response != self.response { self = WordsSaid(response: response) }
        guard done.utf8.count + open.utf8.count + text.utf8.count <= Self.most else { return }
        if isWhole {
            // Some services report the same words as speech and as text.
            if !done.hasSuffix(" " + text) { done += " " + text }
            open = ""
        } else {
            open += text
        }
    }

    /// The response was cut: received speech was not heard.
    mutating func wasCut(_ response: String) {
        if response == self.response { self = WordsSaid() }
    }

    init(response: String = "") { self.response = response }

    /// Returns the words of the response; nil if none are known.
    func text(of response: String) -> String? {
        let text = (done + " " + open).trimmed
        return response == self.response && !text.isEmpty ? text : nil
    }

    /// Returns how many of these sentences were said, from the first on, according to the reported words.
    ///
    /// The words are ahead of the sound, so of a part that is not complete the last sentence counts as not said.
    func count(of sentences: [String]) -> Int {
        var heard = Self.words(done + " " + open)[...]
        var count = 0
        for sentence in sentences {
            let wanted = Self.words(sentence)
            guard let place = Self.place(of: wanted, in: heard) else { break }
            heard = heard[(place + wanted.count)...]
            count += 1
        }
        return Self.words(open).isEmpty ? count : max(0, count - 1)
    }

    /// The same for the sentences of a certain response.
    func count(of sentences: [String], by response: String) -> Int {
        response == self.response ? count(of: sentences) : 0
    }

    private static func words(_ text: some StringProtocol) -> [Substring] {
        Substring(text.lowercased()).split { !$0.isLetter && !$0.isNumber }
    }

    private static func place(of wanted: [Substring], in heard: ArraySlice<Substring>) -> Int? {
        guard heard.count >= wanted.count else { return nil }
        // One or two words occur anywhere.
        guard wanted.count > 2 else { return heard.starts(with: wanted) ? heard.startIndex : nil }
        return (heard.startIndex...heard.endIndex - wanted.count).first { heard[$0...].starts(with: wanted) }
    }
}
