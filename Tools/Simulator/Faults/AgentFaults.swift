/// How the stand-in agent treats its requests in a fault run, drawn from a seed and the number of the request.
package struct AgentFaults: Sendable {
    private let seed: UInt64
    /// Share of requests that fail or are slow, in percent.
    private let share: Int
    /// Duration of a slow answer, and of a usual one, in milliseconds.
    private let slow: ClosedRange<Int>
    private let usual: ClosedRange<Int>

    package init(seed: UInt64, share: Int = 25, slow: ClosedRange<Int> = 300...900, usual: ClosedRange<Int> = 0...60) {
        self.seed = seed
        self.share = share
        self.slow = slow
        self.usual = usual
    }

    /// Returns the behaviour and its fault; nil if the request succeeds normally.
    package func behaviour(request number: Int) -> (AgentBehaviour, FaultKind?) {
        var random = SplitMix(seed: seed &+ UInt64(number) &* 0x2545_F491)
        let reply = AgentBehaviour.Outcome.reply("Answer **\(number)**.")
        let delay = Int.random(in: usual, using: &random)
        guard Int.random(in: 0..<100, using: &random) < share else {
            return (AgentBehaviour(reply, delayMilliseconds: delay), nil)
        }
        let outcomes: [(FaultKind, AgentBehaviour.Outcome)] = [
            (.agentSlow, reply), (.agentSlow, reply), (.agentBusy, .busy),
            (.agentLimited, .status(429, type: "rate_limit_error", message: "Too many requests.")),
            (.agentFailed, .status(500, type: "server_error", message: "It broke.")),
            (.agentFailed, .plain(502, "Bad gateway")), (.agentMalformed, .notJSON), (.agentMalformed, .html),
            (.agentCut, .cut), (.agentCutMidBody, .cutMidBody), (.agentEmpty, .emptyReply), (.agentSilent, .silence),
        ]
        let (kind, outcome) = outcomes[Int.random(in: 0..<outcomes.count, using: &random)]
        let time = kind == .agentSlow ? Int.random(in: slow, using: &random) : delay
        return (AgentBehaviour(outcome, delayMilliseconds: time), kind)
    }
}
