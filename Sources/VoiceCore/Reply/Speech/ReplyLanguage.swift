/// The language of a reply, guessed from its most common words or its script.
///
/// Cheap and cautious: an unclear language stays unknown, and then no words are added to the reply.
enum ReplyLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case italian = "it"
    case dutch = "nl"
    case portuguese = "pt"
    case chinese = "zh"
    case japanese = "ja"
    case korean = "ko"

    /// How much of a text is examined, in UTF-8 bytes.
    private static let reach = 8000

    /// Guesses the language; nil if unclear. A text of at most two words counts as English, the language of the
    /// program's own texts.
    static func guess(_ text: String) -> ReplyLanguage? {
        var hits: [Int: Int] = [:]
        var words = 0
        var scripts = Scripts()
        for word in Self.withoutCode(text).split(whereSeparator: \.isWhitespace) {
            // Skip addresses, file names, and "i.e.", whose letters are words of other languages. Scripts without
            // spaces continue directly around them.
            guard !word.dropLast().contains("."), !word.contains("://") else {
                scripts.take(foreignPart(of: word))
                continue
            }
            scripts.take(word)
            for part in word.lowercased().split(whereSeparator: { !$0.isLetter && $0 != "'" && $0 != "\u{2019}" }) {
                words += 1
                for index in Self.index[String(part)] ?? [] { hits[index, default: 0] += 1 }
            }
        }
        if scripts.areForeign { return scripts.language }
        guard words > 2 else { return .english }
        let best = hits.max { ($0.value, -$0.key) < ($1.value, -$1.key) }
        guard let best, best.key < latin.count, best.value >= 5 || best.value * 20 >= words else { return nil }
        let second = hits.filter { $0.key != best.key }.values.max() ?? 0
        return best.value * 4 >= second * 5 && best.value > second ? latin[best.key].language : nil
    }

    /// Returns the letters outside ASCII around an address in a word.
    private static func foreignPart(of word: Substring) -> Substring {
        let bytes = Array(word.utf8)
        for start in bytes.indices {
            guard AddressInText.mayBegin(in: bytes, at: start), let end = AddressInText.end(in: bytes, from: start)
            else {
                continue
            }
            return String(decoding: bytes[..<start] + bytes[end...], as: UTF8.self).filter { !$0.isASCII }[...]
        }
        return ""
    }

    /// Returns the beginning of the text without the lines of fenced blocks.
    private static func withoutCode(_ text: String) -> String {
        var isFenced = false
        let lines = String(decoding: text.utf8.prefix(reach), as: UTF8.self).split(separator: "\n")
        return lines.filter { line in
            let start = line.drop { $0 == " " }
            let isFence = start.hasPrefix("```") || start.hasPrefix("~~~")
            if isFence { isFenced.toggle() }
            return !isFence && !isFenced
        }.joined(separator: "\n")
    }

    /// The number of letters of each script.
    private struct Scripts {
        var latin = 0
        var han = 0
        var kana = 0
        var hangul = 0
        var other = 0

        mutating func take(_ word: Substring) {
            for scalar in word.unicodeScalars where scalar.properties.isAlphabetic {
                switch scalar.value {
                case 0..<0x0370, 0x1E00...0x1EFF: latin += 1
                case 0x3041...0x30FF: kana += 1
                case 0x3400...0x9FFF, 0x20000...0x3FFFF: han += 1
                case 0xAC00...0xD7AF: hangul += 1
                default: other += 1
                }
            }
        }

        private var foreign: Int { han + kana + hangul + other }

        /// Whether the letters are not Latin. For Latin letters, words are the better evidence.
        var areForeign: Bool { foreign * 2 > latin }

        var language: ReplyLanguage? {
            if other * 2 > foreign { return nil }
            if hangul * 2 > foreign { return .korean }
            return kana > 0 ? .japanese : .chinese
        }
    }

    /// The most common short words. Words of several languages are listed in each, so that they do not decide.
    private static let latin: [(language: ReplyLanguage, words: String)] = [
        (
            .english,
            """
            the and of to is in it you that he was for on are with as his they at be this have from or had by not but \
            what all were we when your can said there an each which do how their if will up about out then them these so some \
            would make like into time has look two more no my than first been its who now did get i a me see it's here both \
            i'll use run let want
            """
        ),
        (
            .german,
            """
            der die das und ist in zu den von mit sich des auf f\u{FC}r nicht ein eine als auch es an werden aus er hat dass sie \
            nach wird bei einer um am sind noch wie einem \u{FC}ber einen so zum war haben nur oder aber vor zur bis mehr durch \
            man sein wurde hier du ich wir ihr dein deine dir mir heute morgen kein keine kannst wenn dann im dem
            """
        ),
        (
            .french,
            """
            le la les de des du un une et est dans en que qui pour sur pas avec au aux ce cette il elle nous vous je tu plus \
            ne se sont par ou mais son sa ses leur comme fait \u{E0} \u{EA}tre avez votre vos demain aujourd'hui y a c'est voici ici
            """
        ),
        (
            .spanish,
            """
            el la los las de del un una y es en que por para con no se su al lo como m\u{E1}s pero sus le ya o este s\u{ED} porque \
            esta entre cuando muy sin sobre tambi\u{E9}n me hay son est\u{E1} ma\u{F1}ana hoy tu aqu\u{ED} tienes a qu\u{E9}
            """
        ),
        (
            .italian,
            """
            il lo la i gli le di del della dei un una e \u{E8} in che per con non si su al alla da sono come pi\u{F9} ma anche se \
            questo questa nel nella oggi domani ci hai ho tuo tua o a c'\u{E8} ecco qui
            """
        ),
        (
            .dutch,
            """
            de het een en van in is dat op te zijn voor met niet die aan er om ook als dan maar of bij nog naar wat uit je ik \
            wij we hij ze u uw dit deze worden heeft hebben kan door over morgen vandaag hier geen wel meer
            """
        ),
        (
            .portuguese,
            """
            o a os as de do da dos das um uma e \u{E9} em no na que por para com n\u{E3}o se ao mais mas como seu sua ou \
            quando muito nos j\u{E1} est\u{E1} eu tamb\u{E9}m s\u{F3} pelo pela at\u{E9} isso voc\u{EA} hoje amanh\u{E3} aqui s\u{E3}o tem
            """
        ),
    ]

    /// Languages that are only distinguished from those above.
    private static let others = [
        "och det att i en som p\u{E5} \u{E4}r av f\u{F6}r med den till inte har jag ett om du de er og ikke af til vi det",
        "w i na z do nie si\u{119} jest \u{17C}e to o od po dla za jak a co tak tylko jutro dzisiaj",
        "a v na je se s z do to \u{17E}e ve by jako pro za od po k o dnes tak ale",
        "ve bir bu i\u{E7}in da de ile \u{E7}ok daha o ne en olarak var mi yok",
        "\u{15F}i \u{219}i de la \u{EE}n a cu pe nu este un o din mai s\u{103} pentru care",
        "ja on ei se ett\u{E4} oli olla mutta kun niin my\u{F6}s t\u{E4}m\u{E4} ovat kuin",
        "yang dan di dari untuk ini dengan itu ada tidak pada ke dalam akan",
        "\u{E9}s a az nem hogy egy is ez van de meg volt csak",
    ]

    private static let index: [String: [Int]] = {
        var index: [String: [Int]] = [:]
        for (number, words) in (latin.map(\.words) + others).enumerated() {
            for word in Set(words.split(separator: " ").map(String.init)) { index[word, default: []].append(number) }
        }
        return index
    }()
}
