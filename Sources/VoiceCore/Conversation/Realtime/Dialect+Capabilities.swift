internal import VoiceConfiguration

extension ServiceCapabilities {
    package static let openAI = Dialect.openAI.capabilities
    package static let azure = Dialect.azure.capabilities
    package static let xai = Dialect.xai.capabilities
    package static let speaches = Dialect.speaches.capabilities
    package static let localAI = Dialect.localAI.capabilities
    package static let huggingFace = Dialect.huggingFace.capabilities
}

extension Dialect {
    /// The capabilities that follow from the dialect; the translator handles the rest.
    package var capabilities: ServiceCapabilities {
        var capabilities = ServiceCapabilities()
        capabilities.cancels = takesCancel
        capabilities.truncates = takesTruncation
        capabilities.forgets = takesDeletion
        capabilities.clearsInput = takesInputClear
        capabilities.answersWhileCalling = !waitsForOutputs
        capabilities.usage = reportsUsage ? .tokens : .none
        capabilities.charge = charge
        capabilities.sessionLimit = sessionLifetime
        capabilities.key = needsKey ? .header : .none
        return capabilities
    }

    private var charge: ServiceCharge {
        switch name {
        case .openAI, .azure: .tokens
        case .xai: .time
        case .speaches, .localAI, .huggingFace: .nothing
        }
    }
}
