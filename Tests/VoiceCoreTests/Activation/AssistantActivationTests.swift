import Testing

@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation

/// Which assistant a conversation belongs to.
struct AssistantActivationTests {
    private func machine(_ mode: ActivationMode = .wake) -> ActivationMachine {
        var options = ActivationMachine.Options()
        options.mode = mode
        options.assistants = ["okay nabu"]
        var machine = ActivationMachine(options: options)
        _ = machine.handle(.start)
        return machine
    }

    private func talk(_ machine: inout ActivationMachine, _ states: ConversationState...) -> [ActivationEffect] {
        states.flatMap { machine.handle(.conversation($0)) }
    }

    @Test func wordWithATableOpensItsAssistant() throws {
        var machine = machine()
        let effects = machine.handle(.activate(.word("okay_nabu")))
        let chosen = try #require(effects.firstIndex(of: .assistant("okay nabu")))
        let opened = try #require(effects.firstIndex(of: .open(holdsMicrophone: true)))
        #expect(chosen < opened)
    }

    @Test(arguments: [ActivationTrigger.button, .command, .text, .word("hey jarvis")])
    func otherTriggersOpenTheDefaultAssistant(trigger: ActivationTrigger) {
        var machine = machine()
        _ = machine.handle(.activate(.word("okay nabu")))
        _ = talk(&machine, .connecting, .listening)
        _ = machine.handle(.timer(.followUp))
        _ = talk(&machine, .idle)
        #expect(machine.handle(.activate(trigger)).contains(.assistant(nil)))
    }

    @Test(arguments: [ActivationMode.wake, .always])
    func wordOfAnotherAssistantSwitchesConversations(mode: ActivationMode) {
        var machine = machine(mode)
        if mode == .wake { _ = machine.handle(.activate(.word("hey jarvis"))) }
        _ = talk(&machine, .connecting, .listening, .userSpeaking, .processing, .aiSpeaking)
        let call = machine.handle(.activate(.word("okay nabu")))
        #expect(call.contains(.close))
        #expect(!call.contains(.assistant("okay nabu")), "the old session is still there")
        let effects = talk(&machine, .idle)
        #expect(effects.contains(.assistant("okay nabu")))
        #expect(effects.contains { if case .open = $0 { true } else { false } })
    }

    @Test func theSameWordAgainOnlyInterrupts() {
        var machine = machine()
        _ = machine.handle(.activate(.word("okay nabu")))
        _ = talk(&machine, .connecting, .listening, .userSpeaking, .processing, .aiSpeaking)
        let effects = machine.handle(.activate(.word("okay nabu")))
        #expect(effects.contains(.interrupt))
        #expect(!effects.contains(.close))
    }
}
