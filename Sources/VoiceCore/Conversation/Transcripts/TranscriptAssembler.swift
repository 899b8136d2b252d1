/// Assembles the conversation as text, in order: returns each line once it is finished.
///
/// The service sends texts when it has them. The user's words often arrive after the answer to them; the same text may
/// arrive in pieces, as a whole, and repeatedly; and the text of interrupted speech extends beyond what was heard. So items
/// are kept in the order of the conversation (`previous_item_id`), and a line waits for earlier ones, for the user's at
/// most `patience`. A text that arrives later still gets its line, marked as late, with the number of its place.
///
/// A pure value. It holds at most `limit` items; beyond that the oldest are written as they are.
package struct TranscriptAssembler: Sendable {
    /// How long a line waits for the user's words before it.
    static let patience = Duration.seconds(10)
    /// Maximum items kept, and how many of them are written ones remembered to detect repetitions.
    static let limit = 128
    static let remembered = 48
    /// Maximum UTF-8 bytes of one part of an item.
    static let textLimit = 16_384

    /// Whether the service transcribes the user.
    package var expectsUser: Bool
    private var items: [TranscriptItem] = []
    private var isSounding = false
    /// The latest responses whose audio is refused.
    private var silenced: [String] = []
    /// The latest responses that made a sound.
    private var voiced: [String] = []
    private var lines = 0

    package init(expectsUser: Bool) {
        self.expectsUser = expectsUser
    }

    /// Notes an event and its effects.
    ///
    /// - Returns: the lines finished now, in order.
    package mutating func handle(
        _ event: ConversationEvent?,
        effects: [ConversationEffect],
        at now: Duration
    ) -> [TranscriptLine] {
        switch event {
        case .service(.responseEnded(let end)):
            heard(.responseEnded(end), at: now)
            let isSaidElsewhere = effects.contains { if case .answer = $0 { true } else { false } }
            if !voiced.contains(end.response), !isSaidElsewhere { wasSilent(end.response) }
        case .service(let report): heard(report, at: now)
        case .voiceReceived(let responseID, let itemID):
            if !silenced.contains(responseID) {
                isSounding = true
                voiced.append(responseID)
                if voiced.count > 32 { voiced.removeFirst(voiced.count - 32) }
                for index in items.indices where items[index].responseID == responseID {
                    if items[index].playback == .silent { items[index].playback = .open }
                }
                voice(itemID, of: responseID, at: now) { _ in }
            }
        case .voiceDrained: soundEnded()
        case .voiceStopped(let parts): stopped(parts, at: now)
        case .disconnected: sessionEnded()
        default: break
        }
        for effect in effects {
            switch effect {
            case .stopVoice(let responseIDs): silence(responseIDs)
            case .disconnect, .promote: sessionEnded()
            default: break
            }
        }
        return release(at: now)
    }

    /// Items held.
    var count: Int { items.count }

    /// When to ask for lines again even without an event; nil unless one is waiting for the user's words.
    package var due: Duration? {
        guard let first = items.first(where: { !$0.isPassed && !$0.isSettled }), first.speaker == .user else {
            return nil
        }
        return first.since + Self.patience
    }

    /// Lines that are due by now.
    package mutating func lines(at now: Duration) -> [TranscriptLine] {
        release(at: now)
    }

    /// Returns all remaining lines as they are.
    package mutating func finish() -> [TranscriptLine] {
        sessionEnded()
        for index in items.indices { items[index].endPlayback() }
        return release(at: .zero)
    }

    // MARK: What happened

    private mutating func heard(_ report: ServiceReport, at now: Duration) {
        switch report {
        case .userTurn(let itemID, let previous):
            place(itemID, after: previous, at: now)
            guard expectsUser else { return }
            user(itemID, at: now) { item in item.since = now }
        case .placed(let itemID, let previous): place(itemID, after: previous, at: now)
        case .responseBegan(let id, _):
            for index in items.indices where items[index].responseID != nil && items[index].responseID != id {
                end(&items[index])
            }
        case .speaks(let responseID, let itemID): voice(itemID, of: responseID, at: now) { _ in }
        case .said(let responseID, let itemID, let index, let text, isWhole: false):
            voice(itemID, of: responseID, at: now) { $0.append(text, to: index, limit: Self.textLimit) }
        case .said(let responseID, let itemID, let index, let text, isWhole: true):
            voice(itemID, of: responseID, at: now) { $0.complete(index, text: text, limit: Self.textLimit) }
        case .audioEnded(let responseID, let itemID):
            voice(itemID, of: responseID, at: now) { $0.isSoundComplete = true }
            if !isSounding { soundEnded() }
        case .responseEnded(let response):
            for index in items.indices where items[index].responseID == response.response { end(&items[index]) }
            if !isSounding { soundEnded() }
        case .heard(let itemID, let index, let text, isWhole: false):
            user(itemID, at: now) { $0.append(text, to: index, limit: Self.textLimit) }
        case .heard(let itemID, let index, let text, isWhole: true):
            user(itemID, at: now) { item in
                item.complete(index, text: text, limit: Self.textLimit)
                item.isTextComplete = true
            }
        case .notHeard(let itemID, _): user(itemID, at: now) { $0.isTextComplete = true }
        case .opened, .ready, .closing, .userStarted, .userStopped, .answerPlaced, .answerWaits, .answerSaid,
            .responseGoesOn, .reminds, .nearlyFull, .news, .callBegan, .callWritten, .call, .interrupted, .toolNews,
            .trouble, .dropped, .charged, .unknown:
            break
        }
    }

    private func end(_ item: inout TranscriptItem) {
        item.isTextComplete = true
        item.isSoundComplete = true
    }

    /// A response has ended without a sound: nothing of it was said.
    private mutating func wasSilent(_ response: String) {
        for index in items.indices where items[index].responseID == response && items[index].playback != .cut {
            items[index].playback = .silent
        }
    }

    private mutating func soundEnded() {
        isSounding = false
        for index in items.indices where items[index].playback == .open && items[index].isSoundComplete {
            // An item silenced before its audio was complete waits for `voiceStopped`.
            if items[index].silenced != .beforeAllSound { items[index].playback = .heard }
        }
    }

    private mutating func silence(_ responseIDs: [String]) {
        silenced += responseIDs
        if silenced.count > 32 { silenced.removeFirst(silenced.count - 32) }
        for index in items.indices where items[index].playback == .open {
            guard let id = items[index].responseID, responseIDs.contains(id) else { continue }
            items[index].silenced = items[index].isSoundComplete ? .afterAllSound : .beforeAllSound
        }
    }

    private mutating func stopped(_ parts: [HeardPart], at now: Duration) {
        for part in parts {
            voice(part.part.itemID, of: part.part.responseID, at: now) { item in
                item.cut(part.part.contentIndex, heard: part.heard, received: part.received)
            }
        }
        // A silenced item missing from the report was either played to its end before, or had not begun to arrive.
        for index in items.indices where items[index].silenced != nil { items[index].endPlayback() }
        soundEnded()
    }

    /// Stops waiting for anything from the session. Audio already received is played on.
    private mutating func sessionEnded() {
        for index in items.indices { end(&items[index]) }
        if !isSounding { soundEnded() }
    }

    // MARK: Items

    private mutating func user(_ itemID: String, at now: Duration, _ body: (inout TranscriptItem) -> Void) {
        speak(itemID, as: .user, at: now, body)
    }

    private mutating func voice(
        _ itemID: String,
        of responseID: String,
        at now: Duration,
        _ body: (inout TranscriptItem) -> Void
    ) {
        let isRefused = silenced.contains(responseID)
        speak(itemID, as: .voice, at: now) { item in
            let isNew = item.responseID == nil
            item.responseID = responseID
            // Its response was silenced before this item began.
            if isNew, isRefused { item.playback = .cut }
            body(&item)
        }
    }

    private mutating func speak(
        _ itemID: String,
        as speaker: TranscriptLine.Speaker,
        at now: Duration,
        _ body: (inout TranscriptItem) -> Void
    ) {
        guard !itemID.isEmpty else { return }
        if !items.contains(where: { $0.id == itemID }) { items.append(TranscriptItem(id: itemID, since: now)) }
        guard let index = items.firstIndex(where: { $0.id == itemID }), !items[index].isWritten else { return }
        if items[index].speaker == nil {
            items[index].speaker = speaker
            items[index].since = now
            // It was passed as an item without text. Its place is still free unless a later line is written.
            if !items[index...].contains(where: \.isWritten) { items[index].isPassed = false }
        }
        guard items[index].speaker == speaker else { return }
        body(&items[index])
    }

    /// Puts an item in its place, once.
    private mutating func place(_ itemID: String, after previous: String?, at now: Duration) {
        guard !itemID.isEmpty else { return }
        var item = TranscriptItem(id: itemID, previous: previous, since: now)
        if let index = items.firstIndex(where: { $0.id == itemID }) {
            guard items[index].previous == nil, previous != nil, !items[index].isPassed else { return }
            item = items.remove(at: index)
            item.previous = previous
        }
        if let follower = items.firstIndex(where: { $0.previous == itemID && !$0.isPassed }) {
            items.insert(item, at: follower)
        } else if let previous, let index = items.firstIndex(where: { $0.id == previous }) {
            let unread = items.firstIndex { !$0.isPassed } ?? items.endIndex
            items.insert(item, at: max(index + 1, unread))
        } else {
            items.append(item)
        }
    }

    // MARK: Lines

    private mutating func release(at now: Duration) -> [TranscriptLine] {
        for index in items.indices.dropLast(Self.limit) {
            end(&items[index])
            items[index].endPlayback()
        }
        var result: [TranscriptLine] = []
        var isHeld = false
        for index in items.indices {
            let item = items[index]
            if item.isPassed {
                if !item.isWritten, item.isSettled { write(index, to: &result) }
                continue
            }
            guard !isHeld else { continue }
            if item.isSettled {
                items[index].isPassed = true
                write(index, to: &result)
            } else if item.speaker == .user, now - item.since >= Self.patience {
                items[index].isPassed = true
                lines += 1
                items[index].number = lines
            } else {
                isHeld = true
            }
        }
        while items.count > Self.remembered, items.first?.isPassed == true { items.removeFirst() }
        return result
    }

    /// Writes an item's line. An item without text has none, unless a text arrives later.
    private mutating func write(_ index: Int, to result: inout [TranscriptLine]) {
        let item = items[index]
        let (text, heard) = item.spoken
        guard let speaker = item.speaker, !text.isEmpty else { return }
        items[index].isWritten = true
        if item.number == nil { lines += 1 }
        let number = item.number ?? lines
        let isLate = items[index...].dropFirst().contains(where: \.isWritten)
        result.append(TranscriptLine(number: number, speaker: speaker, text: text, heard: heard, isLate: isLate))
    }
}

/// One complete utterance: the user's turn, or an item of the model's speech as far as it was heard.
package struct TranscriptLine: Equatable, Sendable {
    package enum Speaker: String, Sendable {
        case user
        case voice
    }

    /// Place in the conversation, from 1; a late line has the number of its place.
    package var number: Int
    package var speaker: Speaker
    package var text: String
    /// Milliseconds heard of interrupted speech; `text` ends about there. nil if nothing was cut.
    package var heard: Int?
    /// Whether lines of later items were written before it.
    package var isLate: Bool = false
    /// The assistant that speaks, if its wake word has a table.
    package var name: String?
}

/// Estimates the words heard before playback was cut, from the share of audio that was heard.
///
/// The service sends the text and the audio of an item separately and without times, so the estimate assumes that speech
/// goes through its characters at a constant rate.
enum SpokenShare {
    /// - Parameters:
    ///   - known: characters of `text` that belong to the `received` audio; later text was never heard.
    ///   - heard, received: ms of audio.
    /// - Returns: `text` up to the last word at least half heard, trimmed.
    static func words(of text: String, known: Int, heard: Int, received: Int) -> String {
        guard heard > 0, received > 0 else { return "" }
        let share = min(1, Double(heard) / Double(received))
        let position = Int((Double(known) * share).rounded())
        var end = text.startIndex
        var offset = 0
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            guard offset + (word.count + 1) / 2 <= position else { break }
            end = word.endIndex
            offset += word.count + 1
        }
        return text[..<end].trimmed
    }
}

extension StringProtocol {
    /// The text without white space at both ends.
    var trimmed: String {
        let rest = drop(while: \.isWhitespace)
        guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(rest[...last])
    }
}
