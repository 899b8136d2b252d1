import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceConversation

struct WakeWordListenerTests {
    /// The thread wakes once for each block of 40 ms, whatever the phase in which it begins.
    @Test(arguments: [0, 3, 9]) func listenerWakesOncePerBlock(phase: Int) {
        var (available, wakes, blocks) = (0, 0, 0)
        var due = phase
        for millisecond in 0..<10_000 {
            if millisecond.isMultiple(of: 10) { available += AudioFormat.wirePeriodSamples }
            guard millisecond == due else { continue }
            wakes += 1
            while available >= 960 {
                available -= 960
                blocks += 1
            }
            due += WakeWordListener.untilBlock(available).wholeMilliseconds
        }
        #expect(wakes <= 252, "\(wakes) wake-ups in 10 s")
        #expect(blocks >= 248)
    }

    /// While the audio thread takes 80 ms together, two blocks come together.
    @Test func listenerWakesOncePerTwoBlocksAtRest() {
        var (available, wakes, blocks) = (0, 0, 0)
        var due = 30
        for millisecond in 0..<8000 {
            if millisecond.isMultiple(of: 80) { available += 8 * AudioFormat.wirePeriodSamples }
            guard millisecond == due else { continue }
            wakes += 1
            blocks += available / 960
            available %= 960
            let next = (millisecond / 80 + 1) * 80
            due +=
                WakeWordListener.untilBlock(available, due: .milliseconds(next), now: .milliseconds(millisecond))
                .wholeMilliseconds
        }
        #expect(wakes <= 101, "\(wakes) wake-ups in 8 s")
        #expect(blocks >= 198)
    }

    @Test func listenerWithoutSoundDoesNotSpin() {
        for available in 0..<960 { #expect(WakeWordListener.untilBlock(available) >= .milliseconds(10)) }
    }

    /// It sleeps while there is nothing to listen for; orders wake it.
    @Test func listenerObeysOrdersInItsSleep() async throws {
        let ports = AudioPorts()
        let listener = WakeWordListener(
            tap: ports.words,
            gauges: ports.gauges,
            rule: WakeRule(words: try WakeWords(wake: "computer", stop: "", threshold: -20)),
            logger: LineLog().logger,
            make: { (_) throws(WakeWordError) -> any WakeWordDetector in ScriptedDetector() },
            report: { _ in }
        )
        let running = Task { await listener.run() }
        for _ in 0..<3 {
            listener.listen(.wake)
            while !ports.words.isWanted { await Task.yield() }
            listener.listen(.nothing)
            while ports.words.isWanted { await Task.yield() }
        }
        listener.stop()
        await running.value
    }

    @Test(.timeLimit(.minutes(1))) func recoveredEngineIsReportedAsHearing() async throws {
        let ports = AudioPorts()
        let attempts = Atomic(0)
        let listener = WakeWordListener(
            tap: ports.words,
            gauges: ports.gauges,
            rule: WakeRule(words: try WakeWords(wake: "computer", stop: "", threshold: -20)),
            logger: LineLog().logger,
            retryPause: .zero,
            make: { (_) throws(WakeWordError) -> any WakeWordDetector in
                if attempts.wrappingAdd(1, ordering: .relaxed).oldValue == 0 {
                    throw WakeWordError("no package", cause: .library)
                }
                return ScriptedDetector()
            },
            report: { _ in }
        )
        listener.listen(.wake)
        let running = Task { await listener.run() }
        while !ports.words.isWanted { await Task.yield() }
        #expect(listener.lack.calls == nil)
        listener.stop()
        await running.value
        #expect(attempts.load(ordering: .relaxed) == 2)
    }
}
