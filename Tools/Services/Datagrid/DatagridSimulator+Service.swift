package import VoiceBase
internal import VoiceDatagrid
package import VoiceSession
package import VoiceSimulator

extension DatagridSimulator: ServiceSimulator {
    package static var name: String { "datagrid" }
    package static var fuzz: FuzzTarget? { FuzzTarget(name: "datagrid", run: DatagridFuzz.run) }

    package static func address(port: Int) -> (key: String, url: String) {
        ("datagrid.url", "ws://127.0.0.1:\(port)/ws/voice")
    }

    package static func serving(
        _ talk: ServedTalk,
        port: Int,
        voice: SpokenVoice,
        events: @escaping Events
    ) throws(ServedOptionError) -> DatagridSimulator {
        try talk.allow([])
        return DatagridSimulator(.answers(talk.answers), port: port, voice: voice, events: events)
    }

    package static func hurry(_ configuration: inout Configuration, seed: UInt64) {
        // Half of the lanes ask for each session first.
        configuration.datagrid.handoff = seed.isMultiple(of: 2)
        configuration.datagrid.connectTimeoutS = 1
    }

    package static func hurry(_ service: inout any VoiceService) {
        guard var datagrid = service as? DatagridService else { return }
        datagrid.deadPeerLimit = .seconds(2)
        // Some tools are never reported to be finished.
        datagrid.longestWork = .seconds(5)
        service = datagrid
    }

    package static func failing(
        seed: UInt64?,
        key: String,
        events: @escaping Events,
        struck: @escaping @Sendable (FaultKind, Int?) -> Void
    ) -> DatagridSimulator {
        var trouble = seed.map { SocketTrouble(seed: $0) }
        trouble?.hasOwn = true
        trouble?.mix.gap = 2...25
        trouble?.longest = 120
        trouble?.errors = [
            #"{"type":"error","payload":{"message":"The service had an error.","code":"server_error"}}"#,
            #"{"type":"error","payload":{"message":"Nothing was heard.","code":"client_silence_timeout"}}"#,
        ]
        var script = DatagridScript(
            (0..<2000).map {
                .init(
                    "Question \($0)",
                    $0 % 3 == 0 ? .work(tool: "search", milliseconds: 300, then: "Two.") : .say("At noon.")
                )
            }
        )
        if seed != nil { (script.faults.refusedHandoffs, script.faults.expiredTokens) = (10, 10) }
        return DatagridSimulator(script, key: key, voice: .tones, trouble: trouble, events: events, struck: struck)
    }
}
