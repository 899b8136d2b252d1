/// Something the speaking model may call.
package protocol Tool: Sendable {
    /// The name on the wire.
    var name: String { get }
    /// Tells the model when to call it.
    var description: String { get }
    /// JSON Schema of the arguments, as JSON text.
    var parameters: String { get }
    /// `arguments` is the JSON text the model wrote, and may be anything. Always returns something the model can say.
    func call(arguments: String) async -> ToolOutput
}
