internal import VoiceBase

/// What one side of the sound is opened with, as the configuration has it.
package struct DeviceRequest: Sendable {
    /// As in the configuration; what it means is found anew for each attempt.
    package var name: String
    package var direction: AudioDirection
    /// What is wanted of a microphone's channels.
    var capture = CaptureWishes()
    /// The devices whose channels are known.
    var known = KnownDevices()
    /// Wanted buffer, in periods of 10 ms.
    var periods: Int
    /// The only rate to try, in Hz; nil: the best that the device has.
    var rate: Int?

    /// What the loudspeaker's buffer is filled to, in frames at 48 kHz: all but one of its periods.
    var fill: Int { (periods - 1) * AudioFormat.periodFrames }

    /// Opens the device that the name means now. Blocks as long as ALSA does.
    ///
    /// - Parameter entries: the devices there are.
    func open(among entries: [AudioDeviceEntry] = AudioDeviceCatalog.list()) throws(AudioDeviceError) -> OpenDevice {
        let device = try AudioDeviceCatalog.resolve(name, direction: direction, in: entries)
        guard direction == .capture else {
            return OpenDevice(stream: try stream(device, channels: .atLeast(1)), choice: nil)
        }
        let chooser = CaptureChooser(capture, known: known, device: device, entries: entries)
        var tries = chooser.tries
        while tries.count > 1 {
            do {
                return OpenDevice(stream: try stream(device, channels: .atLeast(tries.removeFirst())), chooser)
            } catch .unsupported {
                continue
            }
        }
        return OpenDevice(stream: try stream(device, channels: .atLeast(tries.first ?? 1)), chooser)
    }

    /// Opens the device that the name means now with all the channels that it has of its own.
    func openWhole() throws(AudioDeviceError) -> ALSAStream {
        let device = try AudioDeviceCatalog.resolve(name, direction: direction, in: AudioDeviceCatalog.list())
        return try stream(device, channels: .all)
    }

    private func stream(
        _ device: String,
        channels: ALSAStream.Request.Channels
    ) throws(AudioDeviceError) -> ALSAStream {
        try ALSAStream(
            device: device,
            direction: direction,
            request: ALSAStream.Request(channels: channels, periods: periods, rate: rate)
        )
    }
}

/// A device that was opened, and how it is listened to.
struct OpenDevice: ~Copyable {
    let stream: ALSAStream
    /// Of a microphone.
    let choice: CaptureChoice?

    init(stream: consuming ALSAStream, choice: CaptureChoice?) {
        self.stream = stream
        self.choice = choice
    }

    fileprivate init(stream: consuming ALSAStream, _ chooser: CaptureChooser) {
        choice = chooser.choice(channels: stream.parameters.channels)
        self.stream = stream
    }
}

extension AudioConfiguration {
    /// A microphone's buffer, in periods of 10 ms: what it may be late by without a loss.
    private static let capturePeriods = 16

    /// What a device of this name is opened with.
    package func request(_ name: String, _ direction: AudioDirection) -> DeviceRequest {
        switch direction {
        case .capture:
            DeviceRequest(
                name: name,
                direction: direction,
                capture: capture,
                known: knownDevices,
                periods: Self.capturePeriods,
                rate: captureRate
            )
        case .playback:
            DeviceRequest(name: name, direction: direction, periods: bufferPeriods, rate: playbackRate)
        }
    }
}
