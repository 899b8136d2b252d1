internal import CAEC

/// How the loudspeaker was heard at the microphone: what a start need not learn anew.
package struct RememberedRoom: Sendable, Equatable {
    /// Samples of `path`, 320 ms at 48 kHz.
    package static let pathFrames = Int(CAEC_PATH_FRAMES)

    /// ALSA names of the devices that were open.
    package var microphone: String
    package var loudspeaker: String
    /// What the card's own mixer was set to, in percent; 100 where the volume is set in software, which the path does not hold.
    package var volume: Int
    /// By how many frames at 48 kHz the echo came earlier than the card's delays say.
    package var bias: Double
    /// The echo path, from 25 ms before the expected echo on; `pathFrames` samples.
    package var path: [Float]

    package init(microphone: String, loudspeaker: String, volume: Int, bias: Double, path: [Float]) {
        self.microphone = microphone
        self.loudspeaker = loudspeaker
        self.volume = volume
        self.bias = bias
        self.path = path
    }

    func isOf(_ microphone: String, _ loudspeaker: String) -> Bool {
        self.microphone == microphone && self.loudspeaker == loudspeaker
    }
}
