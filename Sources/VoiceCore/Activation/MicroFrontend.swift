internal import CMicroFrontend

/// The features that microWakeWord models hear: 40 for every 10 ms, over the last 30 ms.
///
/// Equal to the bit to the "microfrontend" of TensorFlow with the constants of those models.
final class MicroFrontend {
    /// Samples at 16 kHz for one set of features.
    static let step = Int(cmicrofrontend_step)
    static let channels = Int(cmicrofrontend_channels)

    private let frontend: OpaquePointer
    private let room = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: channels)

    /// Nil where there is no memory.
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

    /// Forgets the sound and what it took for noise.
    func reset() { cmicrofrontend_reset(frontend) }

    /// - Parameter samples: `step` of them.
    /// - Returns: `channels` values from 0 to about 670, logarithms, valid until the next call; nil in the first 20 ms.
    func features(_ samples: UnsafeBufferPointer<Int16>) -> UnsafeBufferPointer<UInt16>? {
        guard samples.count == Self.step, let from = samples.baseAddress, let to = room.baseAddress,
            cmicrofrontend_process(frontend, from, to)
        else { return nil }
        return UnsafeBufferPointer(room)
    }

    /// A feature as the models take it, in 26/255 of a unit from -128 on: the integer arithmetic of the devices that they
    /// were made for (ESPHome).
    static func quantized(_ feature: UInt16) -> Int8 {
        Int8(clamping: (Int(feature) * 256 + 333) / 666 - 128)
    }
}
