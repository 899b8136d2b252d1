extension ServiceCapabilities {
    /// Home Assistant's pipeline: an agent with its own tools. The daemon finds the turns and sends their sound.
    package static let assist: ServiceCapabilities = {
        var capabilities = ServiceCapabilities()
        capabilities.work = .theirs
        capabilities.turns = .ours
        capabilities.truncates = false
        capabilities.forgets = false
        capabilities.namesItems = false
        capabilities.heardText = .always
        capabilities.usage = .none
        capabilities.charge = .nothing
        capabilities.uplink = ServiceAudio(rate: 16_000, codec: .pcm16)
        capabilities.downlink = ServiceAudio(rate: 24_000, codec: .pcm16)
        // A run begins with sound.
        capabilities.takesText = false
        capabilities.saysExactly = false
        capabilities.greets = false
        capabilities.history = .theirs
        capabilities.key = .none
        return capabilities
    }()
}
