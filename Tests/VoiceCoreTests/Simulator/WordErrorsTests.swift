import Testing
import VoiceSimulator

@Suite struct WordErrorsTests {
    @Test(arguments: [
        ("What is on my calendar today?", "what is on my calendar today", 0),
        ("Set a timer for ten minutes.", "Set a timer for 10 minutes.", 0),
        ("Read me the news.", "We read the news!", 2),
        ("Turn on the light", "Turn on the light in the kitchen", 3),
        ("Turn on the light", "", 4),
    ])
    func fewestErrorsAreCounted(said: String, heard: String, wrong: Int) {
        let errors = WordErrors(said: said, heard: heard)
        #expect(errors.wrong == wrong)
        #expect(errors.words == WordErrors(said: said, heard: "").wrong)
    }
}
