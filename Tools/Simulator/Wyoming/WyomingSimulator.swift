internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A simulated pair of Wyoming servers in one: it recognises what the script says and speaks in tones at 24 kHz.
///
/// One connection is one conversation, as with the real servers. It closes after a transcript; for speech it keeps the
/// order of the sentences and stays open. Does not use the daemon's code for the protocol.
package final class WyomingSimulator: Sendable {
    /// How a server fails.
    package enum Fault: Sendable, Equatable {
        case none
        /// Accepts and sends nothing.
        case silent
        /// Closes instead of answering.
        case closes
        /// Answers with bytes that are not a message.
        case garbage
        /// Answers with a message that never ends.
        case endless
        /// Recogniser: an empty text. Speaker: ten megabytes of audio.
        case absurd
        /// Answers with a transcript that has no text.
        case textless
        /// Speaker: a little sound, and then empty messages without end.
        case trickle
        /// Speaker: audio that begins and ends, and has no samples.
        case soundless
        /// Speaker: half a second of zeros.
        case zeros
    }

    package struct Script: Sendable {
        /// The recognised texts, one for each utterance; empty ones after the last.
        package var texts: [String]
        /// Delay between the end of the audio and its text.
        package var recognisingMilliseconds: Int
        /// Delay before a sentence is spoken.
        package var speakingMilliseconds: Int
        package var recogniser: Fault
        package var speaker: Fault

        package init(
            _ texts: [String] = [],
            recognisingMilliseconds: Int = 20,
            speakingMilliseconds: Int = 20,
            recogniser: Fault = .none,
            speaker: Fault = .none
        ) {
            self.texts = texts
            self.recognisingMilliseconds = recognisingMilliseconds
            self.speakingMilliseconds = speakingMilliseconds
            self.recogniser = recogniser
            self.speaker = speaker
        }
    }

    /// An utterance as received.
    package struct Utterance: Sendable {
        package var milliseconds: Int
        /// Level of the louder half, in dBFS.
        package var level: Double
        package var language: String?
    }

    private struct State {
        var script: Script
        var listener: (any Channel)?
        var channels: [ObjectIdentifier: any Channel] = [:]
        var next = 0
        var utterances: [Utterance] = []
        var sentences: [String] = []
        var connections = 0
    }

    private let state: Mutex<State>

    package init(_ script: Script = Script()) { state = Mutex(State(script: script)) }

    /// The utterances sent for recognition.
    package var utterances: [Utterance] { state.withLock { $0.utterances } }
    /// The sentences sent to be spoken, except the one that wakes up a server.
    package var sentences: [String] { state.withLock { $0.sentences } }
    package var connections: Int { state.withLock { $0.connections } }

    package func change(_ change: (inout Script) -> Void) { state.withLock { change(&$0.script) } }

    /// - Returns: the port on 127.0.0.1.
    package func start(port: Int = 0) async throws -> Int {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                self.track(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(WyomingHandler(self))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        state.withLock { $0.listener = listener }
        return listener.localAddress?.port ?? 0
    }

    package func stop() async {
        let (listener, channels) = state.withLock { state in
            defer { state.listener = nil }
            return (state.listener, Array(state.channels.values))
        }
        try? await listener?.close().get()
        for channel in channels { try? await channel.close().get() }
    }

    private func track(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        state.withLock { state in
            state.channels[id] = channel
            state.connections += 1
        }
        channel.closeFuture.whenComplete { _ in self.state.withLock { _ = $0.channels.removeValue(forKey: id) } }
    }

    fileprivate var script: Script { state.withLock { $0.script } }

    fileprivate func heard(_ utterance: Utterance) -> String {
        state.withLock { state in
            state.utterances.append(utterance)
            defer { state.next += 1 }
            return state.next < state.script.texts.count ? state.script.texts[state.next] : ""
        }
    }

    fileprivate func asked(_ sentence: String) {
        guard sentence != "Ready." else { return }
        state.withLock { $0.sentences.append(sentence) }
    }
}

/// Serves one connection.
private final class WyomingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let format = SimulatedJSON.object(["rate": .int(24_000), "width": .int(2), "channels": .int(1)])

    private let server: WyomingSimulator
    private var bytes: [UInt8] = []
    private var sound: [Int16] = []
    private var rate = 16_000
    private var language: String?
    /// When the last queued sentence has been spoken: sentences are spoken in order.
    private var busyUntil = NIODeadline.now()

    init(_ server: WyomingSimulator) { self.server = server }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        bytes += buffer.readBytes(length: buffer.readableBytes) ?? []
        while let end = bytes.firstIndex(of: 10) {
            guard let header = SimulatedJSON(bytes: Array(bytes[..<end])), let type = header["type"]?.string else {
                return context.close(promise: nil)
            }
            let dataLength = header["data_length"]?.int ?? 0
            let payloadLength = header["payload_length"]?.int ?? 0
            guard bytes.count >= end + 1 + dataLength + payloadLength else { return }
            let block = SimulatedJSON(bytes: Array(bytes[(end + 1)..<(end + 1 + dataLength)]))
            let payload = Array(bytes[(end + 1 + dataLength)..<(end + 1 + dataLength + payloadLength)])
            bytes.removeFirst(end + 1 + dataLength + payloadLength)
            handle(type, block ?? header["data"] ?? .object([:]), payload, context)
        }
    }

    private func handle(_ type: String, _ data: SimulatedJSON, _ payload: [UInt8], _ context: ChannelHandlerContext) {
        switch type {
        case "describe": describe(context)
        case "transcribe": language = data["language"]?.string
        case "audio-chunk":
            rate = data["rate"]?.int ?? rate
            for at in stride(from: 0, to: payload.count - 1, by: 2) {
                sound.append(Int16(truncatingIfNeeded: Int(payload[at]) | Int(payload[at + 1]) << 8))
            }
        case "audio-stop": transcribe(context)
        case "synthesize": synthesize(data["text"]?.string ?? "", context)
        default: break
        }
    }

    private func describe(_ context: ChannelHandlerContext) {
        let languages = SimulatedJSON.array([.string("en")])
        let model: SimulatedJSON = .object(["name": .string("tones"), "languages": languages, "installed": .bool(true)])
        let info: SimulatedJSON = .object([
            "asr": .array([
                .object(["name": .string("scripted"), "installed": .bool(true), "models": .array([model])])
            ]),
            "tts": .array([
                .object(["name": .string("tones"), "installed": .bool(true), "voices": .array([model])])
            ]),
        ])
        send("info", info, to: context)
    }

    private func transcribe(_ context: ChannelHandlerContext) {
        let script = server.script
        let text = server.heard(
            WyomingSimulator.Utterance(
                milliseconds: sound.count * 1000 / max(1, rate), level: Self.level(sound), language: language
            )
        )
        sound = []
        guard !fails(script.recogniser, context) else { return }
        // Whisper puts a blank before its text.
        let transcript = script.recogniser == .absurd ? "" : " " + text
        later(.milliseconds(Int64(script.recognisingMilliseconds)), context) { context in
            self.send("transcript", .object(["text": .string(transcript)]), to: context)
            context.close(promise: nil)
        }
    }

    private func synthesize(_ text: String, _ context: ChannelHandlerContext) {
        let script = server.script
        server.asked(text)
        guard text == "Ready." || !fails(script.speaker, context) else { return }
        var samples = SpokenVoice.tones.samples(text)
        if script.speaker == .absurd { samples = [Int16](repeating: 3000, count: 5 << 20) }
        busyUntil = max(busyUntil, .now()) + .milliseconds(Int64(script.speakingMilliseconds))
        later(busyUntil - .now(), context) { context in
            self.send("audio-start", Self.format, to: context)
            for start in stride(from: 0, to: samples.count, by: 1024) {
                var payload: [UInt8] = []
                for sample in samples[start..<min(start + 1024, samples.count)] {
                    payload.append(UInt8(truncatingIfNeeded: sample))
                    payload.append(UInt8(truncatingIfNeeded: sample >> 8))
                }
                self.send("audio-chunk", Self.format, payload, to: context)
            }
            self.send("audio-stop", .object(["timestamp": .null]), to: context)
        }
    }

    /// - Returns: whether the fault replaces the answer.
    private func fails(_ fault: WyomingSimulator.Fault, _ context: ChannelHandlerContext) -> Bool {
        switch fault {
        case .none, .absurd: return false
        case .silent: return true
        case .closes:
            context.close(promise: nil)
            return true
        case .textless:
            send("transcript", .object([:]), to: context)
            return true
        case .garbage:
            write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), to: context)
            return true
        case .trickle:
            send("audio-chunk", Self.format, [UInt8](repeating: 1, count: 480), to: context)
            trickle(context)
            return true
        case .soundless, .zeros:
            let zeros = [UInt8](repeating: 0, count: fault == .zeros ? 22_050 : 0)
            send("audio-start", Self.format, to: context)
            if !zeros.isEmpty { send("audio-chunk", Self.format, zeros, to: context) }
            send("audio-stop", .object(["timestamp": .null]), to: context)
            return true
        case .endless:
            write(Array(#"{"type":"transcript","data_length":99999999}"#.utf8) + [10], to: context)
            return true
        }
    }

    private func trickle(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        later(.milliseconds(20), context) { context in
            self.send("audio-chunk", Self.format, to: context)
            self.trickle(context)
        }
    }

    private func later(
        _ pause: TimeAmount,
        _ context: ChannelHandlerContext,
        _ body: @escaping (ChannelHandlerContext) -> Void
    ) {
        // Runs on the channel's event loop, where handler and context live.
        let loop = context.eventLoop
        let bound = NIOLoopBound((context, body), eventLoop: loop)
        loop.scheduleTask(in: max(pause, .zero)) { bound.value.1(bound.value.0) }
    }

    /// Sends the data in a separate block, as the real servers do.
    private func send(
        _ type: String,
        _ data: SimulatedJSON,
        _ payload: [UInt8] = [],
        to context: ChannelHandlerContext
    ) {
        let block = Array(data.text.utf8)
        var header: [String: SimulatedJSON] = ["type": .string(type), "data_length": .int(block.count)]
        if !payload.isEmpty { header["payload_length"] = .int(payload.count) }
        write(Array(SimulatedJSON.object(header).text.utf8) + [10] + block + payload, to: context)
    }

    private func write(_ bytes: [UInt8], to context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
    }

    private static func level(_ sound: [Int16]) -> Double {
        let blocks = stride(from: 0, to: sound.count, by: 160).map { start -> Double in
            let block = sound[start..<min(start + 160, sound.count)]
            return block.reduce(0) { $0 + Double($1) * Double($1) } / Double(block.count)
        }.sorted()
        let loud = blocks[(blocks.count / 2)...]
        guard !loud.isEmpty else { return -100 }
        return 10 * log10(loud.reduce(0, +) / Double(loud.count) / (32_768 * 32_768) + 1e-12)
    }
}
