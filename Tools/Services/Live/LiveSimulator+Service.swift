package import VoiceSimulator

extension LiveSimulator: ServiceSimulator {
    package static var name: String { "openai-live" }
    package static var fuzz: FuzzTarget? { FuzzTarget(name: "live", run: LiveFuzz.run) }

    package static func address(port: Int) -> (key: String, url: String) {
        ("live.url", "ws://127.0.0.1:\(port)/v1/live/sessions")
    }

    package static func serving(
        _ talk: ServedTalk,
        port: Int,
        voice: SpokenVoice,
        events: @escaping Events
    ) throws(ServedOptionError) -> LiveSimulator {
        try talk.allow([])
        return LiveSimulator(.requests(talk.queries), port: port, voice: voice, events: events)
    }

    package static func failing(
        seed: UInt64?,
        key: String,
        events: @escaping Events,
        struck: @escaping @Sendable (FaultKind, Int?) -> Void
    ) -> LiveSimulator {
        var trouble = seed.map { SocketTrouble(seed: $0) }
        trouble?.hasOwn = true
        // Ten messages a second are audio.
        trouble?.mix.gap = 10...60
        var script = LiveScript(
            (0..<2000).map { .init("Question \($0)", $0 % 4 == 0 ? .say("At noon.") : .delegate(bridge: nil)) }
        )
        script.usageEvery = 1000
        script.namesConnections = true
        return LiveSimulator(script, key: key, voice: .tones, trouble: trouble, events: events, struck: struck)
    }
}
