package import VoiceConfiguration

/// How sound travels to and from Hero365, and in what form of message.
package struct Hero365Settings: Equatable, Sendable {
    package var codec = Configuration.Hero365().codec
    /// Of the sound that is sent, in Hz.
    package var rate = Configuration.Hero365().rate
    /// The fields of a message stand in `data`, as the vendor's first API document has it, and not beside `type`.
    package var isNested = false
    /// Of the service's sound: how long a missing packet is waited for.
    package var jitter = Duration.milliseconds(Configuration.Hero365().jitterMS)

    package init() {}
}

extension ServiceCapabilities {
    /// Hero365: an agent with tools of its own, which hears what it is given and is told when a turn is over.
    package static let hero365: ServiceCapabilities = {
        var capabilities = ServiceCapabilities()
        capabilities.work = .theirs
        capabilities.turns = .ours
        // There is no message for any of it: an answer is cut here, and its end waited for.
        capabilities.cancels = false
        capabilities.truncates = false
        capabilities.forgets = false
        capabilities.clearsInput = false
        capabilities.namesItems = false
        capabilities.heardText = .never
        capabilities.tellsSaidText = false
        capabilities.usage = .none
        capabilities.charge = .time
        capabilities.sessionLimit = .seconds(300)
        capabilities.uplink = ServiceAudio(rate: 16_000, codec: .opusBase64)
        capabilities.downlink = ServiceAudio(rate: 16_000, codec: .opusBase64)
        capabilities.takesText = false
        capabilities.saysExactly = false
        capabilities.greets = false
        capabilities.history = .none
        // Sessions are counted: twenty an hour.
        capabilities.warmStandby = false
        capabilities.fillsSilence = true
        return capabilities
    }()

    package static func hero365(_ settings: Hero365Settings) -> ServiceCapabilities {
        var capabilities = hero365
        capabilities.uplink.rate = settings.rate
        if settings.codec == .pcm16 {
            capabilities.uplink.codec = .pcm16Base64
            capabilities.downlink = capabilities.uplink
        }
        return capabilities
    }
}
