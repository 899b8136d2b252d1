internal import VoiceBase
internal import VoiceConfiguration
package import VoiceConversation
package import VoiceNetwork

/// One session of Datagrid, from its hand-off on: carries audio, messages and time to its translator. Lives on the network
/// thread.
package final class DatagridLink: ServiceLink, WebSocketDriver {
    private let door: DatagridDoor
    private let memory: DatagridMemory
    private let network: NetworkThread
    private let pump: NetworkConfined<VoicePump>
    private let report: ServiceReporter

    private var me: NetworkConfined<DatagridLink>?
    /// The pending hand-off.
    private var asking: Task<Void, Never>?
    private var entry: DatagridDoor.Entry?
    private var connection: WebSocketConnection?
    /// The conversation the session is to continue.
    private var continued: String?
    private let uplink: HeardUplink
    private let downlink = Base64Downlink()
    /// nil once the session has the microphone.
    private var waiting: WaitingUplink? = WaitingUplink()
    /// Set when events are no longer reported.
    private var isRetired = false
    private var isOver = false
    /// Whether it has been part of a conversation.
    private var hasStarted = false
    /// When a session that was asked to end is closed anyway.
    private var closesBy: Duration?
    /// Microphone position at the latest message.
    private var heardUntil: UInt64 = 0

    /// How long a session may take to end in order.
    private static let closeLimit = Duration.seconds(3)
    /// A service that hears the user begin to speak reacts sooner than this.
    private static let reaction = Duration.seconds(2)
    /// Samples below this cannot be heard.
    private static let quiet = 16
    /// How much audio from before the session was ready is sent, in ms: older audio is no longer relevant.
    private static let preRoll = 2000

    init(
        _ door: DatagridDoor,
        _ memory: DatagridMemory,
        on network: NetworkThread,
        pump: NetworkConfined<VoicePump>,
        report: @escaping ServiceReporter
    ) {
        self.door = door
        self.memory = memory
        self.network = network
        self.pump = pump
        self.report = report
        let audio = DatagridClientMessage.audio
        let encoder = Base64Uplink(
            before: audio.before,
            after: audio.after,
            rate: ServiceCapabilities.datagrid.uplink.rate
        )
        uplink = HeardUplink(encoder) { [weak pump = pump.onThread] in pump?.hasVoice(inLast: $0) }
    }

    // MARK: Opening

    func start(_ me: NetworkConfined<DatagridLink>) {
        guard !isRetired else { return }
        self.me = me
        let conversation = memory.next
        continued = conversation
        guard door.handsOff else { return enter(door.direct(conversation: conversation)) }
        let (door, network) = (door, network)
        asking = Task {
            let outcome = await door.open(conversation: conversation, on: network)
            network.enqueue { me.onThread.enter(outcome) }
        }
    }

    private func enter(_ outcome: DatagridDoor.Outcome) {
        asking = nil
        guard !isRetired, let me else { return }
        switch outcome {
        case .failed(let closure):
            var failure = LinkFailure(closure)
            if continued != nil, case .refused(let refusal) = closure,
                [400, 404, 409, 410, 422].contains(refusal.status)
            {
                // The refusal may concern the conversation alone: the next attempt begins a new one.
                memory.began(nil)
                failure.kind = .transient
            }
            over(failure)
        case .open(let entry):
            self.entry = entry
            let handle = network.connect(entry.request) { connection in
                me.onThread.connection = connection
                return me.onThread
            }
            if handle == nil { over(LinkFailure(.transient, "the network thread does not run")) }
        }
    }

    package func opened() {
        guard !isRetired else { return connection?.close() ?? () }
        report(.connected, Monotonic.now())
        perform(entry?.translator.connected() ?? [])
        if let trouble = entry?.trouble {
            report(.service(.trouble(ServiceError(.other, name: "handoff", text: trouble))), Monotonic.now())
        }
        pump.onThread.follow { [weak self] now in self?.tick(now) ?? false }
    }

    // MARK: The end

    package func closed(_ closure: WebSocketClosure) {
        guard !isOver else { return }
        var failure = LinkFailure(closure)
        // No close code of the service is known to be final.
        if case .closed = closure { failure.kind = .transient }
        // The service took the key a moment ago, so only the token was refused: it expired. The next hand-off brings another.
        if case .refused(let refusal) = closure, entry?.isHandedOff == true, [401, 403].contains(refusal.status) {
            failure.kind = .transient
        }
        failure.reason = entry?.redactor.clean(failure.reason) ?? failure.reason
        if let connection {
            let limit = max(Self.reaction, ContinuousClock.now - connection.lastReceived)
            failure.missedSpeech = pump.onThread.sentVoice(on: connection, after: heardUntil, within: limit)
            pump.onThread.ended(connection)
        }
        over(failure)
    }

    private func over(_ failure: LinkFailure) {
        isOver = true
        if hasStarted {
            memory.sessionEnded(isLost: !isRetired || entry?.translator.isClosed == true && closesBy == nil)
        }
        let isReported = !isRetired
        me = nil
        connection = nil
        if isReported { report(.disconnected(failure), Monotonic.now()) }
    }

    /// Asks the session to end and closes its socket once it has; no audio is sent to it any more.
    package func retire() {
        guard !isRetired, !isOver else { return }
        asking?.cancel()
        let wasClosed = entry?.translator.isClosed ?? false
        perform(entry?.translator.ask(.close, at: Monotonic.now()) ?? [])
        isRetired = true
        guard let connection else {
            me = nil
            return
        }
        pump.onThread.ended(connection)
        if !wasClosed, entry?.translator.isClosing == true {
            closesBy = Monotonic.now() + Self.closeLimit
        } else {
            connection.close()
        }
    }

    // MARK: Messages

    package func received(text: UnsafeRawBufferPointer) {
        heardUntil = pump.onThread.microphonePosition
        if let audio = DatagridAudio(text) {
            let kind = audio.kind.map { String(decoding: text[$0], as: UTF8.self) }
            return play(UnsafeRawBufferPointer(rebasing: text[audio.data]), kind)
        }
        guard let message = DatagridDecoder.decode(text) else { return pump.onThread.noteUnreadable() }
        if case .ignored("audio") = message {
            guard var audio = DatagridAudio.slowly(text) else { return pump.onThread.noteUnreadable() }
            return audio.data.withUTF8 { play(UnsafeRawBufferPointer($0), audio.kind) }
        }
        perform(entry?.translator.receive(message, at: Monotonic.now()) ?? [])
        if isRetired, entry?.translator.isClosed == true { connection?.close() }
    }

    /// The service reads text in binary frames, so it may send it there.
    package func received(binary: UnsafeRawBufferPointer) { received(text: binary) }

    @discardableResult
    package func ask(_ request: ServiceRequest) -> Bool {
        guard let connection, connection.isOpen else { return false }
        perform(entry?.translator.ask(request, at: Monotonic.now()) ?? [])
        return connection.isOpen
    }

    private func perform(_ effects: [DatagridTranslator.Effect]) {
        for effect in effects {
            switch effect {
            case .report(let meant): if !isRetired { report(.service(meant), Monotonic.now()) }
            case .send(let message):
                guard let connection, connection.isOpen, !connection.send(text: message.encoded) else { break }
                connection.end(.failed(.reset("the server does not take what is sent")))
            case .play(let part):
                if listens { pump.onThread.receive(downlink.samples, of: part) }
            case .finish(let part): if listens { pump.onThread.finish(part) }
            case .conversation(let id):
                hasStarted = id != nil
                memory.began(id)
            }
        }
    }

    private var listens: Bool { connection.map { pump.onThread.listens(to: $0) } ?? false }

    // MARK: Sound and time

    package func openMicrophone() {
        guard !isRetired, let connection else { return }
        waiting = nil
        pump.onThread.openMicrophone(on: connection, encoder: uplink, isContinuous: true, heldAtMost: Self.preRoll)
    }

    private func play(_ base64: UnsafeRawBufferPointer, _ kind: String?) {
        guard !isRetired else { return }
        guard DatagridAudio.isPlayable(kind) else { return perform(entry?.translator.unplayable(kind ?? "") ?? []) }
        guard let samples = downlink.decode(base64) else { return pump.onThread.noteUnreadable() }
        guard !samples.isEmpty else { return }
        let isSilent = samples.allSatisfy { $0.magnitude < Self.quiet }
        perform(entry?.translator.sound(at: Monotonic.now(), isSilent: isSilent) ?? [])
    }

    /// - Returns: whether to call again.
    private func tick(_ now: Duration) -> Bool {
        guard !isOver else { return false }
        if let closesBy, now >= closesBy {
            connection?.close()
            return false
        }
        guard !isRetired else { return true }
        if let connection, entry?.translator.isLive == true { waiting?.keep(connection, by: uplink, at: now) }
        for piece in uplink.dequeue() {
            perform(entry?.translator.sent(piece.samples, isVoice: piece.isVoice, at: now) ?? [])
        }
        perform(entry?.translator.tick(at: now, isPlaying: pump.onThread.isSpeaking) ?? [])
        return true
    }
}
