extension Configuration {
    /// Echo cancellation and the other processing of the microphone signal.
    package struct Echo: ConfigurationSection {
        package static let name = "echo"
        package static let documentation =
            "Echo cancellation: keeps the daemon from hearing itself, so that it can be interrupted."
        package static let keys = Keys()

        package var changes: [String: ConfigurationValue] = [:]

        // Not in the file.

        /// Removes rumble below the voice.
        package var highPass = true

        package init() {}
    }
}

extension Configuration.Echo {
    package struct Keys: Sendable {
        package let mode = Setting(
            "echo.mode",
            Mode.auto,
            "What cancels the echo: the device (hardware), the daemon (software), the daemon after the "
                + "device (both); auto: as known of the device; off: for headphones, with echo.duplex full."
        )
        package let duplex = Setting(
            "echo.duplex",
            Duplex.auto,
            "Whether you can interrupt the box while it speaks. auto: as far as the residual echo allows. "
                + "full: always, for headphones. half: never; the microphone is off while it speaks."
        )
        package let noiseSuppression = Setting(
            "echo.noise_suppression", NoiseSuppression.moderate, "How strongly steady noise is suppressed."
        )
    }

    package enum Mode: String, Sendable, CaseIterable {
        /// The worker known to suit the device.
        case auto
        case off, hardware, software, both

        /// nil if the mode names none.
        package var worker: Worker? { Worker(rawValue: rawValue) }
    }

    /// Whether anything here or in the device cancels the echo.
    package var cancels: Bool { self.mode != .off }

    /// Which canceller removes the echo from the microphone signal.
    package enum Worker: String, BitwiseCopyable, Sendable, Equatable, CaseIterable {
        /// The device itself; the daemon's canceller is bypassed, and the gate measures the remaining echo.
        case hardware
        /// The daemon's canceller, on an unprocessed channel if the device has one.
        case software
        /// The daemon's canceller after the device's.
        case both
    }

    /// Whether the microphone is open while the box speaks.
    package enum Duplex: String, CaseIterable, Sendable {
        /// As far as the quality of the echo canceller allows.
        case auto
        /// Always, without a gate.
        case full
        /// Never.
        case half
    }

    package enum NoiseSuppression: String, CaseIterable, Sendable {
        case off
        case low
        case moderate
        case high
        case veryHigh = "very_high"
    }
}
