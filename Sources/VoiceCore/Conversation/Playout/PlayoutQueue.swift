internal import VoiceBase

/// Received speech that has not yet gone to the audio thread, and the account of how much of it was heard.
///
/// Audio arrives faster than it is played, so it waits here, and the voice ring to the audio thread is kept filled from it.
/// A *voice position* counts samples (24 kHz) since the start of the program. The ring uses the same positions, so a
/// position at the loudspeaker identifies a sample of a part. A pure value: the caller owns the ring.
///
/// Playout begins, and resumes after an underrun, when the start buffer allows it or the part is complete.
///
/// The parts of a response are played one after another, in the order in which they began: audio that a part receives after the
/// next has begun is put before that one, which waits for its end, for `partWait` at most.
package struct PlayoutQueue {
    /// The fate of a delta.
    package enum Admission: Equatable, Sendable {
        /// Queued; `begins` when nothing was waiting or playing, or a new response begins.
        case queued(begins: Bool)
        /// Refused: it belongs to an interrupted response.
        case stale
        /// The queue is full, so the end of the delta is lost. Holds the number of dropped samples.
        case full(Int)
    }

    /// The meaning of the playout position.
    package enum Progress: Equatable, Sendable {
        /// The first sample of a response's speech is at the loudspeaker; `ago` ms before now.
        case audible(responseID: String, ago: Int)
        /// Sent before `drained`: how much of a response was heard and how much was received, in ms. Inaudible sound
        /// counts as not heard.
        case played(responseID: String, heard: Int, received: Int)
        /// The last sample has been played.
        case drained
    }

    private struct Segment {
        var part: SpokenPart
        var start: UInt64
        var end: UInt64
    }

    private struct Record {
        var part: SpokenPart
        /// Heard samples of segments no longer listed.
        var heard = 0
        /// Samples, of those and of the listed segments, that were played inaudibly.
        var missed = 0
        var received = 0
        /// The end of the item was reported, or another response has begun.
        var isComplete = false

        var isOver: Bool { isComplete && heard == received }
    }

    /// Parts in the account; no service has more than a few.
    private static let mostParts = 256

    /// For speech of the service. That of the box comes by no link, and has the initial one.
    private var linkBuffer: StartBuffer
    private let initialBuffer: StartBuffer
    /// Longest wait for the end of the part before.
    private let partWait: Duration
    /// An answer continues that was not there in time.
    private var isResuming = false
    private let limit: Int
    /// Samples not yet in the ring; those before `head` are gone.
    private var pending: [Int16] = []
    private var head = 0
    /// The voice position after the last received sample.
    private var end: UInt64 = 0
    private var segments: [Segment] = []
    private var records: [Record] = []
    private var cutSegments: [Segment] = []
    private var cutRecords: [Record] = []
    private var stale: [String] = []
    private var heldSince: Duration?
    /// Since when the next part waits for the end of the one before it.
    private var waitsSince: Duration?
    private var isReleased = false
    private var isDrained = true
    /// The responses last reported as received and as audible.
    private var announced: String?
    private var audible: String?

    /// - Parameters:
    ///   - startBuffer: ms of speech gathered before playout begins, until the link's jitter is known.
    ///   - limit: maximum seconds of queued speech.
    package init(startBuffer: Int, limit: Int = 600) {
        initialBuffer = StartBuffer(initial: .milliseconds(startBuffer))
        linkBuffer = initialBuffer
        partWait = .milliseconds(4 * startBuffer)
        self.limit = limit * AudioFormat.wireRate
    }

    /// Samples waiting for the ring.
    package var waiting: Int { pending.count - head }

    /// Whether anything is waiting or may still be on its way to the listener.
    package var isActive: Bool { !isDrained }

    /// Takes in a delta; `written` is the ring's write position.
    package mutating func enqueue(
        _ samples: UnsafeBufferPointer<Int16>,
        of part: SpokenPart,
        written: UInt64,
        at now: Duration
    ) -> Admission {
        guard !stale.contains(part.responseID) else { return .stale }
        guard records.count < Self.mostParts || records.contains(where: { $0.part == part }) else {
            return .full(samples.count)
        }
        if !SpokenPart.isOfBox(part.responseID) {
            linkBuffer.received(Self.time(samples.count), of: part.responseID, at: now)
        }
        let room = max(0, limit - waiting)
        let accepted = min(room, samples.count)
        if waiting == 0 { end = max(end, written) }
        let begins = isDrained || announced != part.responseID
        insert(UnsafeBufferPointer(rebasing: samples[0..<accepted]), of: part)
        assert(head <= pending.count && waiting <= limit && records.count <= Self.mostParts)
        if begins {
            if isDrained {
                isReleased = false
                isResuming = announced == part.responseID
                heldSince = now
            }
            announced = part.responseID
            isDrained = false
        }
        if !isReleased, heldSince == nil { heldSince = now }
        return accepted < samples.count ? .full(samples.count - accepted) : .queued(begins: begins)
    }

    /// Marks the part as complete: the rest may be played, however short.
    package mutating func finish(_ part: SpokenPart) {
        guard let index = records.firstIndex(where: { $0.part == part }) else { return }
        records[index].isComplete = true
        if waiting > 0 { isReleased = true }
    }

    /// Hands the ring as many samples as `write` takes.
    ///
    /// - Parameter write: writes to the ring and returns how many samples fitted.
    /// - Returns: samples written.
    package mutating func release(at now: Duration, _ write: (UnsafeBufferPointer<Int16>) -> Int) -> Int {
        guard waiting > 0 else { return 0 }
        if !isReleased {
            // After an underrun the link is worse than it was known to be.
            let isInitial = isResuming || announced.map(SpokenPart.isOfBox) == true
            let buffer = isInitial ? initialBuffer : linkBuffer
            guard buffer.isFilled(gathered: Self.time(waiting), held: now - (heldSince ?? now)) else { return 0 }
            isReleased = true
        }
        heldSince = nil
        let ready = head + ready(at: now)
        guard ready > head else { return 0 }
        let written = pending.withUnsafeBufferPointer { write(UnsafeBufferPointer(rebasing: $0[head..<ready])) }
        head += written
        if head == pending.count {
            pending.removeAll(keepingCapacity: pending.capacity <= AudioFormat.wireRate * 10)
            head = 0
        } else if head > AudioFormat.wireRate * 5 {
            pending.removeFirst(head)
            head = 0
        }
        return written
    }

    /// Notes that sound played in this range of voice positions was inaudible. Call it before `advance`.
    package mutating func missed(_ range: Range<UInt64>) {
        Self.miss(range, in: segments, &records)
    }

    /// The same for speech being cut. Call it before `cutResponses`.
    package mutating func missedOfCut(_ range: Range<UInt64>) {
        Self.miss(range, in: cutSegments, &cutRecords)
    }

    private static func miss(_ range: Range<UInt64>, in segments: [Segment], _ records: inout [Record]) {
        for segment in segments {
            let part = range.clamped(to: segment.start..<segment.end)
            guard !part.isEmpty, let index = records.firstIndex(where: { $0.part == segment.part }) else { continue }
            records[index].missed += part.count
        }
    }

    /// Notes the position at the loudspeaker, and returns what follows from it, in order.
    ///
    /// - Parameters:
    ///   - heard: the voice position at the loudspeaker.
    ///   - written: the ring's write position.
    package mutating func advance(heard: UInt64, written: UInt64) -> [Progress] {
        var progress: [Progress] = []
        while let first = segments.first, heard > first.start {
            if first.part.responseID != audible {
                audible = first.part.responseID
                let ago = Int(heard - first.start) * 1000 / AudioFormat.wireRate
                progress.append(.audible(responseID: first.part.responseID, ago: ago))
            }
            guard heard >= first.end else { break }
            segments.removeFirst()
            if let index = records.firstIndex(where: { $0.part == first.part }) {
                records[index].heard += Int(first.end - first.start)
            }
        }
        if !isDrained, waiting == 0, heard >= end, heard >= written {
            isDrained = true
            isReleased = false
            progress += Self.byResponse(records, heard: records.map(\.heard))
            progress.append(.drained)
        }
        return progress
    }

    /// Drops everything, and refuses further audio of `responseIDs` and of all queued responses.
    ///
    /// `settle` closes the account once the audio thread has reported its position; speech received meanwhile is counted
    /// separately.
    ///
    /// - Parameter position: the voice position from which new speech counts.
    package mutating func cut(refusing responseIDs: [String], at position: UInt64) {
        // If a server names no responses, the next one has the same empty id as the one that was cut, and must not be
        // refused.
        for responseID in responseIDs + records.map(\.part.responseID)
        where !responseID.isEmpty && !stale.contains(responseID) {
            stale.append(responseID)
        }
        if stale.count > 64 { stale.removeFirst(stale.count - 64) }
        cutSegments += segments
        cutRecords += records
        segments = []
        records = []
        pending.removeAll()
        head = 0
        end = position
        heldSince = nil
        waitsSince = nil
        isReleased = false
        isDrained = true
        announced = nil
        audible = nil
        linkBuffer.answerEnded()
    }

    /// Another service speaks: nothing is known of its link.
    package mutating func forgetLink() { linkBuffer = initialBuffer }

    /// Stops refusing: none of the refused responses can arrive again.
    package mutating func admitAll() { stale = [] }

    private static func byResponse(_ records: [Record], heard: [Int]) -> [Progress] {
        var order: [String] = []
        var sums: [String: (heard: Int, received: Int)] = [:]
        for (record, heard) in zip(records, heard) {
            let id = record.part.responseID
            if sums[id] == nil { order.append(id) }
            sums[id, default: (0, 0)].heard += max(0, heard - record.missed)
            sums[id, default: (0, 0)].received += record.received
        }
        let perMillisecond = AudioFormat.wireRate / 1000
        return order.compactMap { id in
            sums[id].map { sum in
                .played(responseID: id, heard: sum.heard / perMillisecond, received: sum.received / perMillisecond)
            }
        }
    }

    /// Returns how much was heard of each cut response. Call it after `cut` and before `settle`.
    ///
    /// - Parameter heard: the voice position up to which the listener heard.
    package func cutResponses(heard: UInt64) -> [Progress] {
        let totals = heardOfCut(heard)
        return Self.byResponse(cutRecords, heard: cutRecords.map { totals[$0.part] ?? 0 })
    }

    private func heardOfCut(_ heard: UInt64) -> [SpokenPart: Int] {
        var totals: [SpokenPart: Int] = [:]
        for segment in cutSegments {
            totals[segment.part, default: 0] += Int(min(max(heard, segment.start), segment.end) - segment.start)
        }
        for record in cutRecords { totals[record.part, default: 0] += record.heard }
        return totals
    }

    /// Returns how much was heard of each part cut before its end, oldest first.
    ///
    /// - Parameter heard: the voice position up to which the listener heard.
    package mutating func settle(heard: UInt64) -> [HeardPart] {
        defer {
            cutSegments = []
            cutRecords = []
        }
        let perMillisecond = AudioFormat.wireRate / 1000
        let totals = heardOfCut(heard)
        var heardItems: Set<String> = []
        for (part, total) in totals where total >= perMillisecond { heardItems.insert(part.itemID) }
        return cutRecords.compactMap { record in
            let total = totals[record.part] ?? 0
            guard total < record.received || !record.isComplete else { return nil }
            return HeardPart(
                part: record.part, heard: total / perMillisecond, received: record.received / perMillisecond,
                isItemHeard: heardItems.contains(record.part.itemID)
            )
        }
    }

    private static func time(_ samples: Int) -> Duration {
        .microseconds(samples * 1_000_000 / AudioFormat.wireRate)
    }

    // MARK: - Accounts

    /// Maximum audio that is moved to make room for late audio of an earlier part, in samples: ten seconds. Behind more than
    /// that, it is played when it comes.
    private static let mostMoved = 10 * AudioFormat.wireRate

    /// Queues samples of a part, before those of the parts that began after it.
    private mutating func insert(_ samples: UnsafeBufferPointer<Int16>, of part: SpokenPart) {
        guard !samples.isEmpty else { return }
        let count = UInt64(samples.count)
        var place = end
        if let index = records.firstIndex(where: { $0.part == part }) {
            records[index].received += samples.count
            place = beginningOfLater(than: index) ?? end
        } else {
            forgetOthers(than: part)
            records.append(Record(part: part, received: samples.count))
        }
        pending.insert(contentsOf: samples, at: pending.count - Int(end - place))
        let next = segments.firstIndex { $0.start >= place } ?? segments.count
        for index in segments[next...].indices {
            segments[index].start += count
            segments[index].end += count
        }
        if next > 0, segments[next - 1].part == part, segments[next - 1].end == place {
            segments[next - 1].end += count
        } else {
            segments.insert(Segment(part: part, start: place, end: place + count), at: next)
        }
        end += count
    }

    /// The position of the first sample of any later part of the same response; nil if there is none, or it is under way.
    private func beginningOfLater(than index: Int) -> UInt64? {
        let part = records[index].part
        guard !part.responseID.isEmpty else { return nil }
        let later = records[(index + 1)...].filter { $0.part.responseID == part.responseID }
        guard !later.contains(where: { $0.heard > 0 }),
            let first = segments.first(where: { segment in later.contains { $0.part == segment.part } })?.start
        else { return nil }
        return first >= end - UInt64(waiting) && end - first <= UInt64(Self.mostMoved) ? first : nil
    }

    /// How many of the waiting samples may be played now: those before the next part, while an earlier part is not complete.
    private mutating func ready(at now: Duration) -> Int {
        let position = end - UInt64(waiting)
        for next in segments where next.start >= position {
            let open = openParts(before: next.part)
            guard !open.isEmpty else { continue }
            guard next.start == position else {
                waitsSince = nil
                return Int(next.start - position)
            }
            guard let since = waitsSince else {
                waitsSince = now
                return 0
            }
            guard now - since >= partWait else { return 0 }
            // Their ends were not reported, or are late.
            for index in open { records[index].isComplete = true }
        }
        waitsSince = nil
        return waiting
    }

    /// The parts of the same response that began before this one and are not complete, even if all they have was played.
    private func openParts(before part: SpokenPart) -> [Int] {
        guard !part.responseID.isEmpty else { return [] }
        return records.prefix { $0.part != part }.indices.filter {
            records[$0].part.responseID == part.responseID && !records[$0].isComplete
        }
    }

    /// Drops finished accounts. Only one response speaks at a time: once the next begins, earlier ones no longer receive
    /// audio, and those fully heard need no account. If a server names no responses, items are used instead.
    private mutating func forgetOthers(than part: SpokenPart) {
        for index in records.indices where records[index].part.responseID != part.responseID {
            records[index].isComplete = true
        }
        let open = Set(records.filter { !$0.isOver }.map(\.part.itemID))
        records.removeAll { record in
            !open.contains(record.part.itemID) && record.part.itemID != part.itemID
                && (part.responseID.isEmpty || record.part.responseID != part.responseID)
        }
    }
}

/// One stretch of the model's speech: the unit of truncation.
package struct SpokenPart: Hashable, Sendable {
    package var responseID: String
    package var itemID: String
    package var contentIndex: Int

    package init(responseID: String, itemID: String, contentIndex: Int) {
        self.responseID = responseID
        self.itemID = itemID
        self.contentIndex = contentIndex
    }
}

/// Speech of the local voice, beside any session. It passes through the same queue, but is not an answer: its name
/// must not be mistaken for a response of the service.
extension SpokenPart {
    private static let boxPrefix = "this-box-"

    /// The name of the box's speech of this number, as a response.
    package static func nameOfBox(_ number: Int) -> String { boxPrefix + "\(number)" }

    package static func isOfBox(_ responseID: String) -> Bool { responseID.hasPrefix(boxPrefix) }
}

/// How much of a part the user heard when playback was cut.
package struct HeardPart: Equatable, Sendable {
    package var part: SpokenPart
    /// Milliseconds that left the loudspeaker, rounded down.
    package var heard: Int
    /// Milliseconds received, rounded down.
    package var received: Int
    /// Whether any part of the item was heard.
    package var isItemHeard: Bool

    /// - Parameter isItemHeard: nil if the item has no other part.
    package init(part: SpokenPart, heard: Int, received: Int, isItemHeard: Bool? = nil) {
        self.part = part
        self.heard = heard
        self.received = received
        self.isItemHeard = isItemHeard ?? (heard > 0)
    }
}
