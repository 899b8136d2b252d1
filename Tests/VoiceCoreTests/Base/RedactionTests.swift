import Testing

@testable import VoiceBase

struct RedactionTests {
    @Test(arguments: [
        ("Incorrect API key provided: sk-***. You can", "Incorrect API key provided: (key). You can"),
        ("key 'sk-proj-AbC_12.x'", "key '(key)'"),
        (#"{"secret":"ek_1234","n":1}"#, #"{"secret":"(key)","n":1}"#),
        ("Bearersk-abcdefghijklmnopqrstuvwxyz012", "Bearer(key)"),
        ("sk-one\nsk-two", "(key)\n(key)"),
        ("the task-list of the week_end, disk-full", "the task-list of the week_end, disk-full"),
        ("nothing of the kind", "nothing of the kind"), ("sk-", "(key)"), ("", ""),
    ])
    func onlyKeysAreTakenOut(text: String, without: String) {
        #expect(Redaction.withoutKeys(text) == without)
    }

    @Test func cutSecretIsTakenOut() throws {
        let redactor = Redactor([try #require(Secret("House/Key+4711.plain_words"))])
        #expect(redactor.clean("bad: House/Key+4711.pl") == "bad: (secret)")
        #expect(redactor.clean("House/Key+4711.p (cut)") == "(secret) (cut)")
        #expect(redactor.clean("House/Key+4711. is a name") == "House/Key+4711. is a name")
    }

    @Test func textsOfADocumentAreReplacedAndItsNamesStay() {
        let document: JSONValue = ["a": ["a", 1, nil, ["b": "a"]], "c": true]
        #expect(document.replacingTexts { $0 + "!" } == ["a": ["a!", 1, nil, ["b": "a!"]], "c": true])
    }
}
