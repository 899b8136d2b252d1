/// The sample rates and block sizes that the whole program agrees on.
package enum AudioFormat {
    /// Rate of the sound card and of everything inside the audio thread, in Hz.
    package static let deviceRate = 48_000
    /// Rate between the audio thread and the network thread, both ways, in Hz (mono, 16 bits). A service with another rate
    /// on its wire has it converted by its link.
    package static let wireRate = 24_000
    /// One period: 10 ms at the device's rate, in frames.
    package static let periodFrames = deviceRate / 100
    /// The same 10 ms at that rate, in samples.
    package static let wirePeriodSamples = wireRate / 100
}

/// The sample rates of sound cards that are converted here.
package enum SampleRates {
    /// In Hz, lowest first.
    package static let known = [
        8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000,
    ]
}

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
    /// There is something to be told, in a moment or when somebody asks.
    case notice = 7
}
