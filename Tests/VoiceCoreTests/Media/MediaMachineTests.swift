import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceMedia
@testable import VoiceReply

struct MediaMachineTests {
    private static let input = MediaItem(input: SoundInput("AirPlay=/run/airplay")!)

    private static func track(_ name: String, _ kind: MediaKind = .track) -> MediaItem {
        MediaItem(address: "https://example.org/\(name)", title: name, kind: kind)
    }

    private static let second: UInt64 = 48_000

    /// A machine that has begun the job of an item.
    private static func playing(_ kind: MediaKind = .track, options: MediaMachine.Options = .init()) -> MediaMachine {
        var machine = MediaMachine(options: options)
        #expect(
            machine.handle(.play(track("a", kind), from: 0)) == [.cut, .prepare(job: 1, track("a", kind), from: 0)]
        )
        _ = machine.handle(.began(job: 1, position: 1000))
        return machine
    }

    @Test func seekingDecodesTheItemFromThere() {
        var machine = Self.playing()
        _ = machine.handle(.played(1000 + 10 * Self.second))
        #expect(machine.handle(.seek(90)) == [.cut, .prepare(job: 2, Self.track("a"), from: 90)])
        #expect(machine.second == 90)
        _ = machine.handle(.began(job: 2, position: 600_000))
        _ = machine.handle(.played(600_000 + 5 * Self.second))
        #expect(machine.second == 95)
        var radio = Self.playing(.radio)
        #expect(radio.handle(.seek(90)).isEmpty, "nothing of a live stream lies ahead")
    }

    @Test func removesAnyWaitingItemEvenIfDecoded() {
        var machine = Self.playing()
        _ = machine.handle(.enqueue([Self.track("b"), Self.track("c"), Self.track("d")]))
        _ = machine.handle(.remove(1))
        #expect(machine.waiting.map(\.title) == ["b", "d"])
        _ = machine.handle(.remove(7))
        _ = machine.handle(.ended(job: 1, frames: 10 * Int(Self.second), failure: nil))
        #expect(machine.waiting.map(\.title) == ["b", "d"] && machine.queue.count == 1, "b is decoded ahead")
        #expect(machine.handle(.remove(0)).contains(.cut))
        #expect(machine.waiting.map(\.title) == ["d"] && machine.current?.item.title == "a")
        _ = machine.handle(.order(.clear))
        #expect(machine.waiting.isEmpty && machine.current?.item.title == "a")
    }

    @Test(arguments: [
        ("/music/Bach%20Suite.flac", "", "Bach Suite"), ("https://example.org/a/Late%20News.mp3?x=1", "", "Late News"),
        ("https://example.org/", "", "example.org"), ("/music/x.mp3", "Air", "Air"), ("/music/.mp3", "", ""),
    ])
    func anItemWithoutATitleHasTheNameOfItsFile(address: String, title: String, name: String) {
        #expect(MediaItem(address: address, title: title, kind: .track).name == name)
    }

    @Test func previousIsTheBeginningOrTheItemBefore() {
        var machine = Self.playing()
        _ = machine.handle(.enqueue([Self.track("b"), Self.track("c")]))
        #expect(machine.handle(.played(1000 + 10 * Self.second)).isEmpty)
        // Ten seconds into "a": back to its beginning.
        #expect(
            machine.handle(.order(.previous)) == [
                .remember(Self.track("a"), second: 10, isDone: false), .cut,
                .prepare(job: 2, Self.track("a"), from: 0),
            ]
        )
        #expect(machine.queue.map(\.title) == ["b", "c"])
        #expect(machine.handle(.order(.previous)).isEmpty, "nothing was played before it")
        _ = machine.handle(.order(.skip))
        #expect(machine.current?.item.title == "b")
        // "b" has not played for three seconds: back to the previous item, and "b" follows it.
        _ = machine.handle(.order(.previous))
        #expect(machine.current?.item.title == "a")
        #expect(machine.queue.map(\.title) == ["b", "c"])
        _ = machine.handle(.order(.skip))
        _ = machine.handle(.order(.skip))
        #expect(machine.current?.item.title == "c")
        _ = machine.handle(.order(.previous))
        _ = machine.handle(.order(.previous))
        #expect(machine.current?.item.title == "a")
        #expect(machine.queue.map(\.title) == ["b", "c"])
    }

    @Test func previousDuringAnInputIsTheItemBeforeIt() {
        var machine = Self.playing()
        _ = machine.handle(.play(Self.input, from: 0))
        _ = machine.handle(.order(.previous))
        #expect(machine.current?.item.title == "a" && machine.queue.isEmpty)
        _ = machine.handle(.play(Self.track("b"), from: 0))
        _ = machine.handle(.play(Self.input, from: 0))
        _ = machine.handle(.order(.previous))
        #expect(machine.current?.item.title == "b" && machine.queue.isEmpty)
        _ = machine.handle(.order(.previous))
        #expect(machine.current?.item.title == "a", "the history is whole")
        #expect(machine.queue.map(\.title) == ["b"])
    }

    @Test func previousRestartsAPodcastFromTheBeginning() {
        var machine = Self.playing(.podcast)
        var library = MediaLibrary()
        for effect in machine.handle(.played(1000 + 60 * Self.second)) + machine.handle(.order(.previous)) {
            guard case .remember(let item, let second, let isDone) = effect else { continue }
            library.note(item, second: second, isDone: isDone, at: 0)
        }
        #expect(machine.current?.item.title == "a")
        #expect(library.place(of: Self.track("a", .podcast)) == 0)
    }

    /// A paused one must not write to a memory card for days.
    @Test func podcastPositionIsSavedEveryFiveMinutes() {
        var machine = Self.playing(.podcast)
        func place(_ second: Double) -> [MediaEffect] {
            [.remember(Self.track("a", .podcast), second: second, isDone: false)]
        }
        #expect(machine.handle(.played(1000 + 299 * Self.second)).isEmpty)
        #expect(machine.handle(.played(1000 + 300 * Self.second)) == place(300))
        #expect(machine.handle(.played(1000 + 599 * Self.second)).isEmpty)
        #expect(machine.handle(.order(.pause)).contains(place(599)[0]))
        #expect(machine.handle(.played(1000 + 599 * Self.second)).isEmpty)
        _ = machine.handle(.order(.resume))
        #expect(machine.handle(.played(1000 + 898 * Self.second)).isEmpty)
        #expect(machine.handle(.played(1000 + 899 * Self.second)) == place(899))
        var music = Self.playing()
        #expect(music.handle(.played(1000 + 900 * Self.second)).isEmpty)
    }

    /// A stream that answers and cannot be decoded: the list of the station has others.
    @Test(arguments: [MediaKind.radio, .track]) func theNextAddressOfAListIsTried(kind: MediaKind) {
        var machine = MediaMachine()
        _ = machine.handle(.play(Self.track("a", kind), from: 0))
        var item = Self.track("a", kind)
        item.hasOthers = true
        _ = machine.handle(.resolved(job: 1, item: item, from: 0, more: []))
        (item.hasOthers, item.tried) = (false, 1)
        #expect(machine.handle(.ended(job: 1, frames: 0, failure: "no sound")) == [.prepare(job: 2, item, from: 0)])
        // It is the last one.
        _ = machine.handle(.resolved(job: 2, item: item, from: 0, more: []))
        #expect(
            machine.handle(.ended(job: 2, frames: 0, failure: "no sound")).last
                == .report(.failed(title: "a", reason: "no sound"))
        )
    }

    @Test func nextItemIsDecodedAhead() {
        var machine = Self.playing()
        #expect(machine.handle(.enqueue([Self.track("b")])) == [])
        #expect(
            machine.handle(.ended(job: 1, frames: 480_000, failure: nil))
                == [.prepare(job: 2, Self.track("b"), from: 0)]
        )
        _ = machine.handle(.began(job: 2, position: 481_000))
        #expect(machine.handle(.played(480_999)) == [])
        #expect(machine.second == Double(479_999) / 48_000)
        #expect(
            machine.handle(.played(481_100)) == [
                .remember(Self.track("a"), second: 10, isDone: true), .report(.itemEnded("a", next: "b")),
            ]
        )
        #expect(machine.current?.item.title == "b")
        _ = machine.handle(.ended(job: 2, frames: 4800, failure: nil))
        #expect(
            machine.handle(.played(485_800)) == [
                .remember(Self.track("b"), second: 0.1, isDone: true), .report(.queueEnded(last: "b")),
            ]
        )
    }

    @Test func brokenItemResumesAtTheBreak() {
        var machine = Self.playing()
        let effects = machine.handle(.ended(job: 1, frames: 480_000, failure: "reset"))
        #expect(effects == [.prepare(job: 2, Self.track("a"), from: 10)])
        _ = machine.handle(.began(job: 2, position: 481_000))
        _ = machine.handle(.played(481_000 + 48_000))
        #expect(machine.second == 11)
        #expect(machine.handle(.ended(job: 2, frames: 96_000, failure: nil)) == [])
        #expect(
            machine.handle(.played(577_000)).first == .remember(Self.track("a"), second: 12, isDone: true)
        )
    }

    @Test func earlyEndCountsAsABreak() {
        var machine = Self.playing()
        _ = machine.handle(.duration(job: 1, 60))
        #expect(
            machine.handle(.ended(job: 1, frames: 480_000, failure: nil))
                == [.prepare(job: 2, Self.track("a"), from: 10)]
        )
    }

    @Test(arguments: [nil, "reset"])
    func itemBrokenWhileWaitingResumesAtTheBreak(failure: String?) {
        var machine = Self.playing()
        _ = machine.handle(.enqueue([Self.track("b")]))
        _ = machine.handle(.ended(job: 1, frames: 480_000, failure: nil))
        _ = machine.handle(.began(job: 2, position: 481_000))
        // Five of sixty seconds were decoded.
        _ = machine.handle(.duration(job: 2, 60))
        #expect(machine.handle(.ended(job: 2, frames: 240_000, failure: failure)) == [])
        #expect(
            machine.handle(.played(481_000)) == [
                .remember(Self.track("a"), second: 10, isDone: true), .report(.itemEnded("a", next: "b")),
                .prepare(job: 3, Self.track("b"), from: 5),
            ]
        )
        // The rest cannot be had: it is neither played to its end nor a loss without a word.
        #expect(machine.handle(.played(721_000)) == [])
        #expect(
            machine.handle(.ended(job: 3, frames: 0, failure: "no route")) == [
                .remember(Self.track("b"), second: 5, isDone: false),
                .report(.failed(title: "b", reason: "no route")),
            ]
        )
    }

    @Test func skipToABrokenItemResumesIt() {
        var machine = Self.playing()
        _ = machine.handle(.enqueue([Self.track("b")]))
        _ = machine.handle(.ended(job: 1, frames: 480_000, failure: nil))
        _ = machine.handle(.began(job: 2, position: 481_000))
        _ = machine.handle(.ended(job: 2, frames: 240_000, failure: "reset"))
        #expect(
            machine.handle(.order(.skip)) == [
                .remember(Self.track("a"), second: 0, isDone: false), .skip(to: 481_000),
                .prepare(job: 3, Self.track("b"), from: 5),
            ]
        )
    }

    @Test func itemThatFailsAtTheStartIsReportedAndSkipped() {
        var machine = MediaMachine()
        _ = machine.handle(.play(Self.track("a"), from: 0))
        _ = machine.handle(.enqueue([Self.track("b")]))
        #expect(
            machine.handle(.ended(job: 1, frames: 0, failure: "the server answered 404")) == [
                .remember(Self.track("a"), second: 0, isDone: false),
                .report(.failed(title: "a", reason: "the server answered 404")),
                .prepare(job: 2, Self.track("b"), from: 0),
            ]
        )
    }

    @Test func aStationIsConnectedAgainWithGrowingPauses() {
        var machine = Self.playing(.radio)
        var pauses: [Duration] = []
        var reported: [MediaEffect] = []
        for _ in 0..<20 {
            let effects = machine.handle(.ended(job: machine.jobs, frames: 0, failure: "reset"))
            guard case .startTimer(.reconnect, let pause)? = effects.first else {
                reported = effects
                break
            }
            pauses.append(pause)
            _ = machine.handle(.timer(.reconnect))
        }
        #expect(pauses.map(\.milliseconds) == [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
        #expect(reported.contains(.report(.failed(title: "a", reason: "reset"))))
        #expect(machine.current == nil)
    }

    @Test func stationIsReconnectedIfItsResumeFails() {
        var machine = Self.playing(.radio)
        _ = machine.handle(.order(.pause))
        _ = machine.handle(.order(.resume))
        #expect(
            machine.handle(.ended(job: 2, frames: 0, failure: "no route")) == [.startTimer(.reconnect, .seconds(1))]
        )
        #expect(machine.handle(.timer(.reconnect)) == [.prepare(job: 3, Self.track("a", .radio), from: 0)])
    }

    @Test func stationBrokenWhilePausedReconnectsOnResume() {
        var machine = Self.playing(.radio)
        _ = machine.handle(.order(.pause))
        _ = machine.handle(.ended(job: 1, frames: 10, failure: "reset"))
        #expect(
            machine.handle(.order(.resume)) == [
                .pause(false), .cancelTimer(.reconnect), .prepare(job: 2, Self.track("a", .radio), from: 0),
            ]
        )
        #expect(machine.handle(.timer(.reconnect)) == [])
    }

    @Test func endOfAStationCountsAsABreak() {
        var machine = Self.playing(.radio)
        #expect(
            machine.handle(.ended(job: 1, frames: 48_000, failure: nil)) == [.startTimer(.reconnect, .seconds(1))]
        )
    }

    @Test func skipPlaysTheDecodedItem() {
        var machine = Self.playing()
        _ = machine.handle(.enqueue([Self.track("b"), Self.track("c")]))
        _ = machine.handle(.ended(job: 1, frames: 480_000, failure: nil))
        _ = machine.handle(.began(job: 2, position: 481_000))
        let effects = machine.handle(.order(.skip))
        #expect(
            effects == [.remember(Self.track("a"), second: 0, isDone: false), .skip(to: 481_000)]
        )
        #expect(machine.handle(.order(.skip)).contains(.prepare(job: 3, Self.track("c"), from: 0)))
        #expect(machine.handle(.order(.skip)).contains(.cut))
        #expect(machine.current == nil)
    }

    @Test func resumeAfterStopPlaysTheQueue() {
        var machine = Self.playing()
        _ = machine.handle(.enqueue([Self.track("b")]))
        _ = machine.handle(.ended(job: 1, frames: 480_000, failure: nil))
        #expect(machine.handle(.order(.stop)).contains(.cut))
        #expect(machine.current == nil)
        #expect(machine.queue.map(\.title) == ["b"])
        #expect(!machine.knows(2))
        #expect(machine.handle(.order(.resume)) == [.prepare(job: 3, Self.track("b"), from: 0)])
    }

    @Test func pauseHoldsARecordingAndDisconnectsAStation() {
        var machine = Self.playing()
        #expect(machine.handle(.order(.pause)) == [.pause(true)])
        #expect(machine.handle(.order(.pause)) == [])
        #expect(machine.handle(.order(.resume)) == [.pause(false)])
        machine = Self.playing(.radio)
        #expect(machine.handle(.order(.pause)) == [.pause(true), .cut])
        #expect(machine.handle(.ended(job: 1, frames: 10, failure: "killed")) == [.startTimer(.reconnect, .seconds(1))])
        #expect(machine.handle(.timer(.reconnect)) == [])
        #expect(machine.handle(.order(.resume)) == [.pause(false), .prepare(job: 2, Self.track("a", .radio), from: 0)])
    }

    @Test func sleepStopsAndStopEndsTheSleep() {
        var machine = Self.playing()
        #expect(machine.handle(.sleep(.seconds(60))) == [.startTimer(.sleep, .seconds(60))])
        #expect(machine.handle(.timer(.sleep)).contains(.cut))
        #expect(machine.current == nil)
        machine = Self.playing()
        _ = machine.handle(.sleep(.seconds(60)))
        #expect(machine.handle(.order(.stop)).contains(.cancelTimer(.sleep)))
        #expect(machine.handle(.timer(.sleep)) == [])
    }

    @Test func interludeIsReportedBetweenItems() {
        var options = MediaMachine.Options()
        options.interludeEvery = 2
        var machine = MediaMachine(options: options)
        _ = machine.handle(.enqueue((1...5).map { Self.track("\($0)") }))
        var reported: [MediaEffect] = []
        var position: UInt64 = 0
        for job in 1...5 {
            _ = machine.handle(.began(job: job, position: position))
            _ = machine.handle(.ended(job: job, frames: 480, failure: nil))
            position += 480
            reported += machine.handle(.played(position)).filter { if case .report = $0 { true } else { false } }
        }
        #expect(
            reported == [
                .report(.itemEnded("1", next: "2")), .report(.interlude(ended: "2", next: "3")),
                .report(.itemEnded("3", next: "4")), .report(.interlude(ended: "4", next: "5")),
                .report(.queueEnded(last: "5")),
            ]
        )
    }

    @Test func queueIsBounded() {
        var machine = MediaMachine()
        _ = machine.handle(.enqueue((0..<500).map { Self.track("\($0)") }))
        #expect(machine.queue.count == machine.options.longestQueue - 1)
    }

    /// Any events in any order: no more than one decoder is requested, and no item is lost or heard twice.
    @Test(arguments: 1...20)
    func anyOrderOfEventsLeavesThePlayerUsable(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var machine = MediaMachine()
        var position: UInt64 = 0
        for step in 0..<400 {
            let job = Int.random(in: max(0, machine.jobs - 2)...machine.jobs + 1, using: &random)
            let event: MediaEvent =
                switch Int.random(in: 0..<14, using: &random) {
                case 0: .play(Self.track("\(step)", .radio), from: 0)
                case 1: .play(Self.track("\(step)"), from: 0)
                case 2: .enqueue([Self.track("\(step)")])
                case 3: .order(.pause)
                case 4: .order(.resume)
                case 5: .order(.skip)
                case 6: .order(.stop)
                case 7: .began(job: job, position: position)
                case 8: .ended(job: job, frames: Int.random(in: 0...9000, using: &random), failure: nil)
                case 9: .ended(job: job, frames: 0, failure: "x")
                case 10: .timer(.reconnect)
                case 11: .order(.previous)
                case 12: .play(Self.input, from: 0)
                default: .played(position)
                }
            position += UInt64.random(in: 0...5000, using: &random)
            let before = machine.jobs
            let prepared = machine.handle(event).compactMap { effect -> Int? in
                if case .prepare(let job, _, _) = effect { job } else { nil }
            }
            #expect(prepared.count <= 1 || machine.current == nil || prepared.last == machine.jobs)
            #expect(prepared.allSatisfy { $0 > before })
            #expect(machine.next == nil || machine.current?.end != nil)
        }
        _ = machine.handle(.order(.stop))
        _ = machine.handle(.order(.clear))
        #expect(machine.current == nil && machine.queue.isEmpty)
        #expect(machine.handle(.play(Self.track("last"), from: 0)).contains(.cut))
    }
}
