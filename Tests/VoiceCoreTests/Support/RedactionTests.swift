import Testing

@testable import VoiceCore

struct RedactionTests {
    @Test func aKeyThatAServerQuotesIsTakenOut() throws {
        let text =
            #"{"type":"error","error":{"code":"invalid_api_key","message":"Incorrect API key provided: sk-abc***xyz. See"}}"#
        guard case .error(let error) = try ServerEventDecoder().decode(text) else {
            Issue.record("not an error")
            return
        }
        #expect(error.message == "Incorrect API key provided: (key) See")
    }

    @Test func otherTextIsLeftAlone() {
        #expect(Redaction.withoutKeys("The risk is small.") == "The risk is small.")
    }
}
