/// The sentence after the first part of a long answer, in the language of the answer: "I have more details if you want them."
///
/// The language is guessed from the most common short words and from the script. Nothing is offered if it is unclear.
enum Offer {
    private static let offers: [(sentence: String, words: String)] = [
        (
            SpeechShaper.offer,
            "the and of to is it you that for are with this have not your there all then on at be was first has will"
        ),
        ("Auf Wunsch gibt es mehr dazu.", "der die das und ist den von mit f\u{FC}r nicht ein eine auch du dem"),
        ("Il y a plus de d\u{E9}tails, si besoin.", "le la les des et est dans pour une vous du au il sur avec"),
        ("Hay m\u{E1}s detalles, si hacen falta.", "el los las y es en que por para con una se del hay est\u{E1}"),
        ("Ci sono altri dettagli, se servono.", "il gli di della e \u{E8} che per una con del sono nel ci non"),
        ("Er zijn meer details, als dat gewenst is.", "de het een en van is dat op te zijn voor met niet je er"),
        ("H\u{E1} mais detalhes, se for preciso.", "o os das do da e \u{E9} em que para com uma n\u{E3}o mais no"),
    ]
    private static let chinese =
        "\u{5982}\u{679C}\u{9700}\u{8981}\u{FF0C}\u{8FD8}\u{6709}\u{66F4}\u{591A}\u{5185}\u{5BB9}\u{3002}"
    private static let japanese =
        "\u{5FC5}\u{8981}\u{3067}\u{3042}\u{308C}\u{3070}\u{3001}\u{7D9A}\u{304D}\u{304C}\u{3042}\u{308A}\u{307E}\u{3059}\u{3002}"
    private static let korean =
        "\u{D544}\u{C694}\u{D558}\u{BA74} \u{B354} \u{C790}\u{C138}\u{D55C} \u{B0B4}\u{C6A9}\u{B3C4} \u{C788}\u{C2B5}\u{B2C8}\u{B2E4}."

    /// How much of a text is examined, in UTF-8 bytes.
    private static let reach = 8000

    /// - Returns: an empty text if the language is unclear.
    static func after(_ text: String) -> String {
        let text = String(decoding: text.utf8.prefix(reach), as: UTF8.self)
        var (latin, han, kana, hangul) = (0, 0, 0, 0)
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x41...0x024F: latin += 1
            case 0x3041...0x30FF: kana += 1
            case 0x3400...0x9FFF: han += 1
            case 0xAC00...0xD7AF: hangul += 1
            default: break
            }
        }
        if hangul * 2 > latin, hangul > han + kana { return korean }
        if (han + kana) * 2 > latin { return kana > 0 ? japanese : chinese }
        let said = text.lowercased().split { !$0.isLetter }
        let hits = offers.map { offer in
            let common = Set(offer.words.split(separator: " "))
            return said.count { common.contains($0) }
        }
        guard let most = hits.max(), most >= 5 || most * 20 >= said.count, hits.count(where: { $0 == most }) == 1 else {
            return ""
        }
        return hits.firstIndex(of: most).map { offers[$0].sentence } ?? ""
    }
}
