/// The sample rates of sound cards that are converted here.
package enum SampleRates {
    /// In Hz, lowest first.
    package static let known = [
        8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000,
    ]
}
