internal import Synchronization

/// What the audio thread (T1) is asked to do; it looks every cycle.
///
/// | field | writes | reads |
/// |---|---|---|
/// | `isMicrophoneMuted` | `AudioSupervisor` | T1, whoever watches |
/// | `stop` | `AudioThread` | T1 |
package final class EngineRequests: Sendable {
    private let muted = Atomic<Bool>(false)
    private let stopping = Atomic<Int>(StopRequest.none.rawValue)

    package init() {}

    /// true: silence goes upstream in place of the microphone, with the same timing.
    package internal(set) var isMicrophoneMuted: Bool {
        get { muted.load(ordering: .acquiring) }
        set { muted.store(newValue, ordering: .releasing) }
    }

    /// Only grows while a thread runs.
    var stop: StopRequest {
        get { StopRequest(rawValue: stopping.load(ordering: .acquiring)) ?? .atOnce }
        set { stopping.store(newValue.rawValue, ordering: .releasing) }
    }
}

/// How the audio thread is asked to end.
enum StopRequest: Int, Sendable {
    case none
    /// After everything in the voice ring has been heard.
    case afterVoice
    case atOnce
}
