package import VoiceBase
package import VoiceConversation

/// Translates between the service-neutral vocabulary (`ServiceReport`, `ServiceRequest`) and one Datagrid session. One per
/// connection. Pure: the caller passes in the time.
///
/// The service names no items, announces no turns and never ends an answer explicitly, so all of that is made here. A turn
/// of the user is what the local detector hears as one. An answer is over when it has been played and nothing more arrives
/// for a while. Its tools run on the service's side, so it makes no calls.
package struct DatagridTranslator: Sendable {
    /// Its own effect: the session belongs to this conversation, which the next session can continue; nil if the service
    /// does not know the requested one.
    package typealias Effect = ServiceEffect<DatagridClientMessage, String?>

    enum Phase: Equatable, Sendable {
        case opening, starting, started, live, closing, closed
    }

    let settings: DatagridSettings
    private let conversation: String?
    private let given: [UInt8]?
    private let redactor: Redactor
    var phase = Phase.opening
    package var outbox = ServiceOutbox<DatagridClientMessage, String?>(tag: "datagrid")
    /// The service's name for the session.
    private var session = ""
    private var liveSince = Duration.zero

    // The user
    var voice = HeardVoice()
    var turns = HeardTurns()
    var hasReportedPhantom = false

    // The agent
    var speech: Speech?
    /// Words that arrived before their sound.
    var earlyWords = ""
    /// When anything last arrived from the agent.
    var lastSign = Duration.zero
    /// Tools the agent uses, and since when.
    var runningTools: [String: Duration] = [:]
    /// Tools given up because their end was never reported: until it is, or the user speaks, they are not begun again.
    var lostTools: Set<String> = []
    /// Until when audio of the cut answer is dropped.
    var dropsUntil: Duration?
    /// When the daemon last cut an answer; nil once the service has confirmed it.
    var interruptedAt: Duration?
    private var hasReportedKind = false
    private var typed: String?

    /// The service has named the session's conversation.
    package private(set) var hasConversation = false

    package var isLive: Bool { phase == .live }
    /// The session was asked to end and has not confirmed it yet.
    package var isClosing: Bool { phase == .closing }
    package var isClosed: Bool { phase == .closed }

    /// - Parameters:
    ///   - conversation: the one to continue.
    ///   - given: the first message from a hand-off; nil to build it here.
    ///   - redactor: removes the key and the token from texts of the service.
    package init(
        _ settings: DatagridSettings,
        conversation: String? = nil,
        given: [UInt8]? = nil,
        redactor: Redactor = Redactor()
    ) {
        self.settings = settings
        self.conversation = conversation
        self.given = given
        self.redactor = redactor
    }

    /// An answer, from its first sign to its end.
    struct Speech: Sendable {
        var response: String
        var item: String
        var text = ""
        /// Audio of it was played or queued.
        var sounds = false

        var part: SpokenPart { SpokenPart(responseID: response, itemID: item, contentIndex: 0) }
    }

    mutating func end(_ closing: ServiceClosing, _ reason: String) {
        guard phase != .closed else { return }
        phase = .closed
        report(.closing(closing, reason))
    }

    /// Cleans a text from the service for one line of the log.
    private func clean(_ text: String, _ most: Int = 200) -> String {
        let line = redactor.clean(text).map { $0.isNewline || $0.asciiValue.map { $0 < 0x20 } == true ? " " : $0 }
        return String(String(line).prefix(most))
    }

    // MARK: Messages from the service

    package mutating func connected() -> [Effect] {
        report(.opened(id: nil, ends: nil))
        return drain()
    }

    package mutating func receive(_ message: DatagridServerMessage, at now: Duration) -> [Effect] {
        guard phase != .closed else { return [] }
        switch message {
        case .started(let id, let conversation):
            guard phase == .starting else { break }
            phase = .started
            session = clean(id, 40)
            if !session.isEmpty { outbox.tag = session }
            guard let conversation else { break }
            hasConversation = true
            emit(.own(conversation))
        case .ready:
            guard phase == .starting || phase == .started else { break }
            phase = .live
            liveSince = now
            report(.ready(ServiceReadiness(id: session.isEmpty ? nil : session)))
        case .transcript(let line):
            guard phase == .live else { break }
            switch line.role {
            case .user: heard(line.text, now)
            case .agent: said(line.text, now)
            }
        case .tool(let name, let status): if phase == .live { tool(clean(name, 80), clean(status, 40), now) }
        case .interrupted: if phase == .live { wasInterrupted(now) }
        case .error(let code, let text): failed(code.map { clean($0, 80) }, clean(text))
        case .ended(let credits, let transcript): ended(credits, transcript, now)
        case .ignored: break
        case .unknown(let type): report(.unknown(clean(type, 80)))
        }
        return drain()
    }

    private mutating func failed(_ code: String?, _ text: String) {
        switch phase {
        case .opening, .starting: refused(code ?? "error", text)
        case .started: end(.lost, "the service ended the session before it was ready: \(text)")
        case .live where code == "client_silence_timeout": end(.expired, "the service heard nothing for long")
        case .live: end(.lost, "the service ended the session: " + text + (code.map { " (\($0))" } ?? ""))
        case .closing, .closed: break
        }
    }

    /// Handles an error before the start, which is final unless it may concern the conversation to be continued.
    private mutating func refused(_ code: String, _ text: String) {
        if conversation != nil {
            emit(.own(nil))
            return end(.lost, "the service does not go on with the conversation: \(text); another begins")
        }
        let words = "\(code) \(text)".lowercased()
        if ["rate_limit", "rate limit", "too many"].contains(where: words.contains) {
            return trouble(code, text, .limited)
        }
        let isAccount = ["auth", "api key", "api_key", "token", "credit", "quota", "billing"].contains(
            where: words.contains
        )
        trouble(code, text, isAccount ? .account : .configuration)
    }

    /// A session that ended sooner was useless, and the next may be as well.
    private static let young = Duration.seconds(60)

    private mutating func ended(_ credits: Double?, _ transcript: [DatagridLine], _ now: Duration) {
        settle(transcript, now)
        guard phase != .closing else { return end(.asked, "") }
        let cost = credits.map { ", which took \(Int($0.rounded())) credits" } ?? ""
        let isYoung = phase != .live || now - liveSince < Self.young
        end(isYoung ? .lost : .expired, "the service ended the session" + cost)
    }

    // MARK: Requests

    package mutating func ask(_ request: ServiceRequest, at now: Duration) -> [Effect] {
        switch request {
        case .open:
            guard phase == .opening else { break }
            phase = .starting
            emit(.send(given.map { .startAsGiven($0) } ?? .start(settings, conversation: conversation)))
        case .close:
            guard phase != .closing, phase != .closed else { break }
            let isKnown = phase == .live || phase == .started
            phase = isKnown ? .closing : .closed
            if isKnown { emit(.send(.stop)) }
        case _ where phase != .live: break
        case .ask(let text): typed = text
        case .respond(let id, _): respond(id, now)
        case .cancel(let response): cancel(response, now)
        case .recall, .answer, .inform, .tell, .truncate, .forget, .clearInput, .dropSpeech: break
        }
        return drain()
    }

    private mutating func respond(_ id: String, _ now: Duration) {
        endSpeech(.completed)
        begin(request: id, now)
        guard let text = typed else { return endSpeech(.completed) }
        typed = nil
        emit(.send(.text(text)))
    }

    private mutating func cancel(_ response: String?, _ now: Duration) {
        guard let speech, response == nil || response == speech.response else {
            return trouble("no_response", "nothing is being said", .noActiveResponse)
        }
        interrupt(now)
    }

    /// Reports audio of a kind that cannot be played, once.
    mutating func unplayable(_ kind: String) -> [Effect] {
        guard !hasReportedKind else { return [] }
        hasReportedKind = true
        trouble("audio_format", "the service sends sound as \(clean(kind, 60)), which is not PCM of 16 bits at 24 kHz")
        return drain()
    }
}

extension DatagridTranslator: NamingTranslator {
    package static let audioMessage = DatagridClientMessage.audio
    /// Older audio is no longer relevant.
    package static let longestPreRoll: Int? = 2000
    /// Samples below this cannot be heard.
    private static let quiet = 16

    package mutating func read(_ text: UnsafeRawBufferPointer, _ downlink: Downlink, at now: Duration) -> [Effect]? {
        func play(_ base64: UnsafeRawBufferPointer, _ kind: String?) -> [Effect]? {
            guard DatagridAudio.isPlayable(kind) else { return unplayable(kind ?? "") }
            guard let samples = downlink.decode(base64) else { return nil }
            guard !samples.isEmpty else { return [] }
            let isSilent = samples.allSatisfy { $0.magnitude < Self.quiet }
            return sound(0..<samples.count, at: now, isSilent: isSilent)
        }
        if let audio = DatagridAudio(text) {
            let kind = audio.kind.map { String(decoding: text[$0], as: UTF8.self) }
            return play(UnsafeRawBufferPointer(rebasing: text[audio.data]), kind)
        }
        guard let message = DatagridDecoder.decode(text) else { return nil }
        guard case .ignored("audio") = message else { return receive(message, at: now) }
        guard var audio = DatagridAudio.slowly(text) else { return nil }
        return audio.data.withUTF8 { play(UnsafeRawBufferPointer($0), audio.kind) }
    }

    package func encoded(_ message: DatagridClientMessage) -> [UInt8] { message.encoded }
}
