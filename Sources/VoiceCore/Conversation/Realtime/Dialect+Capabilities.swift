internal import VoiceBase

extension ServiceCapabilities {
    package static let openAI = Dialect.openAI.capabilities
}

extension Dialect {
    /// The capabilities that follow from the dialect; the translator handles the rest.
    package var capabilities: ServiceCapabilities {
        var capabilities = ServiceCapabilities()
        capabilities.forgets = !does(.noDeletion)
        capabilities.clearsInput = !does(.noInputClear)
        capabilities.truncates = !does(.noTruncation)
        capabilities.cancels = !does(.noCancel)
        capabilities.answersWhileCalling = !does(.waitsForOutputs)
        capabilities.usage = does(.noUsage) ? .none : .tokens
        capabilities.charge = charge
        capabilities.sessionLimit = sessionLifetime
        capabilities.key = isSelfHosted ? .none : .header
        return capabilities
    }
}
