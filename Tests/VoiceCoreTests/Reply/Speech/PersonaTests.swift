import Testing

@testable import TestSupport
@testable import VoiceAgent
@testable import VoiceCore
@testable import VoiceReply
@testable import VoiceSession

struct PersonaTests {
    @Test func personaNamesEveryTool() {
        let text = Persona.instructions()
        #expect(text.contains(Tool.askJarvis(logger: LineLog().logger) { _ in JarvisAnswer(failure: .busy) }.name))
        for tool in ToolRegistry.standard(ToolContext(logger: LineLog().logger)).tools {
            #expect(text.contains(tool.name), "the persona says when to use \(tool.name)")
        }
        #expect(text.contains("Never use the same one twice in a row."))
        #expect(!text.contains("\\"))
    }

    @Test func languageIsThatOfTheSpeakerUnlessSet() {
        #expect(Persona.instructions().contains("the language the user speaks"))
        #expect(Persona.instructions(language: "de").contains("Speak the language \"de\""))
    }
}
