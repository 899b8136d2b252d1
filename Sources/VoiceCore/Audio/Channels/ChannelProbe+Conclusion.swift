extension ChannelProbe {
    /// What to do with what was found, for people.
    package var conclusion: [String] {
        if channels.allSatisfy(\.isSilent) {
            return [
                "All channels are silent: the microphone is muted (a key of the device, or alsamixer, F4). That says nothing about "
                    + "the echo; probe again."
            ]
        }
        if let map = map() {
            var lines = ["audio.input_channels = \"\(map.text)\""]
            if map.first(.processed) != nil {
                lines.append("The device cancels its own echo: echo.mode = \"auto\" leaves it to the device.")
            }
            return lines
        }
        guard isPlayed else {
            return [
                "Without a sound nobody can tell a bare channel from a processed one: probe again while the output is free."
            ]
        }
        guard !isHeard else { return ["No channel has a voice."] }
        guard let map = map(unheard: .processed) else { return ["No channel has a voice."] }
        return [
            "No channel heard the sound. If you heard it, the device cancels its own echo:",
            "audio.input_channels = \"\(map.text)\"",
            "If you did not, the loudspeaker is off, muted or not the one in audio.output: probe again.",
        ]
    }
}
