internal import Synchronization

/// Requests to the audio thread (T1), which reads them in every cycle.
///
/// | field | writes | reads |
/// |---|---|---|
/// | `isMicrophoneMuted` | `AudioSupervisor` | T1, observers |
/// | `stop` | `AudioThread` | T1 |
package final class EngineRequests: Sendable {
    private let muted = Atomic<Bool>(false)
    private let stopping = Atomic<Int>(StopRequest.none.rawValue)

    /// Whether silence goes upstream in place of the microphone, with the same timing.
    package internal(set) var isMicrophoneMuted: Bool {
        get { muted.load(ordering: .acquiring) }
        set { muted.store(newValue, ordering: .releasing) }
    }

    /// Only escalates while a thread runs.
    var stop: StopRequest {
        get { StopRequest(rawValue: stopping.load(ordering: .acquiring)) ?? .atOnce }
        set { stopping.store(newValue.rawValue, ordering: .releasing) }
    }
}

/// How the audio thread is to end.
enum StopRequest: Int, Sendable {
    case none
    /// Once everything in the voice ring has been heard.
    case afterVoice
    case atOnce
}
