import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceNetwork
@testable import VoiceSession

struct VoicePumpTests {
    @Test(arguments: [0, 24_000, 24_000 * 86_400 * 9, 24_000 * 86_400 * 3650] as [UInt64])
    func theTimeOfASampleIsRightAfterYears(position: UInt64) {
        let seconds = Int64(position / 24_000)
        #expect(MicrophoneUplink.captureTime(of: position, origin: 5_000_000_000) == .seconds(seconds + 5))
    }

    /// A pump whose microphone the test fills, and its reports.
    private final class Scene: Sendable {
        static let chunk = 480
        let ports = AudioPorts()
        let pump: NetworkConfined<VoicePump>
        let events: Collected<ConversationEvent>
        private let captured = Atomic(0)

        init(_ network: NetworkThread) {
            let events = Collected<ConversationEvent>()
            self.events = events
            pump = NetworkConfined(
                VoicePump(ports, options: .init(chunk: 20)) { event, _ in events.add([event]) },
                on: network
            )
        }

        /// On the network thread: captures so much audio and runs the pump, 20 ms at a time.
        func capture(milliseconds: Int) {
            for _ in 0..<milliseconds / 20 {
                let first = captured.load(ordering: .relaxed)
                let samples = (first..<first + Self.chunk).map { Int16(truncatingIfNeeded: $0) }
                #expect(ports.microphone.ring.write(samples, count: Self.chunk) == Self.chunk)
                captured.store(first + Self.chunk, ordering: .relaxed)
                _ = pump.onThread.tick()
            }
        }
    }

    /// The samples in the messages that a server receives, until there are so many or the connection is closed.
    private static func samples(_ socket: LoopbackSocket, count limit: Int = .max) -> [Int16] {
        var samples: [Int16] = []
        while samples.count < limit, let frame = socket.readFrame(), frame.opcode != 8 {
            guard frame.opcode == 1 else { continue }
            let audio = Array(String(decoding: frame.payload, as: UTF8.self).split(separator: "\"")[7].utf8)
            var bytes = [UInt8](repeating: 0, count: audio.count)
            let count = audio.withUnsafeBytes { text in
                bytes.withUnsafeMutableBufferPointer { room in
                    room.baseAddress.flatMap { Base64.decode(text, into: $0) }
                }
            }
            samples += stride(from: 0, to: count ?? 0, by: 2).map { Int16(bytes[$0]) | Int16(bytes[$0 + 1]) << 8 }
        }
        return samples
    }

    /// For a server that answers no pings, and a test that may have to wait for its turn.
    private static func request(to server: LoopbackServer) -> WebSocketRequest {
        WebSocketRequest(url: "ws://127.0.0.1:\(server.port)/", deadPeerLimit: .seconds(600))
    }

    @Test func theMicrophoneMovesBetweenTwoSamples() async throws {
        let heard = [Collected<Int16>(), Collected<Int16>()]
        let counts = [300 * 24, 200 * 24]
        let servers = try (0..<2).map { index in
            try LoopbackServer { socket in
                socket.upgrade()
                heard[index].add(Self.samples(socket, count: counts[index]))
                socket.write(WebSocketFrames.frame(0x8, [0x03, 0xe8]))
                heard[index].add(Self.samples(socket))
            }
        }
        let requests = servers.map(Self.request)
        let (ended, end) = AsyncStream<Void>.makeStream()
        try await NetworkThread.with { network in
            let scene = Scene(network)
            _ = await network.watch(requests[0]) { first in
                let pump = scene.pump.onThread
                #expect(pump.playout.listens(to: first.connection))
                pump.openMicrophone(on: first.connection)
                scene.capture(milliseconds: 200)
                network.connect(requests[1]) { connection in
                    WatchedDriver(connection) { second in
                        let pump = scene.pump.onThread
                        scene.capture(milliseconds: 100)
                        #expect(!pump.playout.listens(to: second.connection))
                        pump.openMicrophone(on: second.connection)
                        #expect(pump.playout.listens(to: second.connection))
                        scene.capture(milliseconds: 200)
                        pump.uplink.close()
                        scene.capture(milliseconds: 100)
                    } whenClosed: { _ in
                        end.finish()
                    }
                }
            }
            for await _ in ended {}
        }
        withExtendedLifetime(servers) {}
        let samples = heard.map(\.all)
        #expect(samples.map(\.count) == counts)
        let isWhole = samples.joined().elementsEqual((0..<500 * 24).map { Int16(truncatingIfNeeded: $0) })
        #expect(isWhole)
    }

    /// A session that runs by its uplink receives silence for what a closed gate holds back.
    @Test func shutGateSendsSilenceInAContinuousSession() async throws {
        let count = 3 * Scene.chunk
        let heard = Collected<Int16>()
        let server = try LoopbackServer { socket in
            socket.upgrade()
            heard.add(Self.samples(socket, count: count))
            socket.write(WebSocketFrames.frame(0x8, [0x03, 0xe8]))
            _ = Self.samples(socket)
        }
        let request = Self.request(to: server)
        let (ended, end) = AsyncStream<Void>.makeStream()
        try await NetworkThread.with { network in
            let scene = Scene(network)
            network.connect(request) { connection in
                WatchedDriver(connection) { driver in
                    let pump = scene.pump.onThread
                    pump.uplink.setVoiceGate(VoiceGate())
                    pump.openMicrophone(on: driver.connection, isContinuous: true)
                    scene.capture(milliseconds: 100)
                    while pump.uplink.chunksSent < 3 { _ = pump.tick() }
                } whenClosed: { _ in
                    end.finish()
                }
            }
            for await _ in ended {}
        }
        withExtendedLifetime(server) {}
        #expect(heard.all == [Int16](repeating: 0, count: count))
    }

    @Test func stallSendsThePresentAndReportsTheLoss() async throws {
        let isStalled = Atomic(true)
        let heard = Collected<Int16>()
        let server = try LoopbackServer { socket in
            socket.upgrade()
            while isStalled.load(ordering: .acquiring) {}
            // The message that filled the connection.
            _ = socket.readFrame()
            heard.add(Self.samples(socket, count: 1000 * 24))
            socket.write(WebSocketFrames.frame(0x8, [0x03, 0xe8]))
            _ = Self.samples(socket)
        }
        let request = Self.request(to: server)
        let events = try await NetworkThread.with { network in
            let scene = Scene(network)
            _ = await network.watch(request) { driver in
                driver.connection.send(text: [UInt8](repeating: 0x61, count: 2 << 20))
                let pump = scene.pump
                pump.onThread.openMicrophone(on: driver.connection)
                scene.capture(milliseconds: 3000)
                #expect(pump.onThread.uplink.chunksDropped == 100)
                network.add { pump.onThread.tick() }
                isStalled.store(false, ordering: .releasing)
            }
            return scene.events.all
        }
        withExtendedLifetime(server) {}
        #expect(events == [.lost(.microphone(milliseconds: 2000))])
        let isNewest = heard.all == (2000 * 24..<3000 * 24).map { Int16(truncatingIfNeeded: $0) }
        #expect(isNewest)
    }

    /// A call at 3000 ms, a session 2000 ms later: it hears everything from the pre-roll on, each sample once.
    @Test func speechBeforeTheSessionIsSentFirst() async throws {
        let heard = Collected<Int16>()
        let server = try LoopbackServer { socket in
            socket.upgrade()
            heard.add(Self.samples(socket, count: 4000 * 24))
            socket.write(WebSocketFrames.frame(0x8, [0x03, 0xe8]))
            _ = Self.samples(socket)
        }
        let request = Self.request(to: server)
        let losses = try await NetworkThread.with { network in
            let scene = Scene(network)
            _ = await network.watch(request) { driver in
                let pump = scene.pump
                pump.onThread.uplink.setPreRoll(1500)
                scene.capture(milliseconds: 3000)
                pump.onThread.uplink.hold()
                scene.capture(milliseconds: 2000)
                #expect(pump.onThread.uplink.chunksSent == 0)
                pump.onThread.openMicrophone(on: driver.connection)
                scene.capture(milliseconds: 500)
                network.add { pump.onThread.tick() }
            }
            return scene.events.all
        }
        withExtendedLifetime(server) {}
        #expect(losses.isEmpty)
        let isWhole = heard.all == (1500 * 24..<5500 * 24).map { Int16(truncatingIfNeeded: $0) }
        #expect(isWhole)
    }

    /// Silence for a second, and a word that begins at the very end of it.
    @Test func voiceGateSendsTheWholeFirstWord() async throws {
        let heard = Collected<Int16>()
        let server = try LoopbackServer { socket in
            socket.upgrade()
            heard.add(Self.samples(socket, count: 800 * 24))
            socket.write(WebSocketFrames.frame(0x8, [0x03, 0xe8]))
            heard.add(Self.samples(socket))
        }
        let request = Self.request(to: server)
        try await NetworkThread.with { network in
            let scene = Scene(network)
            _ = await network.watch(request) { driver in
                let pump = scene.pump
                pump.onThread.uplink.setVoiceGate(VoiceGate())
                pump.onThread.openMicrophone(on: driver.connection)
                scene.capture(milliseconds: 1000)
                #expect(pump.onThread.uplink.chunksSent == 0)
                scene.ports.microphone.notes.voiceUntil = 1000 * 24
                scene.capture(milliseconds: 400)
                network.add { pump.onThread.tick() }
            }
        }
        withExtendedLifetime(server) {}
        let isWhole = heard.all == (600 * 24..<1400 * 24).map { Int16(truncatingIfNeeded: $0) }
        #expect(isWhole)
    }

    /// A service may wait for seconds of silence: a turn that it hears is sent to the end.
    @Test func theVoiceGateStaysOpenWhileTheServiceHearsATurn() async throws {
        let server = try LoopbackServer { socket in
            socket.upgrade()
            _ = Self.samples(socket, count: 200 * 24)
            socket.write(WebSocketFrames.frame(0x8, [0x03, 0xe8]))
            _ = Self.samples(socket)
        }
        let request = Self.request(to: server)
        try await NetworkThread.with { network in
            let scene = Scene(network)
            _ = await network.watch(request) { driver in
                let pump = scene.pump
                var gate = VoiceGate()
                gate.hangover = 960
                pump.onThread.uplink.setVoiceGate(gate)
                pump.onThread.openMicrophone(on: driver.connection)
                scene.ports.microphone.notes.voiceUntil = 20 * 24
                pump.onThread.uplink.turnIsOpen(true)
                scene.capture(milliseconds: 200)
                #expect(pump.onThread.uplink.chunksSent == 10)
                pump.onThread.uplink.turnIsOpen(false)
                scene.capture(milliseconds: 200)
                #expect(pump.onThread.uplink.chunksSent == 10)
                network.add { pump.onThread.tick() }
            }
        }
        withExtendedLifetime(server) {}
    }

    /// Audio captured before "stop" and not yet sent is discarded.
    @Test func discardedAudioIsNotSent() async throws {
        let heard = Collected<Int16>()
        let server = try LoopbackServer { socket in
            socket.upgrade()
            heard.add(Self.samples(socket, count: 200 * 24))
            socket.write(WebSocketFrames.frame(0x8, [0x03, 0xe8]))
            heard.add(Self.samples(socket))
        }
        let request = Self.request(to: server)
        try await NetworkThread.with { network in
            let scene = Scene(network)
            _ = await network.watch(request) { driver in
                let pump = scene.pump
                pump.onThread.uplink.setPreRoll(500)
                scene.capture(milliseconds: 1000)
                pump.onThread.uplink.hold()
                scene.capture(milliseconds: 200)
                pump.onThread.uplink.forget()
                pump.onThread.openMicrophone(on: driver.connection)
                scene.capture(milliseconds: 200)
                network.add { pump.onThread.tick() }
            }
        }
        withExtendedLifetime(server) {}
        let isWhole = heard.all == (1200 * 24..<1400 * 24).map { Int16(truncatingIfNeeded: $0) }
        #expect(isWhole)
    }

    /// A session that is never ready: what is held is bounded.
    @Test func heldAudioIsBounded() async throws {
        try await NetworkThread.with { network in
            let scene = Scene(network)
            await withCheckedContinuation { continuation in
                scene.pump.perform { pump in
                    pump.uplink.setPreRoll(1500)
                    scene.capture(milliseconds: 2000)
                    #expect(scene.ports.microphone.ring.availableToRead == 1500 * 24)
                    pump.uplink.hold()
                    scene.capture(milliseconds: 60_000)
                    #expect(scene.ports.microphone.ring.availableToRead < 11_000 * 24)
                    pump.uplink.close()
                    scene.capture(milliseconds: 20)
                    #expect(scene.ports.microphone.ring.availableToRead == 1500 * 24)
                    pump.uplink.setPreRoll(0)
                    scene.capture(milliseconds: 20)
                    #expect(scene.ports.microphone.ring.availableToRead == 0)
                    continuation.resume()
                }
            }
        }
    }

    // MARK: Sessions that run by what they are sent

    private final class Line: VoiceLine {
        var samples: [Int16] = []
        var isOpen: Bool { true }
        var pendingSendBytes: Int { 0 }

        func send(_ chunk: MicrophoneChunk) -> Int? {
            samples += chunk.samples
            return 1
        }
    }

    private enum Reason: CaseIterable { case sends, gateShut, withheld, gateShutInAContinuousSession }

    /// How often the network thread wakes for a microphone that delivers 10 ms at a time; audio that stays in the ring wakes nothing.
    @Test(arguments: Reason.allCases) private func pumpRunsNoOftenerThanThereIsSomethingToDo(_ reason: Reason) {
        let ports = AudioPorts()
        var now = Duration.seconds(1000)
        let pump = VoicePump(ports, options: .init(chunk: 20), uptime: { now }, report: { _, _ in })
        let line = Line()
        if reason == .withheld { pump.uplink.withhold(true) }
        if reason != .sends, reason != .withheld { pump.uplink.setVoiceGate(VoiceGate()) }
        pump.openMicrophone(on: line, isContinuous: reason == .gateShutInAContinuousSession)
        var (delivered, turns, due) = (now, 0, now)
        let end = now + .seconds(10)
        while now < end {
            if now >= delivered {
                _ = ports.microphone.ring.write([Int16](repeating: 1, count: 240), count: 240)
                ports.voice.progress.writtenNanoseconds = UInt64(now.fractionalMilliseconds * 1e6)
                delivered += .milliseconds(10)
            }
            if now >= due {
                due = now + pump.tick()
                turns += 1
            }
            now += .milliseconds(1)
        }
        #expect(turns <= (reason == .gateShut || reason == .withheld ? 205 : 505), "\(turns) turns in 10 s")
        #expect(!line.samples.contains(1) || reason == .sends)
        #expect(line.samples.isEmpty == (reason == .gateShut || reason == .withheld))
    }

    /// A talker over the box is held back until confirmed, and is then heard from the first word: these words do not
    /// count as late audio.
    @Test func heldTalkerIsNotCountedAsLate() {
        let ports = AudioPorts()
        let start = Duration.seconds(1000)
        var now = start
        let pump = VoicePump(ports, options: .init(chunk: 20), uptime: { now }, report: { _, _ in })
        let line = Line()
        ports.microphone.notes.originNanoseconds = UInt64(start.fractionalMilliseconds * 1e6)
        pump.openMicrophone(on: line, isContinuous: true)
        func write(_ value: Int16, periods: Int = 1) {
            let sound = [Int16](repeating: value, count: 240 * periods)
            #expect(ports.microphone.ring.write(sound, count: sound.count) == sound.count)
        }
        let most = UplinkLine.capacity
        for period in 0..<200 {
            now = start + .milliseconds(10 * (period + 1))
            switch period {
            case 50..<150 where ports.microphone.notes.heldPeriods < most: ports.microphone.notes.heldPeriods += 1
            case 50..<150: write(0)
            case 150:
                write(2000, periods: most)
                ports.microphone.notes.heldPeriods = 0
                write(1000)
            default: write(1000)
            }
            _ = pump.tick()
        }
        #expect(line.samples.count { $0 == 2000 } == most * 240)
        #expect(line.samples.count <= 200 * 240)
    }
}
