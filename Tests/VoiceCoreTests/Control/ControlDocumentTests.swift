import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore

struct ControlDocumentTests {
    @Test func theDocumentIsMadeFromTheTable() throws {
        let isCurrent = try ProjectFiles.isGenerated("docs/control.md", ControlDocument.text())
        #expect(isCurrent, "run the tests once with UPDATE_SAMPLE=1 to write it anew")
    }

    @Test func namesAreUniqueAndArgumentsReadable() {
        let commands = ControlRegistry.standard.commands
        #expect(Set(commands.map(\.name)).count == commands.count)
        for command in commands {
            #expect(!command.documentation.isEmpty)
            // Words of a command line are identified by their order: an optional one cannot precede a text.
            for argument in command.arguments.filter({ !$0.isOption }).dropLast() {
                if case .text = argument.kind { Issue.record("\(command.name): a text takes all that follows") }
            }
        }
    }

    @Test func everyPublishedEventIsDocumented() {
        let effects: [ConversationEffect] = [
            .stateChanged(from: .idle, to: .error("no")), .turnEnded(TurnReport(number: 1)),
            .note(.sessionOpened(id: nil, expiresAt: nil)), .note(.sessionSwapped(id: nil)),
            .note(.connectionLost(LinkFailure(.transient, ""), retryIn: .zero)), .note(.refused(reason: "")),
            .note(.serviceReplaced(from: "openai", by: "local", reason: "away")), .note(.budgetSpent(until: "")),
            .startCall(FunctionCall(callID: "c", name: "ask_jarvis", arguments: "{}"), .nobody),
        ]
        let events = effects.compactMap(DaemonEvent.init)
        #expect(events.count == effects.count)
        #expect(Set(events.map(\.name)) == Set(DaemonEvent.published).subtracting([.timer, .health]))
        #expect(DaemonEvent(.note(.heard("secret words"))) == nil)
        #expect(DaemonEvent(.note(.spoken("secret words"))) == nil)
    }

    @Test(arguments: [
        ([], ["status", "listen", "volume", "events"]), (["volume"], ["master", "voice", "media"]),
        (["quiet"], ["on", "off"]),
    ])
    func shellCompletionsListTheChoices(words: [String], some: [String]) {
        #expect(Set(ControlRegistry.standard.completions(after: words)).isSuperset(of: some))
    }

    @Test(arguments: [["say"], ["status"], ["volume", "media", "50"], ["nonsense"]])
    func freeTextHasNoShellCompletions(words: [String]) {
        #expect(ControlRegistry.standard.completions(after: words).isEmpty)
    }
}
