import Testing

@testable import TestSupport
@testable import VoiceConversation

struct SpokenShareTests {
    @Test(arguments: [
        (0, ""), (1, ""), (250, "One"), (500, "One two"), (740, "One two three"), (1000, "One two three four"),
        (5000, "One two three four"),
    ])
    func wordsEndAtTheEndOfTheSound(heard: Int, words: String) {
        let text = "One two three four"
        #expect(SpokenShare.words(of: text, known: text.count, heard: heard, received: 1000) == words)
    }

    @Test func spokenShareNeverShrinksOrExceedsTheText() {
        var generator = SeededGenerator(seed: 17)
        let letters = Array("abc  äö\n\u{1F600}")
        for _ in 0..<500 {
            let text = String(
                (0..<Int.random(in: 0...40, using: &generator)).compactMap { _ in
                    letters.randomElement(using: &generator)
                }
            )
            var longest = ""
            for heard in stride(from: 0, through: 2000, by: 100) {
                let words = SpokenShare.words(of: text, known: text.count, heard: heard, received: 2000)
                #expect(text.contains(words) && words.count >= longest.count)
                longest = words
            }
            #expect(longest == text.trimmed)
        }
    }
}
