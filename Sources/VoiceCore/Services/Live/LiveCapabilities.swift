internal import VoiceBase
package import VoiceConversation

extension ServiceCapabilities {
    /// GPT-Live: full duplex, with turn-taking on the service's side.
    package static let live: ServiceCapabilities = {
        var live = ServiceCapabilities()
        live.work = .delegation
        live.turns = .silent
        // Implemented as an order to stop, and a note of what was heard.
        live.cancels = true
        live.truncates = true
        live.forgets = false
        live.clearsInput = false
        live.namesItems = false
        live.responseBounds = .sound
        live.heardText = .always
        live.usage = .seconds
        live.charge = .time
        live.sessionLimit = .seconds(7200)
        live.continuousUplink = true
        live.greets = false
        live.history = .opening
        live.fillsSilence = true
        live.confirmsLocally = true
        return live
    }()
}
