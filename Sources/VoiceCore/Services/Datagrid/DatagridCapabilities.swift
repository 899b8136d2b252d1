internal import VoiceBase
package import VoiceConversation

extension ServiceCapabilities {
    /// Datagrid Voice: an agent with its own tools, in a session that does the turn-taking.
    package static let datagrid: ServiceCapabilities = {
        var datagrid = ServiceCapabilities()
        datagrid.work = .theirs
        datagrid.turns = .silent
        datagrid.truncates = false
        datagrid.forgets = false
        datagrid.clearsInput = false
        datagrid.namesItems = false
        datagrid.responseBounds = .sound
        datagrid.heardText = .always
        datagrid.usage = .atEnd
        datagrid.charge = .time
        datagrid.continuousUplink = true
        datagrid.uplink = ServiceAudio(rate: 16_000)
        // The agent answers every text it receives.
        datagrid.takesText = false
        datagrid.takesQuestions = true
        datagrid.saysExactly = false
        datagrid.history = .theirs
        datagrid.fillsSilence = true
        datagrid.confirmsLocally = true
        datagrid.key = .query
        return datagrid
    }()
}
