package import VoiceBase

extension EchoWorker {
    /// Explains which key wins if the keys of `[echo]` and of the channels contradict each other.
    ///
    /// `echo.mode` selects who cancels; then `echo.duplex` decides what happens with the result.
    package static func notices(on configuration: Configuration) -> [String] {
        let (audio, echo) = (configuration.audio, configuration.echo)
        var notices: [String] = []
        if !echo.cancels, echo.duplex == .auto {
            notices.append(
                "echo.mode = \"off\": the microphone is off while the box speaks; for a device that cancels its own "
                    + "echo, set echo.mode = \"hardware\" instead"
            )
        }
        guard let map = try? ChannelMap(parsing: audio.inputChannels) else { return notices }
        if audio.inputChannel > 0 {
            let role = map.roles.indices.contains(audio.inputChannel - 1) ? map.roles[audio.inputChannel - 1] : nil
            switch role {
            case .processed, .raw: break
            case .reference, .silent:
                notices.append(
                    "audio.input_channel = \(audio.inputChannel) selects a channel that audio.input_channels calls "
                        + "\(role?.rawValue ?? "")"
                )
            case nil:
                notices.append(
                    "audio.input_channel = \(audio.inputChannel) is beyond the \(map.roles.count) channels of "
                        + "audio.input_channels"
                )
            }
        }
        if echo.mode == .hardware, map.first(.processed) == nil {
            notices.append("echo.mode = \"hardware\": audio.input_channels names no processed channel")
        }
        return notices
    }
}

extension AudioConfiguration {
    /// The fault of `audio.input_channels`; nil if there is none. Without this check, a wrong list is as good as none.
    package static func channelsFault(_ audio: Configuration.Audio) -> ConfigurationProblem? {
        guard !audio.inputChannels.isEmpty else { return nil }
        do throws(ChannelMap.Fault) {
            _ = try ChannelMap(parsing: audio.inputChannels)
            return nil
        } catch {
            return ConfigurationProblem(place: "audio.input_channels", message: error.description)
        }
    }

    /// Where the echo is cancelled, as far as the configuration shows, and with which consequence: for `config check`.
    package func echoLine(duplex: Configuration.Echo.Duplex) -> String {
        let duplex = "echo.duplex = \"\(duplex.rawValue)\""
        guard capture.cancels else { return "no echo cancellation (echo.mode = \"off\"); \(duplex)" }
        if let worker = capture.worker { return "\(worker.rawValue) (echo.mode); \(duplex)" }
        if let map = capture.map {
            let worker = capture.plan(channels: map.roles.count).plan.worker
            return "\(worker.rawValue) (audio.input_channels); \(duplex)"
        }
        return "hardware on a known device with a processed channel, else software (echo.mode = \"auto\"); \(duplex)"
    }
}
