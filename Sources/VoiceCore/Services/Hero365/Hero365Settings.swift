package import VoiceBase
package import VoiceConversation

/// Audio and message format of a Hero365 connection.
package struct Hero365Settings: Equatable, Sendable {
    package var codec = Configuration.Hero365().codec
    /// Uplink sample rate, in Hz.
    package var rate = Configuration.Hero365().rate
    /// Puts the fields of a message into `data`, as in the vendor's first API document, instead of beside `type`.
    package var isNested = false
    /// How long playout waits for a missing packet from the service.
    package var jitter = Duration.milliseconds(Configuration.Hero365().jitterMS)

    package init() {}
}

extension ServiceCapabilities {
    /// Hero365: an agent with its own tools. The daemon sends it the audio and marks the end of each turn.
    package static let hero365: ServiceCapabilities = {
        var capabilities = ServiceCapabilities()
        capabilities.work = .theirs
        capabilities.turns = .ours
        // The protocol has no message for any of these: an answer is cut locally, and the daemon waits for its end.
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
