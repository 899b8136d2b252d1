internal import VoiceBase

/// A question that neither a fixed answer, an echo nor a service that only passes words on can answer: the agent has to choose
/// words, and the voice model has to add one that the agent was not told.
struct LiveRiddle: Equatable, Sendable {
    /// The events of the turn.
    struct Seen: Equatable, Sendable {
        /// The arguments of the calls of the agent.
        var queries: [String] = []
        /// The agent's answers.
        var answers: [String] = []
        /// The speech after the last answer.
        var spoken = ""
        /// Time to the first sample of the answer; nil if there was none.
        var firstSample: Duration?
    }

    private static let vocabulary = [
        "walnut", "copper", "river", "candle", "velvet", "harbour", "thunder", "pepper", "ribbon", "glacier", "violin",
        "meadow", "saddle", "anchor", "lemon", "falcon",
    ]
    private static let ordinals = ["first", "second", "third", "fourth", "fifth", "sixth"]

    private let words: [String]
    private let wanted: [Int]
    /// The word for the voice model alone.
    private let password: String

    init(_ generator: inout some RandomNumberGenerator) {
        let drawn = Self.vocabulary.shuffled(using: &generator)
        words = Array(drawn.prefix(Self.ordinals.count))
        password = drawn[Self.ordinals.count]
        wanted = words.indices.shuffled(using: &generator).prefix(2).sorted()
    }

    var solution: [String] { wanted.map { words[$0] } }

    var question: String {
        """
        Ask Jarvis this, and nothing else: of the words \(words.joined(separator: ", ")), which are the \
        \(wanted.map { Self.ordinals[$0] }.joined(separator: " and the ")), in words alone? After his answer, tell me these \
        two words, and then say the word \(password), which Jarvis must not hear.
        """
    }

    /// - Parameters:
    ///   - rewords: whether the service has a model between the user and the agent.
    ///   - hasText: whether the service sends the text of what it says.
    func judge(_ seen: Seen, rewords: Bool, hasText: Bool) -> DoctorFinding {
        func finding(_ verdict: DoctorFinding.Verdict, _ text: MarkedText, _ advice: MarkedText) -> DoctorFinding {
            DoctorFinding("live-turn", verdict, text, advice: advice)
        }
        guard !seen.queries.isEmpty else {
            return finding(.fail, "the voice model did not ask the agent", "choose a larger model, or another service")
        }
        let answer = seen.answers.joined(separator: " ")
        guard !answer.isEmpty else {
            return finding(.fail, "the agent did not answer in time", "see the agent's own log")
        }
        guard holds(solution, answer), !words.contains(where: { !solution.contains($0) && holds([$0], answer) }) else {
            return finding(
                .fail, "the agent did not solve a simple task, it answered: \(String(answer.prefix(120)))",
                "see whether jarvis.url leads to a stand-in, and which model the agent uses"
            )
        }
        guard seen.firstSample != nil else {
            return finding(.fail, "no sound of the answer came", "see whether the service has trouble of its own")
        }
        guard hasText else {
            return finding(.warn, "the agent answered, but what was said cannot be read", "listen to it yourself")
        }
        let isPassedOn = rewords && seen.queries.contains { holds([password], $0) }
        guard holds(solution + (rewords ? [password] : []), seen.spoken), !isPassedOn else {
            return finding(
                isPassedOn ? .warn : .fail,
                isPassedOn
                    ? "the service passed the whole request on to the agent, so it may understand nothing"
                    : "the answer was not said as asked, but: \(String(seen.spoken.prefix(120)))",
                "see whether the service is a stand-in; choose a larger model, or another service"
            )
        }
        let wait = seen.firstSample?.inSeconds ?? ""
        return DoctorFinding("live-turn", .ok, "asked, answered and spoken, heard after \(public: wait)")
    }

    private func holds(_ wanted: [String], _ text: String) -> Bool {
        let text = text.lowercased()
        return wanted.allSatisfy(text.contains)
    }
}
