internal import CAlsa
internal import VoiceBase

/// What a device can do, and what it grants the daemon.
package struct DeviceFacts: Sendable, Equatable {
    /// The ALSA name.
    package var device: String
    /// All that it can do by itself.
    package var abilities: DeviceAbilities
    /// What the daemon would run it with.
    package var granted: StreamPlan
    /// How a microphone would be listened to.
    package var choice: CaptureChoice?

    /// What this loudspeaker's buffer is filled to beside a microphone in long steps, for people; nil where that is what is
    /// configured.
    ///
    /// - Parameter configured: its buffer in periods of 10 ms.
    package func fillText(beside microphone: DeviceFacts, configured periods: Int) -> String? {
        let wanted = (periods - 1) * AudioFormat.periodFrames
        let fill = granted.fill(wanted: wanted, microphoneStep: microphone.granted.step)
        guard fill > wanted else { return nil }
        return
            "filled to \(fill * 1000 / AudioFormat.deviceRate) ms instead of \(wanted * 1000 / AudioFormat.deviceRate) ms, "
            + "because a card moves in long steps"
    }
}

/// Opens a device as the daemon does, and closes it again.
package enum DeviceProbe {
    /// Blocks as long as ALSA does.
    package static func look(_ request: DeviceRequest) throws(AudioDeviceError) -> DeviceFacts {
        let open = try request.open()
        let granted = open.stream.parameters
        // A device that is set up tells all its abilities only once it is set free.
        let abilities = snd_pcm_hw_free(open.stream.pcm) >= 0 ? DeviceAbilities(of: open.stream.pcm) : nil
        return DeviceFacts(
            device: open.stream.device,
            abilities: abilities
                ?? DeviceAbilities(
                    rates: [granted.rate],
                    formats: ["\(granted.format)"],
                    channels: granted.channels...granted.channels
                ),
            granted: granted,
            choice: open.choice
        )
    }
}
