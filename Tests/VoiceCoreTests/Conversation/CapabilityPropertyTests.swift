import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

/// A service is never asked for what it cannot do, whatever happens, and a conversation comes to its end anyway.
struct CapabilityPropertyTests {
    /// The one capability that is missing.
    enum Lack: String, CaseIterable {
        case cancels, truncates, forgets, clearsInput, takesText, saysExactly, history, openingHistory, announces

        var capabilities: ServiceCapabilities {
            var capabilities = ServiceCapabilities.openAI
            switch self {
            case .cancels: capabilities.cancels = false
            case .truncates: capabilities.truncates = false
            case .forgets: capabilities.forgets = false
            case .clearsInput: capabilities.clearsInput = false
            case .takesText: capabilities.takesText = false
            case .saysExactly: capabilities.saysExactly = false
            case .history: capabilities.history = .none
            case .openingHistory: capabilities.history = .opening
            case .announces: capabilities.responseBounds = .sound
            }
            return capabilities
        }
    }

    private static func requests(_ effects: [ConversationEffect]) -> [ServiceRequest] {
        effects.compactMap { effect in
            switch effect {
            case .send(let request), .sendBeside(let request): request
            default: nil
            }
        }
    }

    @Test(arguments: Lack.allCases) func missingCapabilityIsNotRequested(lack: Lack) {
        let capabilities = lack.capabilities
        var asked: Set<String> = []
        for seed in UInt64(1)...60 {
            var world = ConversationWorld(seed: seed, capabilities: capabilities)
            for step in 0..<300 {
                world.step()
                switch step % 60 {
                case 20: world.post(.ask("What is on?"))
                case 30: world.post(.say("Dinner is ready."))
                case 40: world.post(.agentReported("Two meetings."))
                case 50: world.post(.mediaReported(MediaRemark(report: "{}", wish: "Say it."), opens: false))
                default: break
                }
            }
            let isAtRest = world.comeToRest()
            #expect(isAtRest, "\(seed): \(world.state), \(world.machine.sequencer)")
            #expect(world.machine.brokenInvariants.isEmpty, "\(seed): \(world.machine.brokenInvariants)")
            let requests = Self.requests(world.performed)
            let wrong = requests.filter { !$0.isTaken(by: capabilities) }
            #expect(wrong.isEmpty, "\(seed): \(wrong.prefix(3))")
            asked.formUnion(requests.map(\.name))
        }
        #expect(asked.isSuperset(of: ["open", "respond", "answer"]))
        switch lack {
        case .cancels: #expect(!asked.contains("cancel"))
        case .truncates: #expect(!asked.contains("truncate"))
        case .forgets: #expect(!asked.contains("forget"))
        case .clearsInput: #expect(!asked.contains("clear"))
        case .takesText: #expect(asked.isDisjoint(with: ["ask", "inform", "tell"]))
        case .history, .openingHistory: #expect(!asked.contains("recall"))
        case .saysExactly, .announces: #expect(asked.contains("tell"))
        }
    }

    /// All the missing capabilities of a service together.
    @Test(arguments: ServiceRegistry.all.flatMap { $0.kinds }.map(\.capabilities).filter { !$0.cancels })
    func limitedServiceGetsOnlySupportedRequests(
        capabilities: ServiceCapabilities
    ) {
        for seed in UInt64(1)...60 {
            var world = ConversationWorld(seed: seed, capabilities: capabilities)
            for step in 0..<300 {
                world.step()
                if step % 60 == 20 { world.post(.ask("What is on?")) }
                if step % 60 == 30 { world.post(.say("Dinner is ready.")) }
                if step % 60 == 40 { world.post(.stop(isSpoken: false)) }
            }
            let isAtRest = world.comeToRest()
            #expect(isAtRest, "\(seed): \(world.state), \(world.machine.sequencer)")
            #expect(world.machine.brokenInvariants.isEmpty, "\(seed): \(world.machine.brokenInvariants)")
            let wrong = Self.requests(world.performed).filter { !$0.isTaken(by: capabilities) }
            #expect(wrong.isEmpty, "\(seed): \(wrong.prefix(3))")
        }
    }

    /// A service that accepts history only when it opens receives it then.
    @Test func openingHistoryIsSentAtTheOpening() {
        var scene = Scene.listening {
            $0.capabilities.history = .opening
            $0.sessions.carry = .turns
        }
        scene.say("r1", question: "What is on?", answer: "Two meetings.")
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.on(.timer(.reconnect))
        scene.server(.sessionCreated(id: "next", expiresAt: nil))
        #expect(
            scene.latest.contains(.send(.open(history: [.user("What is on?"), .assistant("Two meetings."), .end])))
        )
        scene.server(.sessionUpdated(Scene.settings.json))
        #expect(scene.state == .listening)
        #expect(scene.texts(.user).isEmpty && scene.texts(.assistant).isEmpty)
    }

    /// A question typed to a service without text input is refused audibly, not lost in silence.
    @Test func typedQuestionToAServiceWithoutTextIsRefused() {
        var scene = Scene.listening { $0.capabilities.takesText = false }
        scene.on(.ask("What is on?"))
        #expect(scene.latest.contains(.play(.error)))
        scene.on(.say("Dinner is ready."))
        #expect(scene.creates.isEmpty)
        #expect(scene.state == .listening)
    }

    /// The answer to a call whose session has ended cannot reach another session without text input.
    @Test func undeliverableAnswerIsAbandoned() {
        var scene = Scene.calling { $0.capabilities.takesText = false }
        scene.on(.disconnected(LinkFailure(.transient, "reset")))
        scene.on(.timer(.reconnect))
        scene.open()
        scene.answer("c1")
        #expect(scene.state == .listening)
        #expect(scene.machine.calls.open.isEmpty && scene.machine.calls.unspoken.isEmpty)
        #expect(scene.reported.isEmpty && scene.outputs.isEmpty && scene.creates.isEmpty)
    }

    /// The translators respect the capabilities too, whatever they are asked.
    @Test(arguments: Dialect.Name.allCases) func translatorsSendOnlySupportedRequests(name: Dialect.Name) {
        let dialect = Dialect.named(name)
        let capabilities = dialect.capabilities
        var translator = RealtimeTranslator(RealtimeSettings(instructions: "", tools: [], dialect: dialect))
        let requests: [ServiceRequest] = [
            .cancel(response: "r"), .cancel(response: nil), .truncate(item: "i", part: 0, heard: 1, of: 2),
            .forget(item: "i"), .clearInput,
        ]
        for request in requests {
            #expect(translator.ask(request).isEmpty == !request.isTaken(by: capabilities), "\(request)")
        }
        let reported = translator.ask(.inform(id: "n", ForeignReport(name: "ask_jarvis", arguments: "{}", output: "o")))
        #expect(reported.contains { $0.name == "conversation.item.create" })
        #expect(translator.ask(.close).isEmpty)
    }

    // MARK: The end of a session in the service's own words

    @Test(arguments: [ServiceClosing.expired, .lost]) func closedSessionIsReplaced(why: ServiceClosing) {
        var scene = Scene.listening()
        scene.on(.service(.closing(why, "over")))
        #expect(scene.latest.contains(.disconnect))
        #expect(scene.state == .connecting)
        scene.on(.timer(.reconnect))
        #expect(scene.latest.contains(.connect))
    }

    @Test func serviceThatEndsForGoodIsNotReopened() {
        var scene = Scene.listening()
        scene.on(.service(.closing(.moderated, "content")))
        #expect(scene.state == .idle)
        #expect(scene.latest.contains(.disconnect) && scene.latest.contains(.play(.error)))
        let isSaid = scene.latest.contains { if case .announce = $0 { true } else { false } }
        #expect(isSaid, "nobody would know why the box is silent")
        var refused = Scene.listening()
        refused.on(.service(.closing(.refused, "no")))
        #expect(refused.refusals == ["no"])
        var asked = Scene.listening()
        asked.on(.service(.closing(.asked, "")))
        #expect(asked.state == .listening, "the end of the connection tells the rest")
    }
}
