import Testing

@testable import VoiceCore

struct JarvisPromptTests {
    private static let question = JarvisPrompt.questions(
        callID: "c",
        [
            .init(
                question: "Which calendar?",
                options: [.init(label: "Work"), .init(label: "At home")],
                multi_select: false
            )
        ]
    )

    private static func approval(
        _ action: String,
        _ choices: [String] = ["command", "once", "deny"]
    ) -> JarvisPrompt {
        .approval(
            .init(
                approval_id: "a",
                path: action,
                is_shell: true,
                options: choices.enumerated().map { .init(index: $0, label: $1, choice: $1) }
            )
        )
    }

    @Test(
        arguments: [
            ("work", .init(question_index: 0, selected: "Work")),
            ("At-home.", .init(question_index: 0, selected: "At home")),
            ("the holidays", .init(question_index: 0, selected: "the holidays", is_custom: true)),
        ] as [(String, JarvisPromptReply.Answer)]
    )
    func whatWasSaidIsAnOptionOrFreeText(said: String, answer: JarvisPromptReply.Answer) {
        #expect(Self.question.reply(with: [said]) == .answers(callID: "c", [answer]))
    }

    @Test func severalMayBeChosen() {
        let prompt = JarvisPrompt.questions(
            callID: "c",
            [
                .init(
                    question: "Which?",
                    options: [.init(label: "A"), .init(label: "B"), .init(label: "C")],
                    multi_select: true
                )
            ]
        )
        let both = JarvisPromptReply.answers(callID: "c", [.init(question_index: 0, selected_list: ["A", "C"])])
        #expect(prompt.reply(with: ["a; C"]) == both)
        #expect(prompt.reply(with: ["a", "c"]) == both)
        #expect(prompt.reply(with: ["z"]) == nil)
    }

    @Test func everyQuestionWantsItsAnswer() {
        let prompt = JarvisPrompt.questions(callID: "c", [.init(question: "When?"), .init(question: "Where?")])
        #expect(prompt.reply(with: ["Noon"]) == nil)
        #expect(prompt.reply(with: ["Noon", " "]) == nil)
        #expect(prompt.reply(with: ["Noon", "Here"]) != nil)
    }

    @Test func onlyTheVeryActionIsAllowedAndOnlyOnce() {
        let prompt = Self.approval("rm -r /tmp/x")
        #expect(prompt.permission(for: "  rm  -r /tmp/x\n") == .choice(approvalID: "a", index: 1))
        for other in ["rm -r /tmp", "rm -r /tmp/x y", "RM -r /tmp/x", "rm-r /tmp/x", "", "yes"] {
            #expect(prompt.permission(for: other) == nil, "\(other)")
        }
        #expect(Self.approval("ls", ["always", "deny"]).permission(for: "ls") == nil)
        #expect(Self.approval("").permission(for: "") == nil)
        #expect(Self.question.permission(for: "Work") == nil)
    }

    @Test func whatCannotBeFollowedByEarIsNotAsked() {
        #expect(Self.approval("ls /tmp").isSpeakable)
        #expect(!Self.approval("ls\nrm -r /").isSpeakable)
        #expect(!Self.approval("echo \u{1B}[8m").isSpeakable)
        #expect(!Self.approval(String(repeating: "x", count: 400)).isSpeakable)
        #expect(!Self.approval(" ").isSpeakable)
        #expect(!JarvisPrompt.questions(callID: "c", []).isSpeakable)
    }

    @Test func theOptionsAreReadAloud() {
        #expect(Self.question.spoken.contains("Which calendar? The options are: Work; At home."))
        #expect(Self.approval("ls /tmp").spoken.contains("run this command: ls /tmp\n"))
    }
}
