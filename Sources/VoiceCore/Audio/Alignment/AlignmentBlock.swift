internal import VoiceBase

/// Ten milliseconds of both signals, as the search for the delay gets them: what goes with 80 samples of each at 8 kHz.
package struct AlignmentBlock: BitwiseCopyable, Sendable, Equatable {
    /// Samples of each signal.
    package static let samples = AudioFormat.periodFrames / decimation
    /// Frames at 48 kHz that one of them stands for.
    package static let decimation = 6

    /// Blocks of one epoch were served without a gap or a step; a new one begins with every step.
    package var epoch: UInt64 = 0
    /// Frames of the microphone before the block, counted from where its `ReferenceLine` began.
    package var position = 0
    /// Which frame played is held for the one heard at `position`, less `position`: what is corrected.
    package var offset = 0.0
    /// By how many frames the reference leads its echo if `offset` is right.
    package var lead = 0
    /// Whether nothing is known of `offset` but what the card's delays say: it began with an xrun, a restart or a step of
    /// those delays, and no correction has come since.
    package var isUnsure = true

    package init() {}
}
