internal import Synchronization
package import VoiceAgent

/// The clients of the agents: the first is the box's, the others belong to assistants of wake words. Questions go to that
/// of the assistant whose conversation is open.
package final class Agents: Sendable {
    /// An assistant with a name, and the index of its agent's client.
    package struct Assistant: Sendable {
        package var name: String
        package var client: Int

        package init(name: String, client: Int) { (self.name, self.client) = (name, client) }
    }

    /// Prompts of each client have numbers in a range of this size, so that a number names the client.
    package static let promptRange = 1 << 32

    package let all: [JarvisClient]
    private let assistants: [String: Assistant]
    private let current = Mutex<Assistant?>(nil)

    /// - Parameters:
    ///   - others: clients of assistants; the prompts of the n-th begin at n times `promptRange`.
    ///   - assistants: by wake word.
    package init(_ client: JarvisClient, _ others: [JarvisClient] = [], assistants: [String: Assistant] = [:]) {
        all = [client] + others
        self.assistants = assistants
    }

    /// The agent of the open conversation, or of the last one.
    package var present: JarvisClient { all[current.withLock { $0?.client ?? 0 }] }

    /// Chooses the agent of a wake word, nil for the box's own, and returns its number: its place in `all`.
    @discardableResult
    package func use(_ word: String?) -> Int {
        let next = word.flatMap { assistants[$0] }
        current.withLock { $0 = next }
        return next?.client ?? 0
    }

    /// Asks the present agent, and names the assistant that was called.
    func ask(_ query: String, _ context: String?, inParts: Bool) async -> AgentReply {
        let (client, name) = current.withLock { ($0?.client ?? 0, $0?.name) }
        let call = name.map { "(The user called \"\($0.replacing("\"", with: "'"))\".)" }
        let parts = [call, context].compactMap { $0 }
        let whole = parts.isEmpty ? nil : parts.joined(separator: "\n\n")
        return await all[client].ask(query, context: whole, inParts: inParts)
    }

    /// The agent that asked the question with this number, even if another assistant is open now; the present agent for nil.
    func owner(ofPrompt number: Int?) -> JarvisClient { number.map { all[$0 / Self.promptRange] } ?? present }

    /// Withdraws the requests of all agents.
    package func cancelRequests() async { for client in all { _ = await client.cancelRequest() } }

    /// Whether any agent works on a question or waits for the user.
    package var areAtWork: Bool {
        get async {
            for client in all where await client.isAtWork { return true }
            return false
        }
    }

    /// Checks all agents for which it is time.
    package func look() async {
        await withDiscardingTaskGroup { group in
            for client in all { group.addTask { await client.look() } }
        }
    }

    /// Leaves all agents, at the same time.
    package func leave() async {
        await withDiscardingTaskGroup { group in
            for client in all { group.addTask { await client.leave() } }
        }
    }
}
