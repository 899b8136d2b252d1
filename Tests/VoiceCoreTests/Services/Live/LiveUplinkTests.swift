import SimulatedLive
import Synchronization
import Testing
import VoiceSimulator

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceLive
@testable import VoiceNetwork
@testable import VoiceSession

/// The clock of a GPT-Live session never stops, whatever happens to the microphone.
struct LiveUplinkTests {
    /// The state of the microphone.
    enum Fault: CaseIterable {
        /// Audio, silence from the audio thread, a closed device, a closed gate.
        case none, muted, closed, gated
    }

    private struct Piece {
        var samples: Int
        var at: Duration
    }

    /// In real time: three seconds in which the microphone is removed, closed and restored at random.
    @Test(arguments: [UInt64(1), 2, 3]) func uplinkNeverStops(seed: UInt64) async throws {
        #expect(LiveService.capabilities(Configuration()).continuousUplink)
        let pieces = Mutex<[Piece]>([])
        let simulator = LiveSimulator(LiveScript([]), voice: .tones) { event in
            guard case .client(_, let event) = event, let audio = event["audio"]?.string,
                let samples = PCM16.samples(base64: audio)
            else { return }
            pieces.withLock { $0.append(Piece(samples: samples.count, at: Monotonic.now())) }
        }
        var configuration = Configuration()
        configuration.live.url = "ws://127.0.0.1:\(try await simulator.start())/v1/live/sessions"
        let secrets = try Secrets(configuration: configuration, environment: ["OPENAI_API_KEY": "sk-simulated"])
        let service = try LiveService(configuration, secrets: secrets, instructions: "", tools: [])
        let isReady = Collected<Bool>()
        let failures = Collected<String>()
        let (began, ended, stall) = try await NetworkThread.with { network in
            let ports = AudioPorts()
            var options = VoicePump.Options()
            var conversation = ConversationMachine.Options(service.capabilities)
            service.configure(&conversation, &options)
            let pump = NetworkConfined(
                VoicePump(ports, options: options) { _, _ in },
                on: network
            )
            network.add { pump.onThread.tick() }
            let connection = try #require(
                service.connect(on: network, pump: pump) { event, _ in
                    if case .service(.ready) = event { isReady.add([true]) }
                    if case .disconnected(let failure) = event { failures.add([failure.reason]) }
                }
            )
            while isReady.all.isEmpty {
                // The connection opens and waits for its settings.
                try #require(failures.all.isEmpty)
                connection.perform { $0.ask(.open(history: [])) }
                try await Task.sleep(for: .milliseconds(20))
            }
            connection.perform { $0.openMicrophone() }
            let began = Monotonic.now()
            let stall = await Self.live(through: 3000, seed: seed, ports, pump)
            return (began, Monotonic.now(), stall)
        }
        await simulator.stop()
        let sent = pieces.withLock { $0 }.filter { $0.at <= ended }
        let total = sent.reduce(0) { $0 + $1.samples } / 24
        let elapsed = (ended - began).wholeMilliseconds
        // Audio from before a gate opens is added, once for each time.
        let ahead = 500 + 400 * 8
        #expect(total > elapsed - 500 && total < elapsed + ahead, "\(total) ms of sound in \(elapsed) ms")
        let pauses = zip(sent, sent.dropFirst()).map { ($1.at - $0.at).wholeMilliseconds }
        // Time in which the machine ran no test thread does not count.
        #expect((pauses.max() ?? 0) < 600 + stall, "\(pauses.max() ?? 0) ms, \(stall) of them without us")
        #expect(simulator.violations.isEmpty, "\(simulator.violations)")
    }

    /// A session that waits beside another has no microphone, and would expire without audio.
    @Test func waitingSessionGetsSilence() {
        final class Line: VoiceLine {
            var samples = 0
            var isOpen: Bool { true }
            var pendingSendBytes: Int { 0 }

            func send(_ chunk: MicrophoneChunk) -> Int? {
                samples += chunk.samples.count
                return 1
            }
        }
        let line = Line()
        var uplink = WaitingUplink()
        for step in 0...50 { uplink.keep(line, at: .seconds(7) + .milliseconds(20 * step)) }
        #expect(line.samples == 24_000)
        // After a sleep of the machine it does not catch up.
        uplink.keep(line, at: .seconds(600))
        #expect(line.samples <= 24_000 * 3)
    }

    /// A card at its own pace, 10 ms at a time.
    ///
    /// - Returns: the longest time by which the machine delayed it, in ms.
    private static func live(
        through milliseconds: Int,
        seed: UInt64,
        _ ports: AudioPorts,
        _ pump: NetworkConfined<VoicePump>
    ) async -> Int {
        var random = SeededGenerator(seed: seed)
        var fault = Fault.none
        var left = 0
        let start = Monotonic.now()
        var periods = 0
        var stall = 0
        let loud = [Int16](repeating: 3000, count: 240)
        let silent = [Int16](repeating: 0, count: 240)
        while Monotonic.now() - start < .milliseconds(milliseconds) {
            if left <= 0 {
                fault = Fault.allCases.randomElement(using: &random) ?? .none
                left = Int.random(in: 100...700, using: &random)
                let isGated = fault == .gated
                pump.perform { $0.uplink.setVoiceGate(isGated ? VoiceGate() : nil) }
            }
            try? await Task.sleep(for: .milliseconds(10))
            // Missed periods are not made up for.
            let due = (Monotonic.now() - start).wholeMilliseconds / 10 - periods
            periods += due
            stall = max(stall, 10 * due - 20)
            left -= 10 * due
            guard fault != .closed else { continue }
            ports.microphone.notes.originNanoseconds = UInt64(
                max(
                    0,
                    Int64((Monotonic.now()).fractionalMilliseconds * 1e6) - Int64(ports.microphone.ring.writePosition)
                        * 125_000 / 3
                )
                    - Int64(due) * 10_000_000
            )
            for _ in 0..<due { _ = ports.microphone.ring.write(fault == .muted ? silent : loud, count: 240) }
        }
        return stall
    }

    /// Requests that the service does not support cause no message.
    @Test func unsupportedRequestsAreNotSent() {
        var scene = LiveScene.live()
        scene.forget()
        for request in [ServiceRequest.forget(item: "i"), .clearInput, .recall(.user("Hello"))] {
            #expect(!request.isTaken(by: .live), "\(request)")
            scene.ask(request)
        }
        #expect(scene.sent.isEmpty)
    }
}
