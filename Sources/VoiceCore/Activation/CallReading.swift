internal import CLinux
internal import VoiceBase

/// Makes text of a call's sound. Belongs to the listener's thread.
package protocol CallReader: AnyObject {
    /// Begins to read; what was being read is abandoned. Does not block.
    ///
    /// - Parameter sound: mono, 16 kHz.
    func read(_ sound: [Int16])
    /// The text, or why there is none; nil while it is being read.
    var result: Result<String, WakeWordError>? { get }
    func abandon()
}

/// Reads calls, and knows the words that none of them may contain.
package struct CallReading {
    package let similar: SimilarWords
    package let reader: any CallReader

    package init(_ similar: SimilarWords, by reader: any CallReader) {
        self.similar = similar
        self.reader = reader
    }
}

/// A call that is read before it counts. Pure.
///
/// In doubt it counts: if there is no text in time, or none that has a similar word.
struct ReadCall {
    /// What is read, in ms: from so long before the find until so long after it, as the word may not have ended.
    static let before = 1300
    static let after = 150
    /// Longest wait from the find on.
    static let patience = Duration.milliseconds(1200)
    /// What has waited longer than this, without sound to measure it by, is no call any more.
    static let longest = Duration.seconds(3)
    /// Sound that is kept for the session at least, in ms: a question behind the word is still there after the wait.
    static let leastPreRoll = 1500

    enum Step: Equatable {
        case wait
        /// The sound is there: it is to be read.
        case read
        case counts
        /// It counts, and nobody has read it.
        case countsUnread(WakeWordError)
        case refused(String)
        /// The microphone was away meanwhile: whoever called has given up.
        case lapsed
    }

    var report: WakeReport
    let word: String
    /// Whether the user has spoken on meanwhile.
    var speaksOn = false
    let found: Duration
    private var isRead = false

    init(_ report: WakeReport, _ word: String, at now: Duration) {
        self.report = report
        self.word = word
        found = now
    }

    /// - Parameter result: of the reader.
    mutating func step(_ result: Result<String, WakeWordError>?, _ similar: SimilarWords, at now: Duration) -> Step {
        guard now - found < Self.longest else { return .lapsed }
        guard isRead else {
            guard now - found >= .milliseconds(Self.after) else { return .wait }
            isRead = true
            return .read
        }
        switch result {
        case .success(let text):
            return similar.found(in: text, insteadOf: word).map { .refused($0) } ?? .counts
        case .failure(let problem): return .countsUnread(problem)
        case nil:
            guard now - found >= Self.patience else { return .wait }
            return .countsUnread(WakeWordError("local.recogniser needs more than a second for a call", cause: .passing))
        }
    }
}

extension CallReading {
    /// The same where sound comes faster than it was spoken: it waits as long for a text as a call would.
    package var inNoHurry: CallReading { CallReading(similar, by: PatientReader(reader)) }
}

/// Waits for the text of each call. One that comes later than a call would wait is none.
private final class PatientReader: CallReader {
    private static let inTime = ReadCall.patience - .milliseconds(ReadCall.after)
    /// A recogniser goes on with what nobody waits for any more, and would be late for the next call.
    private static let longest = Duration.seconds(10)
    private let reader: any CallReader
    private var isLate = false

    init(_ reader: any CallReader) { self.reader = reader }

    var result: Result<String, WakeWordError>? { isLate ? nil : reader.result }

    func read(_ sound: [Int16]) {
        reader.read(sound)
        let began = Monotonic.now()
        while reader.result == nil, Monotonic.now() - began < Self.longest {
            clinux_sleep_until_ns(clinux_monotonic_ns() + 5_000_000)
        }
        isLate = Monotonic.now() - began > Self.inTime
    }

    func abandon() { reader.abandon() }
}
