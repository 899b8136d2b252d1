/// Logs the same problem once per change, and counts what it holds back.
///
/// Problems are identified by event and subject (microphone or loudspeaker), and count as the same while their words are.
/// While one persists, its 10th, 100th, 1000th ... occurrence is logged too, so that a truncated log shows it. At most 64
/// are known; the oldest is dropped.
package struct TroubleFilter: Sendable, Equatable {
    package enum Verdict: Sendable, Equatable {
        /// Write it; `times` is the number of occurrences since its words changed.
        case write(times: Int)
        case hold
    }

    private struct Trouble: Sendable, Equatable {
        var event: JournalEvent
        var subject: String
        var words: String
        /// Occurrences since the words changed.
        var count: Int
        /// Occurrences since it began.
        var total: Int
    }

    private static let capacity = 64
    private var troubles: [Trouble] = []

    /// - Parameter words: the message without parts that differ each time, such as a pause or a duration.
    package mutating func happened(_ event: JournalEvent, subject: String = "", words: String) -> Verdict {
        guard let index = troubles.firstIndex(where: { $0.event == event && $0.subject == subject }) else {
            if troubles.count == Self.capacity { troubles.removeFirst() }
            troubles.append(Trouble(event: event, subject: subject, words: words, count: 1, total: 1))
            return .write(times: 1)
        }
        troubles[index].total += 1
        guard troubles[index].words == words else {
            troubles[index].words = words
            troubles[index].count = 1
            return .write(times: 1)
        }
        troubles[index].count += 1
        let count = troubles[index].count
        return Self.isRound(count) ? .write(times: count) : .hold
    }

    /// Records the end of problems. Returns how often they occurred; 0 if there were none.
    package mutating func ended(_ events: [JournalEvent], subject: String = "") -> Int {
        var count = 0
        troubles.removeAll { trouble in
            guard events.contains(trouble.event), trouble.subject == subject else { return false }
            count += trouble.total
            return true
        }
        return count
    }

    /// 10, 100, 1000 ...
    private static func isRound(_ count: Int) -> Bool {
        var power = 10
        while power < count { power *= 10 }
        return power == count
    }
}
