import Testing

@testable import VoiceActivation
@testable import VoiceConfiguration

/// Words that sound like the wake word, in the texts that a recogniser makes of calls.
struct SimilarWordsTests {
    private static func similar(_ list: String) throws -> SimilarWords {
        try SimilarWords(list, beside: ["hey jarvis"])
    }

    /// Texts that Whisper's smallest model made of these words.
    @Test(arguments: [
        ("Hey Janice.", "janice"), ("It Travis", "travis"), ("They Travis.", "travis"), ("big charles", "charles"),
        ("Be charls", "charles"), ("A Markus.", "marcus"), ("Hey, service.", "service"),
        ("Hey Janice, where is it?", "janice"), ("Janice's", "janice"),
        ("See you next time.  Bye, Travis.", "travis"), ("Hey Mary, Jane!", "mary jane"),
    ]) func aSimilarWordIsFound(text: String, word: String) throws {
        let similar = try Self.similar("Hey Janice, travis, hey charles,marcus , service, Mary Jane")
        #expect(similar.found(in: text, insteadOf: "hey jarvis") == word)
    }

    /// Likewise of "Hey Jarvis", in quiet, babble and music: a text that has no word of the list says nothing.
    @Test(arguments: [
        "Hey Jarvis.", "They Jarvis.", "Okay, darkness.", "Thank you.  Thank you.", "", "Hey, Jardins.", "H.R. this.",
        "Hey, Turkish.", "They are this.", "Hey Jarvis, what?", "Nobody pay Jarvis",
        // The wake word decides, even beside another.
        "Hey Jarvis, call Janice.", "Hey Jarvus, call Travys", "Mary and Jane",
    ]) func aCallIsNone(text: String) throws {
        let similar = try Self.similar("janice, travis, charles, marcus, service, mary jane")
        #expect(similar.found(in: text, insteadOf: "hey jarvis") == nil)
        #expect(similar.found(in: text, insteadOf: "hey_jarvis") == nil)
        #expect(similar.found(in: text, insteadOf: "hey_jarvis_v0.1") == nil)
    }

    /// "Anna" is no "Anne", but of long words one letter may be wrong.
    @Test func shortWordsHaveToBeRight() throws {
        let similar = try Self.similar("anne, travis")
        #expect(similar.found(in: "Hey Anna", insteadOf: "hey jarvis") == nil)
        #expect(similar.found(in: "Hey Travi", insteadOf: "hey jarvis") == "travis")
        #expect(similar.found(in: "Hey Trovi", insteadOf: "hey jarvis") == nil)
    }

    /// Alex is a name that Alexa is called by mistake for, although the one begins like the other.
    @Test func aNameMayBeTheBeginningOfTheWakeWord() throws {
        let similar = try SimilarWords("Alex, Alexa's, Jean-Luc", beside: ["alexa"])
        #expect(similar.found(in: "Alex!", insteadOf: "alexa") == "alex")
        #expect(similar.found(in: "Alexa, call Alex", insteadOf: "alexa") == nil)
        #expect(similar.found(in: "Jean Luc", insteadOf: "alexa") == "jean luc")
    }

    /// A wake word of one word is no greeting before another.
    @Test func onlyAGreetingIsLeftOut() throws {
        let similar = try SimilarWords("computer games", beside: ["computer", "hey jarvis"])
        #expect(similar.found(in: "The games", insteadOf: "hey jarvis") == nil)
        #expect(similar.found(in: "Computer games", insteadOf: "hey jarvis") == "computer games")
    }

    @Test(arguments: [
        ("jarvis", "\"jarvis\" is part of the wake word \"hey jarvis\""),
        ("janice, Hey", "\"Hey\" is part of the wake word \"hey jarvis\""),
        ("janice, !?", "\"!?\" is no word: separate words with commas"),
        ("janice; travis", "\"janice; travis\" is no word: separate words with commas"),
        (String(repeating: "x", count: 81), "\"xxxxxxxxxxxxxxxxxxxx...\" is longer than 80 bytes"),
        ((0...32).map { "word\($0)" }.joined(separator: ","), "names more than 32 words"),
    ]) func aListThatCannotMeanAnythingIsRefused(list: String, why: String) throws {
        #expect(throws: WakeWordError(why)) { _ = try Self.similar(list) }
        var configuration = Configuration()
        configuration.activation.engine = .pocketsphinx
        configuration.activation.mode = .push
        configuration.activation.similarWords = list
        #expect {
            _ = try ActivationSettings(configuration)
        } throws: { "\($0)" == "activation.similar_words: \(why)" }
    }

    @Test func anEmptyListReadsNothing() throws {
        #expect(try Self.similar(" , ").isEmpty)
        var configuration = Configuration()
        configuration.activation.engine = .pocketsphinx
        configuration.activation.mode = .push
        configuration.activation.preRollMS = 500
        #expect(try ActivationSettings(configuration).similarWords == nil)
        #expect(try ActivationSettings(configuration).machine.preRoll == 500)
        configuration.activation.similarWords = "janice"
        #expect(try ActivationSettings(configuration).similarWords != nil)
        // A call waits for 1.2 s: what is said meanwhile is kept.
        #expect(try ActivationSettings(configuration).machine.preRoll == 1500)
    }

    @Test func withoutAnEngineItIsSaidThatNothingIsRead() throws {
        var configuration = Configuration()
        configuration.activation.engine = .off
        configuration.activation.similarWords = "janice"
        let settings = try ActivationSettings(configuration)
        #expect(settings.similarWords == nil)
        #expect(settings.notices.contains { $0.hasPrefix("activation.similar_words is not used") })
    }

    /// The server reports a word after the sound is gone.
    @Test func withAServerForWakeWordsItIsSaidThatNothingIsRead() throws {
        var configuration = Configuration()
        configuration.activation.engine = .wyoming
        configuration.activation.mode = .push
        configuration.activation.similarWords = "janice"
        let settings = try ActivationSettings(configuration)
        #expect(settings.similarWords == nil)
        #expect(settings.notices.contains { $0.hasPrefix("activation.similar_words is not used") })
    }
}
