extension ServiceCapabilities {
    /// Servers that only recognise and speak: the daemon decides turns, names and order.
    package static let local: ServiceCapabilities = {
        var capabilities = ServiceCapabilities()
        capabilities.turns = .ours
        capabilities.namesItems = false
        capabilities.heardText = .always
        capabilities.rewords = false
        capabilities.speaksInParts = true
        capabilities.greets = false
        capabilities.history = .theirs
        capabilities.usage = .none
        capabilities.charge = .nothing
        capabilities.confirmsLocally = true
        capabilities.key = .none
        capabilities.uplink = ServiceAudio(rate: 16_000, codec: .pcm16)
        // The rate depends on the voice; most use this one.
        capabilities.downlink = ServiceAudio(rate: 22_050, codec: .pcm16)
        return capabilities
    }()
}
