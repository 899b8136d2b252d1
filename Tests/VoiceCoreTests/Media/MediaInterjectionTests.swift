import Testing

@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceMedia
@testable import VoiceReply

struct MediaInterjectionTests {
    private static func item(_ name: String, _ kind: MediaKind = .track) -> MediaItem {
        MediaItem(address: "https://example.org/\(name)", title: name, kind: kind)
    }

    private static let second = 48_000
    private let chime = item("chime"), words = item("words")

    /// Ten seconds of an item have been heard, and another one waits.
    private static func playing(_ kind: MediaKind = .track) -> MediaMachine {
        var machine = MediaMachine()
        _ = machine.handle(.play(item("a", kind), from: 0))
        _ = machine.handle(.enqueue([item("b")]))
        _ = machine.handle(.began(job: 1, position: 0))
        _ = machine.handle(.played(UInt64(10 * second)))
        return machine
    }

    /// The last job has two seconds of sound, all of which is heard.
    private func hear(_ machine: inout MediaMachine) -> [MediaEffect] {
        guard let job = machine.current?.job else { return [] }
        let start = machine.heard
        var effects = machine.handle(.began(job: job, position: start))
        effects += machine.handle(.ended(job: job, frames: 2 * Self.second, failure: nil))
        if let next = machine.next {
            effects += machine.handle(.began(job: next.job, position: start + UInt64(2 * Self.second)))
        }
        return effects + machine.handle(.played(start + UInt64(2 * Self.second)))
    }

    private func prepared(_ effects: [MediaEffect]) -> [String] {
        effects.compactMap { effect in
            if case .prepare(_, let item, let second) = effect { "\(item.title) \(Int(second))" } else { nil }
        }
    }

    @Test func interruptedItemContinuesAfterTheSoundsAtItsPlace() {
        var machine = Self.playing()
        #expect(prepared(machine.handle(.interject([chime, words]))) == ["chime 0"])
        #expect(machine.interjects && machine.waiting.map(\.title) == ["b"])
        #expect(prepared(hear(&machine)) == ["words 0"])
        #expect(machine.interjects)
        let effects = hear(&machine)
        #expect(prepared(effects) == ["a 10"] && !machine.interjects)
        #expect(machine.waiting.map(\.title) == ["b"])
        #expect(!effects.contains { if case .report = $0 { true } else { false } }, "the queue is not over")
        #expect(!effects.contains { if case .remember = $0 { true } else { false } }, "no one chose them")
    }

    @Test func radioBeginsAnew() {
        var machine = Self.playing(.radio)
        _ = machine.handle(.interject([chime]))
        #expect(prepared(hear(&machine)) == ["a 0"])
    }

    @Test func pausedItemStaysPausedAndAStoppedQueueStopped() {
        var machine = Self.playing()
        _ = machine.handle(.order(.pause))
        _ = machine.handle(.interject([chime]))
        #expect(!machine.isPaused)
        _ = hear(&machine)
        #expect(machine.isPaused && machine.current?.item.title == "a")

        var stopped = Self.playing()
        _ = stopped.handle(.order(.stop))
        _ = stopped.handle(.interject([chime]))
        #expect(prepared(hear(&stopped)).isEmpty)
        #expect(stopped.current == nil && stopped.queue.map(\.title) == ["b"] && !stopped.interjects)
    }

    @Test func stopEndsTheSoundsAndWhatTheyInterrupted() {
        var machine = Self.playing()
        _ = machine.handle(.interject([chime, words]))
        #expect(machine.handle(.order(.stop)).contains(.cut))
        #expect(machine.current == nil && !machine.interjects && machine.queue.map(\.title) == ["b"])
    }

    @Test func stoppedInterjectionIsToldFromOneThatWasHeard() {
        var machine = Self.playing()
        for order in [MediaEvent.order(.stop), .order(.pause), .play(Self.item("c"), from: 0)] {
            _ = machine.handle(.interject([chime]))
            #expect(!machine.interjectionWasCut)
            _ = machine.handle(order)
            #expect(machine.interjectionWasCut, "\(order)")
        }
        machine = Self.playing()
        _ = machine.handle(.interject([chime]))
        _ = machine.handle(.order(.skip))
        _ = hear(&machine)
        #expect(!machine.interjects && !machine.interjectionWasCut)
        // "Stop" on the last word is noticed after it.
        _ = machine.handle(.order(.stop))
        #expect(machine.interjectionWasCut)
    }

    @Test func interjectionThatFailsIsNotHeard() throws {
        for failing in [0, 1] {
            var machine = Self.playing()
            _ = machine.handle(.interject([chime, words]))
            let job = try #require(machine.current?.job)
            if failing == 0 {
                _ = machine.handle(.ended(job: job, frames: 0, failure: "not found"))
            } else {
                _ = machine.handle(.ended(job: job, frames: 48_000, failure: nil))
                let next = try #require(machine.next?.job)
                _ = machine.handle(.ended(job: next, frames: 0, failure: "not found"))
            }
            #expect(machine.interjectionWasCut, "\(failing)")
        }
    }

    /// A sleep timer that was cancelled may still be on its way.
    @Test func cancelledSleepTimerCutsNoInterjection() {
        var machine = Self.playing()
        _ = machine.handle(.interject([chime]))
        _ = machine.handle(.timer(.sleep))
        #expect(machine.interjects && !machine.interjectionWasCut)
    }

    @Test func otherOrdersMeanWhatWasInterrupted() {
        var machine = Self.playing()
        _ = machine.handle(.interject([chime]))
        _ = machine.handle(.order(.pause))
        #expect(machine.isPaused && machine.current?.item.title == "a" && !machine.interjects)

        machine = Self.playing()
        _ = machine.handle(.interject([chime]))
        #expect(prepared(machine.handle(.play(Self.item("c"), from: 0))) == ["c 0"])
        #expect(machine.queue.map(\.title) == ["b"] && !machine.interjects)
    }

    @Test func itemQueuedMeanwhileWaitsBehindTheOthers() {
        var machine = Self.playing()
        _ = machine.handle(.interject([chime]))
        _ = machine.handle(.enqueue([Self.item("c")]))
        #expect(machine.interjects)
        _ = hear(&machine)
        #expect(machine.waiting.map(\.title) == ["b", "c"])
    }

    @Test func skipAndSeekMeanWhatContinuesAfterTheSounds() {
        var machine = Self.playing()
        _ = machine.handle(.interject([chime, words]))
        #expect(machine.handle(.seek(3)) == [] && machine.interjects)
        #expect(machine.meant?.second == 3)
        #expect(prepared(hear(&machine)) == ["words 0"])
        #expect(prepared(hear(&machine)) == ["a 3"])

        machine = Self.playing()
        _ = machine.handle(.interject([chime]))
        let skipped = machine.handle(.order(.skip))
        #expect(prepared(skipped).isEmpty && !skipped.contains(.cut) && machine.interjects)
        #expect(skipped.contains(.remember(Self.item("a"), second: 10, isDone: false)))
        #expect(machine.handle(.seek(5000)) == [])
        #expect(machine.meant?.second == 5000, "the length of what was skipped is not its own")
        #expect(prepared(hear(&machine)) == ["b 5000"])

        machine = Self.playing()
        _ = machine.handle(.interject([chime]))
        for _ in 0..<3 { _ = machine.handle(.order(.skip)) }
        #expect(prepared(hear(&machine)).isEmpty)
        #expect(machine.current == nil && !machine.interjects && machine.queue.isEmpty)
    }

    @Test func queueIsClearedAndShortenedWhileTheSoundsPlay() {
        var machine = Self.playing()
        _ = machine.handle(.interject([chime]))
        _ = machine.handle(.enqueue([Self.item("c")]))
        _ = machine.handle(.remove(0))
        #expect(machine.interjects && machine.waiting.map(\.title) == ["c"])
        _ = machine.handle(.order(.clear))
        #expect(machine.interjects && machine.waiting.isEmpty)
        #expect(prepared(hear(&machine)) == ["a 10"])
    }

    @Test func itemQueuedWhileNothingWasInterruptedPlaysAfterTheSounds() {
        var machine = MediaMachine()
        _ = machine.handle(.interject([chime]))
        _ = machine.handle(.enqueue([Self.item("c"), Self.item("d")]))
        #expect(machine.interjects)
        #expect(prepared(hear(&machine)) == ["c 0"])
        #expect(machine.waiting.map(\.title) == ["d"])
    }

    @Test func soundThatFailsIsOver() {
        var machine = Self.playing()
        _ = machine.handle(.interject([chime, words]))
        let job = machine.current?.job ?? 0
        #expect(prepared(machine.handle(.ended(job: job, frames: 0, failure: "404"))) == ["words 0"])
        let last = machine.current?.job ?? 0
        #expect(prepared(machine.handle(.ended(job: last, frames: 0, failure: "404"))) == ["a 10"])
        #expect(!machine.interjects)
    }

    @Test func secondInterjectionFollowsTheFirst() {
        var machine = Self.playing()
        _ = machine.handle(.interject([chime]))
        _ = machine.handle(.interject([words]))
        #expect(prepared(hear(&machine)) == ["words 0"])
        #expect(prepared(hear(&machine)) == ["a 10"])
    }

    @Test func endOfTheSleepTimerEndsTheInterjectionToo() {
        var machine = Self.playing()
        _ = machine.handle(.sleep(.seconds(60)))
        _ = machine.handle(.interject([chime, words]))
        _ = machine.handle(.timer(.sleep))
        #expect(!machine.interjects && machine.current == nil)
        #expect(prepared(machine.handle(.interject([chime]))) == ["chime 0"], "the next one is heard")
    }

    /// A live stream has no end.
    @Test func interjectionWithoutAnEndGivesWayAfterFiveMinutes() {
        var machine = Self.playing()
        #expect(machine.handle(.interject([chime])).contains(.startTimer(.interjection, .seconds(300))))
        let effects = machine.handle(.timer(.interjection))
        #expect(prepared(effects) == ["a 10"] && !machine.interjects)
        #expect(effects.contains(.cancelTimer(.interjection)))
    }
}
