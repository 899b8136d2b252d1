internal import Glibc
internal import VoiceBase

/// The parameters to open one side of the audio with, as configured.
package struct DeviceRequest: Sendable {
    /// The configured name; resolved again for each attempt.
    package var name: String
    package var direction: AudioDirection
    /// Wishes for the channels of a microphone.
    var capture = CaptureWishes()
    /// Devices with known channels.
    var known = KnownDevices()
    /// Wanted buffer in periods of 10 ms.
    var periods: Int
    /// The only rate to try, in Hz; nil for the best that the device offers.
    var rate: Int?

    /// Fill level of the loudspeaker's buffer in frames at 48 kHz: all but one of its periods.
    var fill: Int { (periods - 1) * AudioFormat.periodFrames }

    /// Opens the device that the name means at present. Blocks as long as ALSA does.
    ///
    /// - Parameter entries: the available devices.
    func open(among entries: [AudioDeviceEntry] = AudioDeviceCatalog.list()) throws(AudioDeviceError) -> OpenDevice {
        let device = try resolved(among: entries)
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

    /// Runs `look`, which blocks as long as ALSA does, on a thread of its own; nil if it takes too long. The thread is then
    /// left behind, since nothing can end a call into a driver or a sound server that hangs.
    ///
    /// - Parameters:
    ///   - more: how much longer than opening it `look` takes.
    ///   - sleep: waits for the limit; uses the clock of the machine, or that of a test.
    package func answer<Answer: Sendable>(
        more: Duration = .zero,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Sleep.for($0) },
        _ look: @escaping @Sendable (DeviceRequest) -> Answer
    ) async -> Answer? {
        await TimeLimit.run(Self.patience + more, sleep: sleep) { await OwnThread.run("jv-look") { look(self) } }
    }

    /// How long a device may take to answer. A sound server that starts takes a second.
    package static let patience = Duration.seconds(4)

    /// The error for a device that has not answered.
    package var unanswered: AudioDeviceError {
        .failed(device: name, direction: direction, step: "open", errno: ETIMEDOUT)
    }

    private func resolved(among entries: [AudioDeviceEntry]) throws(AudioDeviceError) -> String {
        do throws(AudioDeviceError) {
            return try AudioDeviceCatalog.resolve(name, direction: direction, in: entries)
        } catch {
            throw AudioDeviceCatalog.configurationFault ?? error
        }
    }

    private func stream(
        _ device: String,
        channels: ALSAStream.Request.Channels
    ) throws(AudioDeviceError) -> ALSAStream {
        try ALSAStream(
            device: device, direction: direction,
            request: ALSAStream.Request(channels: channels, periods: periods, rate: rate)
        )
    }
}

/// An open device and how it is used.
struct OpenDevice: ~Copyable {
    let stream: ALSAStream
    /// nil for a loudspeaker.
    let choice: CaptureChoice?

    init(stream: consuming ALSAStream, choice: CaptureChoice?) {
        self.stream = stream
        self.choice = choice
    }

    fileprivate init(stream: consuming ALSAStream, _ chooser: CaptureChooser) {
        choice = chooser.choice(channels: stream.parameters.channels, isServer: stream.parameters.server != nil)
        self.stream = stream
    }
}

extension AudioConfiguration {
    /// Buffer of a microphone in periods of 10 ms: how late its reader may be without a loss.
    private static let capturePeriods = 16

    /// Returns what to open a device of this name with.
    package func request(_ name: String, _ direction: AudioDirection) -> DeviceRequest {
        switch direction {
        case .capture:
            DeviceRequest(
                name: name, direction: direction, capture: capture, known: knownDevices, periods: Self.capturePeriods,
                rate: captureRate
            )
        case .playback:
            DeviceRequest(name: name, direction: direction, periods: bufferPeriods, rate: playbackRate)
        }
    }
}
