import VoiceSimulator

@testable import TestSupport

/// Runs a simulated session without sockets: timers fire in the order of a virtual clock.
struct SessionDriver {
    var session: SimulatedSession
    private(set) var events: [SimulatedJSON] = []
    private(set) var sent: [SimulatedJSON] = []
    private(set) var closed: SimulatedAction?
    /// Actions that inject faults.
    private(set) var odd: [SimulatedAction] = []
    private var timers: [(due: Int, order: Int, timer: SimulatedTimer)] = []
    private var now = 0
    private var order = 0

    init(
        script: ConversationScript,
        refusal: SimulatedRefusal? = nil,
        change: (inout RealtimeSimulatorConfiguration) -> Void = { _ in }
    ) {
        var configuration = RealtimeSimulatorConfiguration()
        configuration.voice = .tones
        change(&configuration)
        session = SimulatedSession(configuration: configuration, script: script)
        perform(session.open(refusal: refusal))
    }

    var types: [String] { events.map { $0["type"]?.string ?? "" } }

    func all(_ type: String) -> [SimulatedJSON] { events.filter { $0["type"]?.string == type } }

    func last(_ type: String) -> SimulatedJSON? { all(type).last }

    mutating func send(_ event: SimulatedJSON) {
        sent.append(event)
        perform(session.receive(event.text))
    }

    /// Configures the session like a room device.
    mutating func configure(transcription: Bool = true, detection: SimulatedJSON = SessionDriver.serverDetection) {
        send([
            "type": "session.update", "event_id": "cfg-1",
            "session": [
                "type": "realtime", "output_modalities": ["audio"], "instructions": "Be brief.",
                "tools": [
                    [
                        "type": "function", "name": "ask_jarvis", "description": "Asks the agent.",
                        "parameters": ["type": "object", "properties": ["query": ["type": "string"]]],
                    ]
                ],
                "audio": [
                    "input": [
                        "format": ["type": "audio/pcm", "rate": 24000],
                        "transcription": transcription ? ["model": "gpt-transcribe"] : nil,
                        "turn_detection": detection,
                    ],
                    "output": ["voice": "cedar"],
                ],
            ],
        ])
    }

    static let serverDetection: SimulatedJSON = [
        "type": "server_vad", "silence_duration_ms": 300, "create_response": true, "interrupt_response": true,
    ]

    /// Streams audio in chunks of 20 ms.
    mutating func stream(_ samples: [Int16]) {
        for start in stride(from: 0, to: samples.count, by: 480) {
            let chunk = samples[start..<min(samples.count, start + 480)]
            send(["type": "input_audio_buffer.append", "audio": .string(PCM16.base64(chunk))])
        }
    }

    /// A second of speech, then enough silence to end the turn.
    mutating func speakTurn() {
        stream(Microphone.silence(milliseconds: 200) + Microphone.speech(milliseconds: 1000))
        stream(Microphone.silence(milliseconds: 500))
    }

    /// Fires timers until none is left, or until `enough` returns true.
    mutating func run(until enough: (SessionDriver) -> Bool = { _ in false }) {
        while !enough(self), let next = timers.indices.min(by: isEarlier) {
            let timer = timers.remove(at: next)
            now = timer.due
            perform(session.fire(timer.timer))
        }
    }

    private func isEarlier(_ one: Int, _ other: Int) -> Bool {
        (timers[one].due, timers[one].order) < (timers[other].due, timers[other].order)
    }

    private mutating func perform(_ actions: [SimulatedAction]) {
        for action in actions {
            switch action {
            case .send(let event): events.append(event)
            case .after(let milliseconds, let timer):
                order += 1
                timers.append((now + milliseconds, order, timer))
            case .close, .drop, .reset, .fallSilent: closed = action
            case .sendText, .sendBinary, .stallWriting, .stallReading, .report: odd.append(action)
            }
        }
    }
}
