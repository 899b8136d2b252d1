internal import Glibc
internal import VoiceBase

/// Sounds with a volume of their own.
package enum VolumeChannel: String, Sendable, CaseIterable {
    /// Everything.
    case master
    /// Speech.
    case voice
    /// Music, radio, podcasts.
    case media
    /// Other programs, whose sound comes in by `media.inputs`.
    case inputs
    /// Short sounds that are not speech.
    case earcons
}

/// The volumes as the user sees them: whole percent, 0 ... 100, and a mute for everything.
///
/// The taper is cubic, as in PulseAudio and alsamixer: gain = (percent / 100)^3, so that equal steps sound about equal. 100 %
/// = 0 dB, 80 % = -5.8 dB, 50 % = -18 dB, 25 % = -36 dB, 10 % = -60 dB, 0 % = silence.
package struct Volumes: Sendable, Equatable {
    package static let range = 0...100

    private var percents: [Int]
    package var isMuted = false

    package init(
        master: Int = Configuration.Audio().masterVolume,
        voice: Int = Configuration.Audio().voiceVolume,
        media: Int = Configuration.Audio().mediaVolume,
        inputs: Int = Configuration.Audio().inputsVolume,
        earcons: Int = Configuration.Audio().earconVolume
    ) {
        percents = [Int](repeating: 100, count: VolumeChannel.allCases.count)
        self[.master] = master
        self[.voice] = voice
        self[.media] = media
        self[.inputs] = inputs
        self[.earcons] = earcons
    }

    /// Percent of a channel; clamped to 0 ... 100.
    package subscript(channel: VolumeChannel) -> Int {
        get { percents[Self.index(channel)] }
        set { percents[Self.index(channel)] = min(Self.range.upperBound, max(Self.range.lowerBound, newValue)) }
    }

    /// Returns the linear gain of one channel alone; the mute acts on the master.
    package func gain(of channel: VolumeChannel) -> Float {
        channel == .master && isMuted ? 0 : Self.gain(percent: self[channel])
    }

    /// Linear gain, 0 ... 1.
    package static func gain(percent: Int) -> Float {
        let share = Float(min(range.upperBound, max(range.lowerBound, percent))) / 100
        return share * share * share
    }

    /// Decibels; nil for silence.
    package static func decibels(percent: Int) -> Double? {
        percent <= 0 ? nil : 60 * log10(Double(min(percent, range.upperBound)) / 100)
    }

    private static func index(_ channel: VolumeChannel) -> Int {
        switch channel {
        case .master: 0
        case .voice: 1
        case .media: 2
        case .inputs: 3
        case .earcons: 4
        }
    }
}
