/// The level of the raw microphone in the newest period, and how often it clipped. Levels in tenths of dBFS: -960 (digital
/// silence) ... 0.
package struct CaptureReading: Sendable, Equatable {
    package var peak = LevelMeter.floor
    /// Mean power.
    package var level = LevelMeter.floor
    /// The peak with a memory, for a display: stays 1.5 s, then falls by 20 dB a second.
    package var heldPeak = LevelMeter.floor
    /// Whether the microphone clips again and again.
    package var isClipping = false
    /// Periods with samples at full scale since the start of the program, and how many of them while the loudspeaker played.
    package var clippedPeriods: UInt64 = 0
    package var clippedWhilePlaying: UInt64 = 0
}
