import Testing

@testable import VoiceActivation
@testable import VoiceBase
@testable import VoiceConversation

/// Which assistant a conversation belongs to.
struct AssistantActivationTests {
    private func machine(_ mode: ActivationMode = .wake, home: String? = nil) -> ActivationMachine {
        var options = ActivationMachine.Options()
        options.mode = mode
        options.assistants = ["okay nabu"]
        if let home { options.assistants.insert(home) }
        options.home = home
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

    /// In an open conversation with Nabu.
    private func withNabu(_ mode: ActivationMode, home: String? = nil) -> ActivationMachine {
        var machine = machine(mode, home: home)
        if mode == .always { _ = talk(&machine, .connecting, .listening) }
        _ = machine.handle(.activate(.word("okay nabu")))
        if mode == .always { _ = talk(&machine, .idle) }
        _ = talk(&machine, .connecting, .listening)
        return machine
    }

    private func opens(_ effects: [ActivationEffect]) -> Bool {
        effects.contains { if case .open = $0 { true } else { false } }
    }

    private func chosen(_ effects: [ActivationEffect]) -> [String?] {
        effects.compactMap { if case .assistant(let word) = $0 { .some(word) } else { nil } }
    }

    /// `ctl reset`, and a new key for a service that refused the old one.
    @Test(arguments: [ActivationMode.wake, .always]) func freshConversationIsWithTheSameAssistant(mode: ActivationMode)
    {
        var machine = withNabu(mode)
        let effects = machine.handle(.startFresh) + talk(&machine, .idle)
        #expect(opens(effects))
        #expect(chosen(effects).isEmpty && machine.assistant == "okay nabu")
    }

    @Test(arguments: [true, false]) func unmutingContinuesWithTheSameAssistant(isClosed: Bool) {
        var machine = withNabu(.always)
        _ = machine.handle(.mute(true))
        if isClosed { _ = talk(&machine, .idle) }
        var effects = machine.handle(.mute(false))
        if !isClosed { effects += talk(&machine, .idle) }
        #expect(opens(effects))
        #expect(chosen(effects).isEmpty && machine.assistant == "okay nabu")
    }

    @Test func silenceReturnsToTheBoxesOwnInAlways() {
        var machine = withNabu(.always)
        let spoken = talk(&machine, .userSpeaking, .processing, .aiSpeaking, .listening)
        #expect(spoken.contains { if case .startTimer(.followUp, _) = $0 { true } else { false } })
        let end = machine.handle(.timer(.followUp))
        #expect(end.contains(.close) && !end.contains(.play(.goodbye)))
        #expect(talk(&machine, .idle).contains(.assistant(nil)))
        let own = talk(&machine, .connecting, .listening)
        #expect(!own.contains { if case .startTimer(.followUp, _) = $0 { true } else { false } }, "it stays")
    }

    @Test func buttonOpensTheAssistantOfTheFirstWord() {
        var machine = machine(home: "hey jarvis")
        #expect(chosen(machine.handle(.activate(.button))) == ["hey jarvis"])
        _ = talk(&machine, .connecting, .listening)
        #expect(!machine.handle(.activate(.word("hey_jarvis"))).contains(.close), "they are one assistant")
    }

    /// Some servers for wake words name none.
    @Test func wordWithoutANameInterruptsTheAssistant() {
        var machine = withNabu(.wake)
        _ = talk(&machine, .userSpeaking, .processing, .aiSpeaking)
        let effects = machine.handle(.activate(.word("")))
        #expect(effects.contains(.interrupt) && !effects.contains(.close))
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
