/// An action that a simulated session requests.
package enum SimulatedAction: Sendable, Equatable {
    /// Send one event.
    case send(SimulatedJSON)
    /// Call `fire(_:)` with this timer after so many milliseconds.
    case after(milliseconds: Int, SimulatedTimer)
    /// Send a close frame and end.
    case close(code: Int, reason: String)
    /// Cut the connection without a close frame.
    case drop
    /// Cut the connection with a reset.
    case reset
    /// Send a text that need not be an event.
    case sendText(String)
    /// Send a binary message.
    case sendBinary([UInt8])
    /// Send nothing for so many milliseconds; further actions wait.
    case stallWriting(milliseconds: Int)
    /// Read nothing for so many milliseconds.
    case stallReading(milliseconds: Int)
    /// Stop sending and answering.
    case fallSilent
    /// A fault was injected.
    case report(FaultKind)
}

/// An event that a simulated session waits for.
package enum SimulatedTimer: Sendable, Hashable {
    /// The next piece of the response with this serial number.
    case response(Int)
    /// A delayed `session.updated`.
    case update(SimulatedJSON)
    /// The transcript of a user item.
    case transcript(item: String, text: String)
}

/// Why a connection is refused after a successful upgrade.
///
/// The service accepts the WebSocket, sends one `error` event and closes.
package enum SimulatedRefusal: Sendable, Equatable {
    case invalidKey
    case betaHeader
    case missingModel
    case invalidModel

    var error: (code: String, message: String, close: Int) {
        switch self {
        case .invalidKey:
            (
                "invalid_api_key", "Incorrect API key provided: sk-***. You can find your API key in the dashboard.",
                3000
            )
        case .betaHeader:
            (
                "beta_api_shape_disabled",
                "The beta shape of the API is no longer served. Remove the OpenAI-Beta header.", 4000
            )
        case .missingModel: ("missing_model", "You must provide a model parameter.", 4000)
        case .invalidModel: ("invalid_model", "Model is not supported in realtime mode.", 4000)
        }
    }
}
