internal import VoiceBase

/// At which of its rates a card is run.
extension SampleRates {
    /// Best first.
    ///
    /// 48 kHz needs no converter and 96 kHz the shortest. The voice goes upstream at 24 kHz, so that a microphone at 32 kHz
    /// has all of it, as has one of 88.2 kHz and more, at more work for the bus. Below that every step costs speech something.
    /// A loudspeaker also plays music, which 44.1 kHz and all above have whole.
    static func preferred(_ direction: AudioDirection) -> [Int] {
        switch direction {
        case .capture:
            [48_000, 96_000, 44_100, 32_000, 88_200, 192_000, 176_400, 24_000, 22_050, 16_000, 11_025, 8000]
        case .playback:
            [48_000, 96_000, 44_100, 88_200, 192_000, 176_400, 32_000, 24_000, 22_050, 16_000, 11_025, 8000]
        }
    }
}
