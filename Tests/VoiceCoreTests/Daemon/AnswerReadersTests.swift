import Testing

@testable import VoiceConversation
@testable import VoiceCore

struct AnswerReadersTests {
    private let readers = AnswerReaders()

    private func see(_ effects: ConversationEffect...) { for effect in effects { readers.see(effect) } }

    private func read(_ reading: AnswerReaders.Reading) async -> [String] {
        var parts: [String] = []
        for await part in reading.parts { parts.append(part) }
        return parts
    }

    @Test func answerGoesToTheReaderOfItsQuestion() async throws {
        let (first, second) = (try #require(readers.open()), try #require(readers.open()))
        see(
            .note(.spoken("Said before.")), .note(.typedQuestion(reader: second.number)), .note(.spoken("One moment.")),
            .note(.spoken("It is noon.")), .turnEnded(TurnReport(number: 1)), .note(.spoken("Said later."))
        )
        #expect(await read(second) == ["One moment.", "It is noon."])
        see(.note(.typedQuestion(reader: first.number)), .note(.spoken("Hello.")))
        see(.stateChanged(from: .aiSpeaking, to: .userSpeaking), .note(.spoken("Another answer.")))
        #expect(await read(first) == ["Hello."])
    }

    @Test func questionWithoutAReaderEndsOtherReadings() async throws {
        let reading = try #require(readers.open())
        see(
            .note(.typedQuestion(reader: reading.number)), .note(.typedQuestion(reader: nil)),
            .note(.spoken("Not for you."))
        )
        #expect(await read(reading).isEmpty)
    }

    @Test(arguments: [
        ConversationEffect.cancelCalls, .note(.speechDropped(.typed, 1)),
        .stateChanged(from: .connecting, to: .error("no key")),
    ])
    func abandonedQuestionEndsItsReading(effect: ConversationEffect) async throws {
        let reading = try #require(readers.open())
        see(effect)
        #expect(await read(reading).isEmpty)
    }

    @Test func questionTypedWhileClosingIsReadInTheNextSession() async throws {
        let reading = try #require(readers.open())
        see(
            .stateChanged(from: .listening, to: .idle), .note(.typedQuestion(reader: reading.number)),
            .note(.spoken("It is noon.")), .turnEnded(TurnReport(number: 1))
        )
        #expect(await read(reading) == ["It is noon."])
    }

    @Test func refusesTheNinthReader() throws {
        let readings = (0..<9).map { _ in readers.open() }
        #expect(readings.map { $0 != nil } == Array(repeating: true, count: 8) + [false])
        readings[0]?.cancel()
        #expect(readers.open() != nil)
    }
}
