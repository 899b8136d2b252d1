/// The sample rates and block sizes that the whole program agrees on.
package enum AudioFormat {
    /// Rate of the sound card and of everything inside the audio thread, in Hz.
    package static let deviceRate = 48_000
    /// Rate of the audio on the wire, both ways, in Hz (mono PCM16 little endian).
    package static let wireRate = 24_000
    /// One period: 10 ms at the device's rate, in frames.
    package static let periodFrames = deviceRate / 100
    /// The same 10 ms on the wire, in samples.
    package static let wirePeriodSamples = wireRate / 100
}
