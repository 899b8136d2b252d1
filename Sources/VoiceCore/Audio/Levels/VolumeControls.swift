internal import Glibc
internal import Synchronization

/// The gains that the audio thread (T1) uses for playback and capture.
///
/// | field | writes | reads |
/// |---|---|---|
/// | gains, `hardwareChanges` | `VolumeController` | T1, every period |
/// | `isVoiceSilent` | `VolumeController` | the network thread |
///
/// Linear gains as bit patterns of `Float`; changes are ramped over 20 ms.
package final class VolumeControls: Sendable {
    /// By `VolumeChannel.place`.
    private let gains = [5 of Atomic<UInt32>] { _ in Atomic(Float(1).bitPattern) }
    /// Volume of the card's own mixer in percent; 100 if the master is set in software.
    private let ofCard = Atomic<Int>(100)
    private let voiceIsSilent = Atomic<Bool>(false)
    /// NaN for the configured gain.
    private let capture = Atomic<UInt32>(Float.nan.bitPattern)
    private let levelChanges = Atomic<UInt64>(0)

    init() {}

    /// Takes over all volumes.
    /// - Parameter hardwareMaster: whether the card's own mixer sets the master, which then stays at 0 dB here, except for
    ///   the mute.
    func set(_ volumes: Volumes, hardwareMaster: Bool = false) {
        let full: Float = volumes.isMuted ? 0 : 1
        let ownMaster = volumes.gain(of: .master)
        let master = hardwareMaster && ownMaster > 0 ? full : ownMaster
        voiceIsSilent.store(master * volumes.gain(of: .voice) < Self.leastGain, ordering: .relaxed)
        ofCard.store(hardwareMaster ? volumes[.master] : 100, ordering: .relaxed)
        set(hardwareMaster ? full : ownMaster, for: .master)
        for channel in [VolumeChannel.voice, .media, .inputs, .earcons] { set(volumes.gain(of: channel), for: channel) }
    }

    /// Gain below which the loudest speech does not move a 16-bit sample.
    private static let leastGain: Float = 1 / 32_768

    /// Whether speech is inaudible at the present volumes.
    package var isVoiceSilent: Bool { voiceIsSilent.load(ordering: .relaxed) }

    /// Volume of the card's own mixer in percent; 100 if the master is set in software, which precedes the echo reference.
    var cardPercent: Int { ofCard.load(ordering: .relaxed) }

    func gain(of channel: VolumeChannel) -> Float {
        Float(bitPattern: gains[channel.place].load(ordering: .relaxed))
    }

    /// Changes the microphone's gain during operation, in dB, -20 ... 30.
    func setCaptureGain(decibels: Double) {
        capture.store(powf(10, Float(min(30, max(-20, decibels))) / 20).bitPattern, ordering: .relaxed)
    }

    /// Returns the linear gain: `configured`, unless changed since the start.
    func captureGain(configured: Float) -> Float {
        let changed = Float(bitPattern: capture.load(ordering: .relaxed))
        return changed.isNaN ? configured : changed
    }

    /// How often the card's own mixer changed a level that is not part of the reference.
    var hardwareChanges: UInt64 { levelChanges.load(ordering: .relaxed) }

    func noteHardwareChange() { levelChanges.wrappingAdd(1, ordering: .relaxed) }

    private func set(_ gain: Float, for channel: VolumeChannel) {
        gains[channel.place].store(gain.bitPattern, ordering: .relaxed)
    }
}

extension VolumeChannel {
    fileprivate var place: Int {
        switch self {
        case .master: 0
        case .voice: 1
        case .media: 2
        case .inputs: 3
        case .earcons: 4
        }
    }
}
