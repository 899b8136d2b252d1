import Testing

@testable import TestSupport
@testable import VoiceAgent

struct JarvisFailureTests {
    private static let provider = "Fake API error (status 400): upstream says sk-secret"
    private static let all: [JarvisFailure] = [
        .authentication, .offline(detail: "refused"), .timedOut, .serverLimit, .busy, .lost, .cutOff(detail: "reset"),
        .staleConversation,
        .wrongBasePath(hint: "redirect to /ui/"), .serverError(status: 400, detail: provider),
        .badReply(detail: "no choices"), .emptyReply, .onlyThoughts(reachedLimit: false),
        .onlyThoughts(reachedLimit: true),
        .toolNotRun, .unknownModel, .tooLarge, .untrusted(detail: "self-signed"),
        .runFailed(detail: provider), .resting(seconds: 20), .insecure(host: "example.com", address: "192.0.2.7"),
        .tooManyQuestions, .cancelled, .superseded, .nothingPending, .unfitAnswer,
        .otherCommand, .notAddable, .noClock, .limited(pause: .seconds(40)), .noCredit, .tooLong,
    ]

    @Test func failuresHaveDistinctLinesAndSentences() {
        #expect(Set(Self.all.map(\.logLine)).count == Self.all.count)
        #expect(Set(Self.all.map(\.spokenSentence)).count == Self.all.count)
        for failure in Self.all {
            #expect(failure.spokenSentence.hasSuffix("."))
            #expect(!failure.logLine.contains("\n"))
        }
    }

    @Test func textOfTheProviderIsNeitherSpokenNorLogged() {
        for failure in Self.all {
            #expect(!failure.spokenSentence.contains("upstream"))
            #expect(!failure.logLine.contains("upstream"))
        }
        #expect(JarvisFailure.serverError(status: 400, detail: Self.provider).providerText == Self.provider)
    }
}
