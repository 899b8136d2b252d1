package import VoiceSimulator

extension GeminiSimulator: ServiceSimulator {
    package static var name: String { "gemini" }
    package static var fuzz: FuzzTarget? { FuzzTarget(name: "gemini", run: GeminiFuzz.run) }

    package static func address(port: Int) -> (key: String, url: String) {
        ("gemini.url", "ws://127.0.0.1:\(port)\(path)")
    }

    /// Options: `lost`, how long after its first call the first session is lost, in ms.
    package static func serving(
        _ talk: ServedTalk,
        port: Int,
        voice: SpokenVoice,
        events: @escaping Events
    ) throws(ServedOptionError) -> GeminiSimulator {
        try talk.allow(["lost"])
        var script = GeminiScript.requests(talk.queries)
        script.faults.dropsAfterCall = try talk.number("lost", 0...60_000)
        script.faults.connections = 1
        return GeminiSimulator(script, port: port, voice: voice, events: events)
    }

    package static func failing(
        seed: UInt64?,
        key: String,
        events: @escaping Events,
        struck: @escaping @Sendable (FaultKind, Int?) -> Void
    ) -> GeminiSimulator {
        var trouble = seed.map { SocketTrouble(seed: $0) }
        trouble?.hasOwn = true
        trouble?.mix.gap = 5...60
        let turns = (0..<2000).map { number in
            GeminiScript.Turn(
                "Question \(number)", number % 4 == 0 ? .say("At noon.") : .ask(["Question \(number)"], bridge: nil)
            )
        }
        return GeminiSimulator(
            GeminiScript(turns), key: key, voice: .tones, trouble: trouble, events: events, struck: struck
        )
    }
}
