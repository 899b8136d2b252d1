internal import CMicroFrontend

/// The input features of microWakeWord models: 40 every 10 ms, over the last 30 ms.
///
/// Bit-exact with TensorFlow's "microfrontend" with the constants of those models.
final class MicroFrontend {
    /// Samples at 16 kHz per set of features.
    static let step = Int(cmicrofrontend_step)
    static let channels = Int(cmicrofrontend_channels)

    private let frontend: OpaquePointer
    private let room = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: channels)

    /// Returns nil if there is no memory.
    init?() {
        guard let made = cmicrofrontend_create() else {
            room.deallocate()
            return nil
        }
        frontend = made
        room.initialize(repeating: 0)
    }

    deinit {
        cmicrofrontend_destroy(frontend)
        room.deallocate()
    }

    /// Forgets the audio and the noise estimate.
    func reset() { cmicrofrontend_reset(frontend) }

    /// - Parameter samples: exactly `step`.
    /// - Returns: `channels` logarithms from 0 to about 670, valid until the next call; nil in the first 20 ms.
    func features(_ samples: UnsafeBufferPointer<Int16>) -> UnsafeBufferPointer<UInt16>? {
        guard samples.count == Self.step, let from = samples.baseAddress, let to = room.baseAddress,
            cmicrofrontend_process(frontend, from, to)
        else { return nil }
        return UnsafeBufferPointer(room)
    }

    /// Quantises a feature for the models, whose input has a scale of 26/255 and zero point -128. The integer
    /// arithmetic is that of the devices the models were made for (ESPHome).
    static func quantized(_ feature: UInt16) -> Int8 {
        Int8(clamping: (Int(feature) * 256 + 333) / 666 - 128)
    }
}
