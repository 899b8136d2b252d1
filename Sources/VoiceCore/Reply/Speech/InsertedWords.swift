/// Words that the shaper adds to a reply, in the language of the reply. Empty or nil if nothing is added.
struct InsertedWords: Sendable {
    /// Ends a reply that was cut.
    var offer = ""
    var link = ""
    var image = ""
    /// For a formula with symbols that cannot be understood by ear.
    var formula = ""
    var codeBlock = ""
    /// "%" stands for the language of the code.
    var codeBlockOf = ""
    /// After the first rows of a table; "%" stands for the number of remaining rows.
    var moreRows = ""
    /// For "~5".
    var about: String?
    /// Between base and exponent.
    var power: String?
    /// Between a number and the base it is written in.
    var base: String?
    /// For "==" between two words.
    var equals: String?
    /// For a check mark and a cross that stand alone in a table.
    var yes: String?
    var no: String?

    /// No words, for an unknown language.
    static let none = InsertedWords()

    static func of(_ language: ReplyLanguage?) -> InsertedWords { language.flatMap { table[$0] } ?? none }

    func mention(ofCodeIn language: String?) -> String {
        language.map { codeBlockOf.replacing("%", with: $0) } ?? codeBlock
    }

    func mention(ofMoreRows count: Int) -> String { moreRows.replacing("%", with: "\(count)") }

    private static let table: [ReplyLanguage: InsertedWords] = [
        .english: InsertedWords(
            offer: SpeechShaper.offer,
            link: "a link",
            image: "an image",
            formula: "a formula",
            codeBlock: "There is a block of code.",
            codeBlockOf: "There is a block of % code.",
            moreRows: "There are % more rows.",
            about: "about",
            power: "to the power of",
            base: "base",
            equals: "equals",
            yes: "yes",
            no: "no"
        ),
        .german: InsertedWords(
            offer: "Auf Wunsch gibt es mehr dazu.",
            link: "ein Link",
            image: "ein Bild",
            formula: "eine Formel",
            codeBlock: "Hier steht ein Block Code.",
            codeBlockOf: "Hier steht ein Block %-Code.",
            moreRows: "Es folgen noch % Zeilen.",
            about: "etwa",
            power: "hoch",
            base: "zur Basis",
            equals: "gleich",
            yes: "ja",
            no: "nein"
        ),
        .french: InsertedWords(
            offer: "Il y a plus de d\u{E9}tails, si besoin.",
            link: "un lien",
            image: "une image",
            formula: "une formule",
            codeBlock: "Il y a un bloc de code.",
            codeBlockOf: "Il y a un bloc de code %.",
            moreRows: "Il reste % lignes.",
            about: "environ",
            power: "puissance",
            base: "en base",
            equals: "\u{E9}gale",
            yes: "oui",
            no: "non"
        ),
        .spanish: InsertedWords(
            offer: "Hay m\u{E1}s detalles, si hacen falta.",
            link: "un enlace",
            image: "una imagen",
            formula: "una f\u{F3}rmula",
            codeBlock: "Hay un bloque de c\u{F3}digo.",
            codeBlockOf: "Hay un bloque de c\u{F3}digo %.",
            moreRows: "Quedan % filas.",
            about: "aproximadamente",
            power: "elevado a",
            base: "en base",
            equals: "es igual a",
            yes: "s\u{ED}",
            no: "no"
        ),
        .italian: InsertedWords(
            offer: "Ci sono altri dettagli, se servono.",
            link: "un link",
            image: "un'immagine",
            formula: "una formula",
            codeBlock: "C'\u{E8} un blocco di codice.",
            codeBlockOf: "C'\u{E8} un blocco di codice %.",
            moreRows: "Restano % righe.",
            about: "circa",
            power: "elevato a",
            base: "in base",
            equals: "\u{E8} uguale a",
            yes: "s\u{EC}",
            no: "no"
        ),
        .dutch: InsertedWords(
            offer: "Er zijn meer details, als dat gewenst is.",
            link: "een link",
            image: "een afbeelding",
            formula: "een formule",
            codeBlock: "Er staat een blok code.",
            codeBlockOf: "Er staat een blok %-code.",
            moreRows: "Er zijn nog % rijen.",
            about: "ongeveer",
            power: "tot de macht",
            base: "met grondtal",
            equals: "is gelijk aan",
            yes: "ja",
            no: "nee"
        ),
        .portuguese: InsertedWords(
            offer: "H\u{E1} mais detalhes, se for preciso.",
            link: "um link",
            image: "uma imagem",
            formula: "uma f\u{F3}rmula",
            codeBlock: "H\u{E1} um bloco de c\u{F3}digo.",
            codeBlockOf: "H\u{E1} um bloco de c\u{F3}digo %.",
            moreRows: "Faltam % linhas.",
            about: "cerca de",
            power: "elevado a",
            base: "na base",
            equals: "\u{E9} igual a",
            yes: "sim",
            no: "n\u{E3}o"
        ),
        .chinese: InsertedWords(
            offer: "\u{5982}\u{679C}\u{9700}\u{8981}\u{FF0C}\u{8FD8}\u{6709}\u{66F4}\u{591A}\u{5185}\u{5BB9}\u{3002}",
            link: "\u{94FE}\u{63A5}",
            image: "\u{56FE}\u{7247}",
            formula: "\u{516C}\u{5F0F}"
        ),
        .japanese: InsertedWords(
            offer:
                "\u{5FC5}\u{8981}\u{3067}\u{3042}\u{308C}\u{3070}\u{3001}\u{7D9A}\u{304D}\u{304C}\u{3042}\u{308A}\u{307E}\u{3059}\u{3002}",
            link: "\u{30EA}\u{30F3}\u{30AF}",
            image: "\u{753B}\u{50CF}",
            formula: "\u{6570}\u{5F0F}"
        ),
        .korean: InsertedWords(
            offer:
                "\u{D544}\u{C694}\u{D558}\u{BA74} \u{B354} \u{C790}\u{C138}\u{D55C} \u{B0B4}\u{C6A9}\u{B3C4} \u{C788}\u{C2B5}\u{B2C8}\u{B2E4}.",
            link: "\u{B9C1}\u{D06C}",
            image: "\u{C774}\u{BBF8}\u{C9C0}",
            formula: "\u{C218}\u{C2DD}"
        ),
    ]
}
