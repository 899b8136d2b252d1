import FuzzTargets
import Testing

/// Whatever happens, in any order: nothing traps, and no invariant of the core is broken. `scripts/soak --events` runs
/// ten million events.
struct EventScriptTests {
    @Test(arguments: UInt64(1)...8) func anyOrderOfEventsIsHandled(seed: UInt64) {
        var script = EventScript(seed: seed)
        script.run(2000)
        #expect(script.count >= 2000)
    }

    /// Every kind of event is made; otherwise survival would mean little.
    @Test func everyKindOfEventIsMade() {
        var kinds: Set<String> = []
        for seed in UInt64(100)..<102 {
            var script = EventScript(seed: seed)
            script.run(5000)
            kinds.formUnion(script.kinds.keys)
        }
        let wanted: Set<String> = [
            "activate", "deactivate", "interrupt", "connected", "disconnected", "lifetime", "voiceReceived",
            "voiceAudible", "voicePlayed", "turnWasSilent", "voiceDrained", "voiceStopped", "callDispatched",
            "callAnswered", "callDelayed", "say",
            "endWhenQuiet", "mediaReported", "stop", "ask", "agentReported", "agentAsks", "belongs",
            "lost", "timer", "budget", "keepsOpen", "announces",
            "server.sessionCreated", "server.sessionUpdated", "server.speechStarted", "server.speechStopped",
            "server.committed", "server.itemAdded", "server.responseCreated", "server.outputItemAdded",
            "server.functionCall", "server.spokenDelta", "server.spokenTranscript", "server.audioDone",
            "server.responseDone", "server.heardDelta", "server.heardTranscript", "server.heardTranscriptFailed",
            "server.error", "server.unknown",
        ]
        #expect(wanted.subtracting(kinds).isEmpty, "\(wanted.subtracting(kinds))")
    }
}
