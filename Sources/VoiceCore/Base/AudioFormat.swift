/// The sample rates and block sizes shared by the whole program.
package enum AudioFormat {
    /// Rate of the sound card and of everything inside the audio thread, in Hz.
    package static let deviceRate = 48_000
    /// Rate between the audio thread and the network thread, both ways, in Hz (mono, 16 bits). If a service uses another
    /// rate on its wire, its link converts.
    package static let wireRate = 24_000
    /// One period: 10 ms at the device rate, in frames.
    package static let periodFrames = deviceRate / 100
    /// The same 10 ms at the wire rate, in samples.
    package static let wirePeriodSamples = wireRate / 100
    /// Longest sound of one message of a service, in seconds; the rest of it is lost. No service sends more than two.
    package static let longestMessage = 10
    /// Maximum size of a message with sound in base64, in bytes, if all of it is decoded: the same at 48 kHz.
    package static let longestEncodedMessage = 2 << 20
}

/// The sample rates of sound cards supported by conversion.
package enum SampleRates {
    /// In Hz, lowest first.
    package static let known = [
        8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000,
    ]
}

/// The state of the audio thread. For the state of the devices see `DeviceSlot.state`.
package enum AudioState: Int, Sendable, Equatable {
    case starting
    /// Periods flow, with or without a device.
    case running
    case stopped
}

/// A short sound that is not speech.
package enum Earcon: Int, Sendable, CaseIterable, Hashable {
    /// The box is listening.
    case listening = 1
    /// Work is in progress; played repeatedly as long as it lasts.
    case thinking = 2
    /// Something went wrong.
    case error = 3
    /// The conversation has ended.
    case goodbye = 4
    /// The box was called and is awake.
    case woken = 5
    /// The microphone is off.
    case muted = 6
    /// There is news, announced in a moment or on request.
    case notice = 7
}
