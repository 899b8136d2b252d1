/// One HTTP request the stand-in agent received.
package struct AgentRequest: Sendable {
    package var method: String
    /// Path and query as received.
    package var target: String
    /// Headers in order, names as received.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// When the whole request had arrived.
    package var arrival: ContinuousClock.Instant
    /// When the answer was written; nil while it is out.
    package var answered: ContinuousClock.Instant?
    /// The client closed the connection before it was answered, which cancels the run.
    package var disconnectedEarly = false

    /// The first header of that name, in any case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The body as JSON.
    package var json: SimulatedJSON? { SimulatedJSON(bytes: body) }

    /// The text of the last user message.
    package var query: String? {
        json?["messages"]?.array?.last { $0["role"] == "user" }?["content"]?.string
    }
}
