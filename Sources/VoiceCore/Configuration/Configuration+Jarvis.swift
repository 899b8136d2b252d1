extension Configuration {
    /// The agent that thinks.
    package struct Jarvis: Sendable, Equatable {
        package var url = "http://127.0.0.1:8080/ui"
        package var api = API.chat
        package var model = ""
        package var tokenFile = ""
        package var allowPlainHTTP = false
        package var connectTimeoutS = 3
        package var silenceS = 30
        package var timeoutS = 120
        package var stillWorkingS = 10
        package var newQuestion = NewQuestion.queue
        package var askUser = AskUser.aloud
        package var approval = Approval.aloud
        package var humanTimeoutS = 60
        package var caFile = ""
        package var clientCertificateFile = ""
        package var clientKeyFile = ""
        package var maximumSpokenWords = 150
        package var idleRenewalMin = 30
        package var endConversation = EndConversation.auto
        package var preamble = Preamble.auto
        package var title = ""
        package var announceJobs = false

        package init() {}

        package enum Preamble: String, CaseIterable, Sendable {
            /// Unless the agent says that it has the prompt for voices.
            case auto
            case always
            case off
        }

        package enum EndConversation: String, CaseIterable, Sendable {
            /// Where something listens for the next call.
            case auto
            case on
            case off
        }

        package enum API: String, CaseIterable, Sendable {
            case chat
            case responses
            case openai
        }

        package enum NewQuestion: String, CaseIterable, Sendable {
            case queue
            case supersede
        }

        package enum AskUser: String, CaseIterable, Sendable {
            case aloud
            case dismiss
        }

        package enum Approval: String, CaseIterable, Sendable {
            case aloud
            case deny
        }
    }
}
