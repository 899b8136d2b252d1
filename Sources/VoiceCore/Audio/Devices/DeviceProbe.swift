internal import CAlsa
internal import VoiceBase

/// Abilities of a device, and what it grants the daemon.
package struct DeviceFacts: Sendable, Equatable {
    /// ALSA name.
    package var device: String
    /// Everything that the device supports without a converter.
    package var abilities: DeviceAbilities
    /// The parameters that the daemon would run it with.
    package var granted: StreamPlan
    /// How a microphone would be used.
    package var choice: CaptureChoice?
    /// The latency that it adds; see `StreamPlan.cost`.
    package var cost = DeviceCost()

    /// The same, without a choice of channels that is not in force.
    package var withoutChoice: DeviceFacts {
        var facts = self
        facts.choice = nil
        return facts
    }

    /// Frames at 48 kHz by which it advances in one step.
    package var step: Int { granted.step }

    /// Describes for people the fill level of this loudspeaker's buffer next to a microphone with long steps; nil if it is as
    /// configured.
    ///
    /// - Parameter configured: its buffer in periods of 10 ms.
    package func fillText(beside microphone: DeviceFacts, configured periods: Int) -> String? {
        let wanted = (periods - 1) * AudioFormat.periodFrames
        let fill = granted.fill(wanted: wanted, microphoneStep: microphone.granted.step)
        guard fill > wanted else { return nil }
        return
            "filled to \(StreamPlan.milliseconds(fill)) ms instead of \(StreamPlan.milliseconds(wanted)) ms, "
            + "because a card moves in long steps"
    }
}

/// Opens a device as the daemon does, and closes it again.
package enum DeviceProbe {
    /// Blocks as long as ALSA does.
    ///
    /// - Parameter microphoneStep: `step` of the microphone next to a loudspeaker; nil for an ordinary one.
    package static func look(
        _ request: DeviceRequest,
        microphoneStep: Int? = nil
    ) throws(AudioDeviceError) -> DeviceFacts {
        let open = try request.open()
        let granted = open.stream.parameters
        // A configured device reports all its abilities only after `snd_pcm_hw_free`.
        let abilities = snd_pcm_hw_free(open.stream.pcm) >= 0 ? DeviceAbilities(of: open.stream.pcm) : nil
        var cost = granted.cost(request, microphoneStep: microphoneStep)
        if open.choice?.plan.reference != nil { cost.whole += CardReference.lead }
        return DeviceFacts(
            device: open.stream.device,
            abilities: abilities
                ?? DeviceAbilities(
                    rates: [granted.rate], formats: ["\(granted.format)"], channels: granted.channels...granted.channels
                ),
            granted: granted,
            choice: open.choice,
            cost: cost
        )
    }
}
