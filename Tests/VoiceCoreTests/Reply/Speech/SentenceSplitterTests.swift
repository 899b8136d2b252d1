import Testing

@testable import VoiceReply

struct SentenceSplitterTests {
    @Test(
        arguments: [
            ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
            (
                "Dr. Who met J. Smith, e.g. in 3.14 days. Then he left.",
                ["Dr. Who met J. Smith, e.g. in 3.14 days.", "Then he left."]
            ),
            ("He said \"Stop.\" Then (so be it.) Left.", ["He said \"Stop.\"", "Then (so be it.)", "Left."]),
            ("Well... maybe. Well... Maybe.", ["Well... maybe.", "Well...", "Maybe."]),
            ("Read config.toml. Am 3. mai. Nun z.B. Anna.", ["Read config.toml.", "Am 3. mai.", "Nun z.B. Anna."]),
            ("\u{597D}\u{3002}\u{597D}\u{FF1F}\u{597D}", ["\u{597D}\u{3002}", "\u{597D}\u{FF1F}", "\u{597D}"]),
            ("So do I. Then go.", ["So do I.", "Then go."]),
            (
                "Prof. Kim, St. Peter and J. R. Ray, z. B. Anna, bzw. Tom, Nr. 5, Fig. 3. Then go.",
                ["Prof. Kim, St. Peter and J. R. Ray, z. B. Anna, bzw. Tom, Nr. 5, Fig. 3.", "Then go."]
            ),
            ("Er kam am 3. Juli an. Gut.", ["Er kam am 3. Juli an.", "Gut."]),
            (
                "Mt. Everest, U.S. Army. Es kostet ca. Mitte Mai. Gut.",
                ["Mt. Everest, U.S. Army.", "Es kostet ca. Mitte Mai.", "Gut."]
            ),
            (
                "It is 5 km. Then in 1990. It is TV. I see. So.",
                ["It is 5 km.", "Then in 1990.", "It is TV.", "I see.", "So."]
            ),
            ("Det \u{E4}r nu ett \u{E5}r. Sen.", ["Det \u{E4}r nu ett \u{E5}r.", "Sen."]),
            ("", []),
        ] as [(String, [String])]
    )
    func sentencesAreFound(text: String, sentences: [String]) {
        #expect(SentenceSplitter.sentences(of: text).map(String.init) == sentences)
    }

    @Test(arguments: [
        ("one two, three - four", 4), ("\u{4ECA}\u{5929}\u{597D}", 2), ("", 0), ("... - !", 0), ("3.5 kg", 2),
    ])
    func wordsAreCounted(text: String, count: Int) {
        #expect(WordCount.words(in: text) == count)
    }
}
