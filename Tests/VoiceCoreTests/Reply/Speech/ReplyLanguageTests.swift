import Testing

@testable import VoiceReply

struct ReplyLanguageTests {
    @Test(
        arguments: [
            ("You have two meetings today.", ReplyLanguage.english), ("More at", .english), ("", .english),
            ("OK", .english),
            ("Du hast heute zwei Termine.", .german), ("Es ist zehn Uhr.", .german),
            ("Vous avez deux rendez-vous aujourd'hui.", .french),
            ("Tienes dos citas para hoy y una para ma\u{F1}ana.", .spanish),
            ("Oggi hai due appuntamenti, il primo \u{E8} alle nove.", .italian),
            ("Je hebt vandaag twee afspraken, de eerste is om negen uur.", .dutch),
            ("Hoje voc\u{EA} tem dois compromissos, o primeiro \u{E9} \u{E0}s nove.", .portuguese),
            ("\u{4ECA}\u{5929}\u{5929}\u{6C14}\u{5F88}\u{597D}\u{3002}", .chinese),
            ("\u{660E}\u{65E5}\u{306E}\u{4E88}\u{5B9A}\u{3067}\u{3059}\u{3002}", .japanese),
            ("\u{C624}\u{B298} \u{C11C}\u{C6B8}\u{C740} \u{B9D1}\u{C74C}.", .korean),
            // Related languages, and text too short to tell.
            ("Det \u{E4}r tv\u{E5} m\u{F6}ten i dag, och det f\u{F6}rsta \u{E4}r klockan nio.", nil),
            ("Du har to m\u{F8}der i dag, og det f\u{F8}rste er klokken ni.", nil),
            ("Masz dzisiaj dwa spotkania, pierwsze jest o dziewi\u{105}tej.", nil),
            ("Sinulla on kaksi kokousta, ja ensimm\u{E4}inen on yhdeks\u{E4}lt\u{E4}.", nil),
            (
                "\u{421}\u{435}\u{433}\u{43E}\u{434}\u{43D}\u{44F} \u{441}\u{43E}\u{43B}\u{43D}\u{435}\u{447}\u{43D}\u{43E}.",
                nil
            ),
            ("Potsdam Dessau Ahrensfelde Bernau", nil),
        ] as [(String, ReplyLanguage?)]
    )
    func itIsGuessedWhereItIsPlain(text: String, language: ReplyLanguage?) {
        #expect(ReplyLanguage.guess(text) == language)
    }

    @Test func whatIsPutInNamesEveryLanguage() {
        for language in ReplyLanguage.allCases {
            let words = InsertedWords.of(language)
            #expect(!words.offer.isEmpty && !words.link.isEmpty && !words.image.isEmpty && !words.formula.isEmpty)
            #expect(words.codeBlock.isEmpty == words.codeBlockOf.isEmpty)
        }
        #expect(InsertedWords.of(nil).offer.isEmpty)
    }
}
