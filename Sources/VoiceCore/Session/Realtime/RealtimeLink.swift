internal import FoundationEssentials
internal import Glibc
internal import VoiceBase
package import VoiceConversation
package import VoiceNetwork

/// One connection to the Realtime service: dispatches its messages. Lives on the network thread.
package final class RealtimeLink: ServiceLink, WebSocketDriver {
    private let connection: WebSocketConnection
    private let pump: VoicePump
    private let report: ServiceLinkReport
    private var wire: RealtimeWire
    private let isContinuous: Bool
    private let model: String?
    /// Of an event without audio, in bytes.
    private let longestEvent: Int
    private var part = SpokenPart(responseID: "", itemID: "", contentIndex: 0)
    /// Room for the samples of one delta; grows to the largest seen.
    private var samples = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 16_384)
    /// The odd byte at the end of the part's last delta: half a sample.
    private var oddByte: UInt8?

    private var isRetired = false

    /// The latest responses that the service reported before their sound. After a cut, the sound of others belongs to what was
    /// cut, whatever it names.
    private var begun: [String] = []
    private static let mostBegun = 32

    /// Microphone position at the latest message: the service was still there to hear audio from before it.
    private var heardUntil: UInt64 = 0
    /// A service that hears the user begin to speak reports it sooner than this.
    private static let reaction = Duration.seconds(2)

    /// Messages that were not valid events. A bad event costs only itself.
    package private(set) var malformed = 0

    package init(
        connection: WebSocketConnection,
        pump: VoicePump,
        settings: RealtimeSettings = RealtimeSettings(instructions: "", tools: []),
        report: @escaping ServiceLinkReport
    ) {
        self.connection = connection
        self.pump = pump
        wire = RealtimeWire(settings)
        longestEvent = ServerEventDecoder.longest(echoing: settings)
        model = settings.model
        isContinuous = settings.dialect.capabilities.continuousUplink
        self.report = report
    }

    deinit { samples.deallocate() }

    package func opened() {
        guard !isRetired else { return }
        report(.connected, Monotonic.now())
    }

    package func received(text: UnsafeRawBufferPointer) {
        guard !isRetired else { return }
        heardUntil = pump.microphonePosition
        if let delta = AudioDelta(text) { return receive(delta, in: text) }
        let now = Monotonic.now()
        if text.count > longestEvent { return receiveSlowly(text) }
        do {
            let event = try wire.decode(text)
            switch event {
            case .ignored("response.output_audio.delta"), .ignored("response.audio.delta"): return receiveSlowly(text)
            case .audioDone(let responseID, let itemID, let contentIndex):
                guard pump.listens(to: connection) else { break }
                pump.finish(SpokenPart(responseID: responseID, itemID: itemID, contentIndex: contentIndex))
            case .speechStarted: pump.turnBegan(on: connection)
            case .speechStopped: pump.speechIsWanted()
            case .responseCreated(let id, _):
                begun.append(id)
                if begun.count > Self.mostBegun { begun.removeFirst() }
            case .committed(let itemID, _):
                pump.speechIsWanted()
                if pump.turnWasSilent(on: connection) { report(.turnWasSilent(itemID: itemID), now) }
            case .ignored: return
            default: break
            }
            for meant in wire.receive(event) { report(.service(dated(meant)), now) }
        } catch {
            unreadable()
        }
    }

    /// Adds how long ago the user stopped: some servers report it only once the model has answered.
    private func dated(_ report: ServiceReport) -> ServiceReport {
        guard case .userStopped(let end, _) = report, end > 0 else { return report }
        return .userStopped(at: end, ago: pump.age(of: end, on: connection))
    }

    package func received(binary: UnsafeRawBufferPointer) {
        guard !isRetired else { return }
        unreadable()
    }

    package func closed(_ closure: WebSocketClosure) {
        var failure = LinkFailure(closure, model: model)
        switch closure {
        case .failed(.timedOut(.silence(let limit))), .failed(.timedOut(.acknowledgement(let limit))):
            failure.missedSpeech = pump.sentVoice(on: connection, within: limit)
        default:
            let silence = ContinuousClock.now - connection.lastReceived
            let limit = max(Self.reaction, silence)
            failure.missedSpeech = pump.sentVoice(on: connection, after: heardUntil, within: limit)
        }
        pump.ended(connection)
        guard !isRetired else { return }
        report(.disconnected(failure), Monotonic.now())
    }

    private func unreadable() {
        malformed += 1
        pump.noteUnreadable()
    }

    package func retire() {
        isRetired = true
        pump.ended(connection)
        connection.close()
    }

    package func openMicrophone() {
        guard !isRetired else { return }
        pump.openMicrophone(on: connection, isContinuous: isContinuous)
    }

    @discardableResult
    package func ask(_ request: ServiceRequest) -> Bool {
        guard connection.isOpen else { return false }
        if case .respond = request { pump.speechIsWanted() }
        for message in wire.write(request, at: Monotonic.now()) where !connection.send(text: message) {
            connection.end(.failed(.reset("the server does not take what is sent")))
            return false
        }
        return true
    }

    // MARK: Audio

    private func receive(_ delta: AudioDelta, in text: UnsafeRawBufferPointer) {
        guard pump.listens(to: connection) else { return }
        if !text.equals(part.responseID, at: delta.responseID) || !text.equals(part.itemID, at: delta.itemID)
            || part.contentIndex != delta.contentIndex
        {
            part = SpokenPart(
                responseID: String(decoding: text[delta.responseID], as: UTF8.self),
                itemID: String(decoding: text[delta.itemID], as: UTF8.self),
                contentIndex: delta.contentIndex
            )
            oddByte = nil
        }
        play(base64: UnsafeRawBufferPointer(rebasing: text[delta.audio]))
    }

    /// Slow path for servers that escape needlessly or order the fields differently.
    private func receiveSlowly(_ text: UnsafeRawBufferPointer) {
        guard
            let delta = OutsideJSON.decode(
                DeltaMessage.self,
                from: text,
                atMost: AudioFormat.longestEncodedMessage
            )
        else {
            return unreadable()
        }
        guard pump.listens(to: connection) else { return }
        let part = SpokenPart(
            responseID: delta.responseID ?? "",
            itemID: delta.itemID ?? "",
            contentIndex: delta.contentIndex ?? 0
        )
        if part != self.part {
            self.part = part
            oddByte = nil
        }
        var audio = delta.audio
        audio.withUTF8 { play(base64: UnsafeRawBufferPointer($0)) }
    }

    private func play(base64: UnsafeRawBufferPointer) {
        let room = base64.count / 4 * 3 / 2 + 2
        if samples.count < room {
            samples.deallocate()
            samples = .allocate(capacity: room)
        }
        guard let base = samples.baseAddress else { return }
        let bytes = UnsafeMutableRawPointer(base).assumingMemoryBound(to: UInt8.self)
        var start = 0
        if let oddByte {
            bytes[0] = oddByte
            start = 1
        }
        guard let decoded = Base64.decode(base64, into: bytes + start) else {
            return unreadable()
        }
        let count = decoded + start
        oddByte = count % 2 == 1 ? bytes[count - 1] : nil
        guard count >= 2, !pump.isCut || begun.contains(part.responseID) else { return }
        pump.receive(UnsafeBufferPointer(start: base, count: count / 2), of: part)
    }
}

private struct DeltaMessage: Decodable {
    var responseID: String?
    var itemID: String?
    var contentIndex: Int?
    var audio: String

    enum CodingKeys: String, CodingKey {
        case responseID = "response_id"
        case itemID = "item_id"
        case contentIndex = "content_index"
        case audio = "delta"
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func equals(_ text: String, at range: Range<Int>) -> Bool {
        var text = text
        return text.withUTF8 { utf8 in
            guard utf8.count == range.count, let mine = baseAddress, let other = utf8.baseAddress else {
                return utf8.isEmpty && range.isEmpty
            }
            return memcmp(mine + range.lowerBound, other, utf8.count) == 0
        }
    }
}
