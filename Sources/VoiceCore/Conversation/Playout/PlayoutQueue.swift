internal import VoiceBase

/// The speech that has come in and not yet gone to the audio thread, and the account of what was heard of it.
///
/// Audio comes faster than it is played. It waits here; the voice ring to the audio thread is kept filled from it. A
/// *voice position* counts samples (24 kHz) since the start of the program; the ring's positions are the same count,
/// so that a position heard at the loudspeaker names a sample of a part. A pure value: the ring is its caller's.
///
/// Speech begins when the start buffer is filled, when the part is complete, or when the first of it has waited
/// `startWait`; and again so after it has run dry.
package struct PlayoutQueue {
    /// What to do with a delta.
    package enum Admission: Equatable, Sendable {
        /// Queued; `begins` when nothing was waiting or playing, or a new response begins.
        case queued(begins: Bool)
        /// Of a response that was interrupted.
        case stale
        /// There is no room: speech this far ahead of the listener is lost. Holds what was dropped, in samples.
        case full(Int)
    }

    /// What the progress of the loudspeaker means.
    package enum Progress: Equatable, Sendable {
        /// The first sample of a response's speech is at the loudspeaker; `ago` ms before now.
        case audible(responseID: String, ago: Int)
        /// Before `drained`: so much of a response was heard, without what nobody could hear, of so much that came in, in ms.
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
        /// Samples heard of segments that are no longer listed.
        var heard = 0
        /// Of those and of the listed ones, the samples that were played where nobody could hear them.
        var missed = 0
        var received = 0
        /// Its end was told, or another response has begun.
        var isComplete = false

        var isOver: Bool { isComplete && heard == received }
    }

    private let startSamples: Int
    private let startWait: Duration
    private let limit: Int
    /// Samples not yet in the ring; those before `head` have gone.
    private var pending: [Int16] = []
    private var head = 0
    /// The voice position behind the last sample that came in.
    private var end: UInt64 = 0
    private var segments: [Segment] = []
    private var records: [Record] = []
    private var cutSegments: [Segment] = []
    private var cutRecords: [Record] = []
    private var stale: [String] = []
    private var heldSince: Duration?
    private var isReleased = false
    private var isDrained = true
    /// The responses last told to have come in, and to be audible.
    private var announced: String?
    private var audible: String?

    /// - Parameters:
    ///   - startBuffer: ms of speech gathered before any of it is played.
    ///   - limit: seconds of speech kept at most.
    package init(startBuffer: Int, limit: Int = 600) {
        startSamples = startBuffer * AudioFormat.wireRate / 1000
        startWait = .milliseconds(4 * startBuffer)
        self.limit = limit * AudioFormat.wireRate
    }

    /// Samples waiting to go to the ring.
    package var waiting: Int { pending.count - head }

    /// Whether anything waits, or may still be on its way to the listener.
    package var isActive: Bool { !isDrained }

    /// Takes in a delta; `written` is the ring's write position.
    package mutating func enqueue(
        _ samples: UnsafeBufferPointer<Int16>,
        of part: SpokenPart,
        written: UInt64,
        at now: Duration
    ) -> Admission {
        guard !stale.contains(part.responseID) else { return .stale }
        let room = max(0, limit - waiting)
        let accepted = min(room, samples.count)
        if waiting == 0 { end = max(end, written) }
        let begins = isDrained || announced != part.responseID
        pending.append(contentsOf: samples[0..<accepted])
        account(accepted, of: part)
        if begins {
            announced = part.responseID
            if isDrained {
                isReleased = false
                heldSince = now
            }
            isDrained = false
        }
        if !isReleased, heldSince == nil { heldSince = now }
        return accepted < samples.count ? .full(samples.count - accepted) : .queued(begins: begins)
    }

    /// No more audio comes for the part: what there is may be played, however little.
    package mutating func finish(_ part: SpokenPart) {
        guard let index = records.firstIndex(where: { $0.part == part }) else { return }
        records[index].isComplete = true
        if waiting > 0 { isReleased = true }
    }

    /// Hands as many samples as `write` takes to the ring.
    ///
    /// - Parameter write: writes to the ring and returns how many samples fitted.
    /// - Returns: samples written.
    package mutating func release(at now: Duration, _ write: (UnsafeBufferPointer<Int16>) -> Int) -> Int {
        guard waiting > 0 else { return 0 }
        if !isReleased {
            guard waiting >= startSamples || now - (heldSince ?? now) >= startWait else { return 0 }
            isReleased = true
        }
        heldSince = nil
        let written = pending.withUnsafeBufferPointer { write(UnsafeBufferPointer(rebasing: $0[head...])) }
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

    /// Nobody could hear what was played in this range of voice positions. To be told before `advance`.
    package mutating func missed(_ range: Range<UInt64>) {
        Self.miss(range, in: segments, &records)
    }

    /// The same of what is being cut, before `cutResponses`.
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

    /// Takes note of the position at the loudspeaker; what follows from it, in order.
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

    /// Drops everything and refuses what still comes of `responseIDs` and of all that was queued.
    ///
    /// The account is settled by `settle` once the audio thread has told how far it came; speech that comes in
    /// meanwhile is counted anew.
    ///
    /// - Parameter position: the voice position from which new speech counts.
    package mutating func cut(refusing responseIDs: [String], at position: UInt64) {
        // Where a server names no response, the next one looks like the one that was cut: it must not be refused.
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
        isReleased = false
        isDrained = true
        announced = nil
        audible = nil
    }

    /// Refuses nothing any more: what was refused cannot come again.
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

    /// After a cut and before `settle`: how much was heard of each response that was under way.
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

    /// After a cut: how much was heard of each part that was not played and finished, oldest first.
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
                part: record.part,
                heard: total / perMillisecond,
                received: record.received / perMillisecond,
                isItemHeard: heardItems.contains(record.part.itemID)
            )
        }
    }

    // MARK: - Accounts

    private mutating func account(_ count: Int, of part: SpokenPart) {
        guard count > 0 else { return }
        if let last = segments.indices.last, segments[last].part == part, segments[last].end == end {
            segments[last].end += UInt64(count)
        } else {
            segments.append(Segment(part: part, start: end, end: end + UInt64(count)))
        }
        end += UInt64(count)
        if let index = records.firstIndex(where: { $0.part == part }) {
            records[index].received += count
        } else {
            forgetOthers(than: part)
            records.append(Record(part: part, received: count))
        }
    }

    /// One response speaks at a time: with the next one nothing more comes of those before, and what was heard of them
    /// needs no account any more. Where a server names no responses, the next item takes their place.
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

/// One stretch of speech of the model: the unit that is truncated.
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

/// How much of a part the user heard when playback was cut.
package struct HeardPart: Equatable, Sendable {
    package var part: SpokenPart
    /// Milliseconds that left the loudspeaker, rounded down.
    package var heard: Int
    /// Milliseconds received, rounded down.
    package var received: Int
    /// Whether anything of the item was heard, of this part or of another.
    package var isItemHeard: Bool

    /// - Parameter isItemHeard: nil where the item has no other part.
    package init(part: SpokenPart, heard: Int, received: Int, isItemHeard: Bool? = nil) {
        self.part = part
        self.heard = heard
        self.received = received
        self.isItemHeard = isItemHeard ?? (heard > 0)
    }
}
