package import VoiceSimulator

extension Hero365Simulator: ServiceSimulator {
    package static var name: String { "hero365" }
    package static var fuzz: FuzzTarget? { FuzzTarget(name: "hero365", run: Hero365Fuzz.run) }

    package static func address(port: Int) -> (key: String, url: String) {
        ("hero365.url", "ws://127.0.0.1:\(port)/voice/stream/ws/42")
    }

    /// Options: `loss`, `reordered` and `duplicated` messages of sound in percent, `lasts`, the length of a session in s, and
    /// `form`, how its sound is written: packet, lengths, ogg or pcm.
    package static func serving(
        _ talk: ServedTalk,
        port: Int,
        voice: SpokenVoice,
        events: @escaping Events
    ) throws(ServedOptionError) -> Hero365Simulator {
        try talk.allow(["loss", "reordered", "duplicated", "lasts", "form"])
        var script = Hero365Script(talk.answers)
        script.faults.loss = try talk.number("loss", 0...100) ?? 0
        script.faults.reordering = try talk.number("reordered", 0...100) ?? 0
        script.faults.duplicates = try talk.number("duplicated", 0...100) ?? 0
        script.lasts = 1000 * (try talk.number("lasts", 1...86_400) ?? 300)
        guard let form = Hero365Script.Form(rawValue: talk.options["form"] ?? "packet") else {
            throw ServedOptionError("form must be packet, lengths, ogg or pcm")
        }
        script.form = form
        return Hero365Simulator(script, port: port, voice: voice, events: events)
    }

    package static func failing(
        seed: UInt64?,
        key: String,
        events: @escaping Events,
        struck: @escaping @Sendable (FaultKind, Int?) -> Void
    ) -> Hero365Simulator {
        var trouble = seed.map { SocketTrouble(seed: $0) }
        trouble?.hasOwn = true
        trouble?.mix.gap = 2...25
        trouble?.longest = 120
        trouble?.errors = [
            #"{"type":"error","error_code":"AUDIO_PROCESSING_ERROR","message":"not now","retry_after":300}"#,
            #"{"type":"error","error_code":"AGENT_UNAVAILABLE","message":"not now"}"#,
            #"{"type":"error","error_code":"SESSION_TIMEOUT","message":"over"}"#,
        ]
        return Hero365Simulator(
            Hero365Script(["It is noon.", "Two things."]), key: key, voice: .tones, seed: seed ?? 1, trouble: trouble,
            events: events, struck: struck
        )
    }
}
