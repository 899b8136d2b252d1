extension ServiceCapabilities {
    /// Servers that recognise and speak, and nothing else: turns, names and order are ours.
    package static let local: ServiceCapabilities = {
        var capabilities = ServiceCapabilities()
        capabilities.turns = .ours
        capabilities.namesItems = false
        capabilities.heardText = .always
        capabilities.rewords = false
        capabilities.greets = false
        capabilities.history = .theirs
        capabilities.usage = .none
        capabilities.charge = .nothing
        capabilities.confirmsLocally = true
        capabilities.key = .none
        capabilities.uplink = ServiceAudio(rate: 16_000, codec: .pcm16)
        // The voice's own; most have this one.
        capabilities.downlink = ServiceAudio(rate: 22_050, codec: .pcm16)
        return capabilities
    }()
}
