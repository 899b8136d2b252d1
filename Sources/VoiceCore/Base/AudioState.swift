/// What the audio thread is doing. How the devices fare is another matter: see `DeviceSlot.state`.
package enum AudioState: Int, Sendable, Equatable {
    case starting
    /// Periods flow, with a device or without.
    case running
    case stopped
}

/// A short sound that is not speech.
package enum Earcon: Int, Sendable, CaseIterable, Hashable {
    /// The box listens.
    case listening = 1
    /// Work goes on; meant to be asked for again and again while it does.
    case thinking = 2
    /// Something went wrong.
    case error = 3
    /// The conversation has ended.
    case goodbye = 4
    /// Called: it is awake.
    case woken = 5
    /// The microphone is off.
    case muted = 6
}
