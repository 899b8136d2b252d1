internal import VoiceBase

/// Clock of a session that runs on the audio it is sent: decides when silence must replace missing audio. Pure; times are
/// monotonic, samples are at 24 kHz.
///
/// Audio held back on purpose (a shut gate) is replaced immediately; audio missing between other audio (an overrun) is replaced
/// before the audio behind it. Audio that may only be late is awaited for `patience`, and replaced from then on. If it
/// arrives after all it is dropped, because silence has taken its place: sending both would stretch the speech.
///
/// Audio from before the session or a gate opened may be sent as well. The session is then ahead by that much, and its
/// clock runs on at our pace.
package struct UplinkClock: Equatable, Sendable {
    /// The step to take before the waiting audio is sent.
    package struct Step: Equatable, Sendable {
        /// Samples of the waiting audio to drop.
        package var dropped = 0
        /// Samples of silence to send after what was sent before.
        package var silence = 0

        package init(dropped: Int = 0, silence: Int = 0) {
            self.dropped = dropped
            self.silence = silence
        }
    }

    /// How late audio may be.
    package static let patience = Duration.milliseconds(200)
    /// Silence for missing audio stays this far behind the present, so that audio the card delivers sooner still has a
    /// place.
    private static let lag = Duration.milliseconds(150)
    /// A gap up to this length may be jitter in the times of periods.
    package static let tolerance = Duration.milliseconds(40)
    /// The most silence made up for in one step: a process that was suspended does not catch up.
    package static let longest = Duration.seconds(2)

    /// Samples of one message.
    private let chunk: Int
    /// Audio captured before this was sent, or silence in its place, except for `debt`.
    private var edge: Duration
    /// Sum of gaps too small to tell from jitter; filled when together they reach `patience`.
    private var debt = Duration.zero
    /// Audio captured before this has lost its place to silence.
    private var replacedUntil = Duration.zero
    /// Audio is missing, and silence replaces it.
    private var isMissing = false

    /// - Parameters:
    ///   - chunk: samples of one message.
    ///   - now: when the session was opened.
    package init(chunk: Int, at now: Duration) {
        self.chunk = max(1, chunk)
        edge = now
    }

    /// - Parameters:
    ///   - oldest: when the first of the waiting samples was captured.
    ///   - waiting: number of waiting samples.
    ///   - isHeld: whether they are held back on purpose.
    package mutating func step(at now: Duration, oldest: Duration, waiting: Int, isHeld: Bool) -> Step {
        // After a sleep of the machine or a hang of the thread, audio that could not be sent is not made up for.
        if edge < now - Self.longest {
            edge = now - Self.longest
            debt = .zero
        }
        guard !isHeld else { return Step(silence: fill(until: now)) }
        let dropped = min(waiting, max(0, Self.samples(replacedUntil - oldest)))
        if waiting > dropped { isMissing = false }
        guard waiting - dropped < chunk else {
            let start = oldest + Self.time(dropped)
            let gap = max(.zero, start - edge)
            let isGap = gap > Self.tolerance || gap + debt > Self.patience
            return Step(dropped: dropped, silence: isGap ? fill(until: start) : 0)
        }
        if now - edge + debt >= Self.patience { isMissing = true }
        guard isMissing else { return Step(dropped: dropped) }
        let silence = fill(until: now - Self.lag)
        replacedUntil = max(replacedUntil, edge)
        return Step(dropped: dropped, silence: silence)
    }

    /// Notes audio sent, or lost on the way: `samples`, the last of them captured at `captured`.
    package mutating func sent(_ samples: Int, until captured: Duration) {
        debt += max(.zero, captured - Self.time(samples) - edge)
        edge = max(edge, captured)
    }

    /// Returns silence in whole messages; the rest is made up for with the next.
    private mutating func fill(until end: Duration) -> Int {
        let owed = max(.zero, end - edge) + debt
        let silence = Self.samples(owed) / chunk * chunk
        edge = max(edge, end)
        debt = owed - Self.time(silence)
        return silence
    }

    private static func samples(_ time: Duration) -> Int {
        Int(time.fractionalMilliseconds * Double(AudioFormat.wireRate) / 1000)
    }

    private static func time(_ samples: Int) -> Duration {
        .nanoseconds(Int64(samples) * 125_000 / 3)
    }
}

/// Silence for a session that runs on the audio it is sent and does not have the microphone yet: a standby, which would end
/// for lack of audio. Lives on the network thread.
struct WaitingUplink {
    /// 40 ms.
    private static let silence = [Int16](repeating: 0, count: AudioFormat.wireRate / 25)

    private var clock: UplinkClock?

    /// Sends the silence due by now.
    mutating func keep(_ line: any VoiceLine, at now: Duration) {
        var clock = clock ?? UplinkClock(chunk: Self.silence.count, at: now)
        let due = clock.step(at: now, oldest: now, waiting: 0, isHeld: true).silence / Self.silence.count
        self.clock = clock
        Self.silence.withUnsafeBufferPointer { silence in
            for _ in 0..<due {
                guard line.isOpen, line.send(MicrophoneChunk(silence)) != nil else { return }
            }
        }
    }
}
