import Glibc
import Synchronization
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase
@testable import VoiceMedia
@testable import VoiceReply

struct SoundInputTests {
    @Test func listHasNamesFIFOsAndRates() throws {
        let inputs = SoundInput.list(
            "Snapcast=/run/snapcast/pipe:48000 AirPlay=/run/airplay nothing =/x Bad=./relative Odd=/x:9"
        )
        #expect(inputs.map(\.name) == ["Snapcast", "AirPlay"])
        #expect(
            inputs.map(\.source)
                == [.fifo("/run/snapcast/pipe", rate: 48_000), .fifo("/run/airplay", rate: 44_100)]
        )
        #expect(inputs.map(\.titlePath) == ["/run/snapcast/pipe.title", "/run/airplay.title"])
        #expect(SoundInput.firstWrong(in: "A=/a  B=b/c") == "B=b/c")
        #expect(SoundInput.firstWrong(in: "A=/a:8000") == nil)
    }

    @Test(arguments: ["hw:Loopback,1", "plughw:CARD=Loopback,DEV=1", "dsnoop_snapcast", "hw:1"])
    func inputMayBeADevice(name: String) {
        #expect(SoundInput("Snapcast=" + name)?.source == .device(name))
        #expect(SoundInput("Snapcast=" + name)?.titlePath == nil)
    }

    @Test(arguments: ["A=", "A=hw:{0}", "A=x;y", "A=../x", "A=" + String(repeating: "x", count: 201)])
    func refusesWhatIsNoDevice(text: String) { #expect(SoundInput(text) == nil) }

    @Test func inputBeginsByItselfAndComesBackAfterOtherMedia() {
        var machine = InputMachine()
        #expect(machine.handle(.sounds("a"), at: .seconds(1)) == "a")
        #expect(machine.handle(.plays(.input("a")), at: .seconds(1)) == nil)
        // The user wants something else.
        #expect(machine.handle(.plays(.other), at: .seconds(9)) == nil)
        #expect(machine.handle(.sounds("a"), at: .seconds(60)) == nil)
        #expect(machine.handle(.plays(.nothing), at: .seconds(61)) == "a")
        #expect(machine.handle(.plays(.input("a")), at: .seconds(61)) == nil)
    }

    @Test func inputThatEndedDoesNotComeBackWithoutSound() {
        var machine = InputMachine()
        _ = machine.handle(.sounds("a"), at: .seconds(1))
        _ = machine.handle(.plays(.other), at: .seconds(2))
        #expect(machine.handle(.plays(.nothing), at: .seconds(10)) == nil)
    }

    @Test func inputThatFellSilentStaysEnded() {
        var machine = InputMachine()
        _ = machine.handle(.sounds("a"), at: .seconds(1))
        _ = machine.handle(.plays(.input("a")), at: .seconds(1))
        #expect(machine.handle(.plays(.nothing), at: .seconds(5)) == nil)
        #expect(machine.handle(.sounds("a"), at: .seconds(6)) == "a")
    }

    @Test func stoppedInputStaysSilentUntilItHasPaused() {
        var machine = InputMachine()
        _ = machine.handle(.sounds("a"), at: .seconds(1))
        _ = machine.handle(.plays(.input("a")), at: .seconds(1))
        _ = machine.handle(.stopped, at: .seconds(5))
        #expect(machine.handle(.plays(.nothing), at: .seconds(5)) == nil)
        for second in 5..<20 { #expect(machine.handle(.sounds("a"), at: .seconds(second)) == nil) }
        #expect(machine.handle(.sounds("a"), at: .seconds(26)) == "a")
    }

    @Test func stoppedInputPlaysWhenItIsAskedFor() {
        var machine = InputMachine()
        _ = machine.handle(.sounds("a"), at: .seconds(1))
        _ = machine.handle(.plays(.input("a")), at: .seconds(1))
        _ = machine.handle(.stopped, at: .seconds(5))
        _ = machine.handle(.plays(.nothing), at: .seconds(5))
        #expect(machine.handle(.asked("a"), at: .seconds(6)) == "a")
    }

    @Test func endOfAnInputIsNoFailureAndNoHistory() {
        var machine = MediaMachine()
        let input = MediaItem(input: SoundInput("Snapcast=/run/pipe")!)
        _ = machine.handle(.play(input, from: 0))
        _ = machine.handle(.began(job: 1, position: 0))
        #expect(machine.handle(.ended(job: 1, frames: 480, failure: "no audio came for 3 seconds")) == [])
        #expect(machine.current == nil)
    }

    @Test func titleIsTheLastLineOfAFile() throws {
        let path = "/tmp/jarvis-title-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(path) }
        func write(_ text: String, _ flags: Int32 = O_CREAT | O_TRUNC) {
            let file = open(path, O_WRONLY | flags, 0o600)
            _ = Array(text.utf8).withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            close(file)
        }
        var title = InputTitle(path)
        #expect(title.read(at: .seconds(0)) == nil, "there is no file")
        write("First\nArtist: \u{1B}[31m Second \u{202E}\n")
        #expect(title.read(at: .milliseconds(100)) == nil, "four looks a second")
        let shown = title.read(at: .seconds(1))
        #expect(shown?.hasPrefix("Artist: ") == true && shown?.contains("Second") == true)
        #expect(shown?.unicodeScalars.contains(where: \.isHidden) == false)
        #expect(title.read(at: .seconds(2)) == nil, "it is the same")
        write("Third " + String(repeating: "long ", count: 2000), O_APPEND)
        let long = title.read(at: .seconds(3)) ?? ""
        #expect(1...120 ~= long.utf8.count)
        unlink(path)
        #expect(title.read(at: .seconds(4)) == "")
        symlink("/etc/hostname", path)
        #expect(title.read(at: .seconds(5)) == nil, "links are not followed")
    }

    @Test func titleIsTheLastWholeLineOfAFIFO() {
        let path = "/tmp/jarvis-title-\(UInt32.random(in: 0 ... .max))"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let writer = open(path, O_RDWR | O_NONBLOCK)
        defer { close(writer) }
        func write(_ text: String) {
            _ = Array(text.utf8).withUnsafeBytes { Glibc.write(writer, $0.baseAddress, $0.count) }
        }
        var title = InputTitle(path)
        defer { title.close() }
        write("One\nTwo\nThr")
        #expect(title.read(at: .seconds(1)) == "Two")
        #expect(title.read(at: .seconds(2)) == nil)
        write("ee\n")
        #expect(title.read(at: .seconds(3)) == "Three")
        for second in 4..<20 {
            write(String(repeating: "x", count: 5000))
            #expect(title.read(at: .seconds(second)) == nil)
        }
        write("\nFour\n")
        let last = (20..<60).compactMap { title.read(at: .seconds($0)) }.last
        #expect(last == "Four")
        write("\n")
        #expect(title.read(at: .seconds(61)) == "", "a blank line removes it")
    }

    @Test func silenceOfADeviceIsNotDigital() {
        let place = InputPlace(SoundInput("A=/a")!)
        #expect(place.sounds([0, 0, 1, 0]) && !place.sounds([0, 0, 0, 0]))
    }

    /// With a real decoder and a program that writes a tone into the FIFO.
    @Test(.enabled(if: TestSound.canPlay, "ffmpeg is not installed"), arguments: [false, true])
    func soundOfAFIFOIsHeardUntilItIsStopped(bySleepTimer: Bool) async throws {
        let path = "/tmp/jarvis-input-\(UInt32.random(in: 0 ... .max))"
        #expect(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let stage = try await MediaStage(isFast: false) { settings in
            settings.policy.inputs = SoundInput.list("Snapcast=\(path):48000")
        }
        let ends = Promise<Void>()
        let descriptor = open(path, O_RDWR | O_NONBLOCK)
        // On a thread of its own: the other tests may hold all of the pool for longer than an input may be silent.
        let written = Promise<Void>()
        let hasStarted = OwnThread.start("writer") {
            // 20 ms of a tone at a time.
            var samples = [Int16]()
            for frame in 0..<960 {
                samples += [Int16(frame % 48 < 24 ? 8000 : -8000), Int16(frame % 48 < 24 ? 8000 : -8000)]
            }
            while ends.value == nil {
                _ = samples.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                usleep(20_000)
            }
            written.give(())
        }
        try #require(hasStarted)
        try await stage.wait("the input plays") {
            let snapshot = await stage.player.snapshot()
            return snapshot.status == .playing && snapshot.title == "Snapcast"
        }
        try await stage.wait("it is heard") { stage.sound.count > 4800 }
        let named = open(path + ".title", O_CREAT | O_WRONLY, 0o600)
        defer { unlink(path + ".title") }
        _ = write(named, "Composer - Piece\n", 17)
        close(named)
        try await stage.wait("its title is known") { await stage.player.snapshot().nowPlaying == "Composer - Piece" }
        let isInput = stage.ports.media.isInput.load(ordering: .relaxed)
        #expect(isInput)
        #expect(await stage.player.setVolume(0.4).volume == 0.4)
        #expect(stage.ports.volumes.gain(of: .inputs) == Volumes.gain(percent: 40))
        #expect(stage.ports.volumes.gain(of: .media) != Volumes.gain(percent: 40))
        if bySleepTimer {
            _ = await stage.player.stop(after: .milliseconds(1))
            try await stage.wait("the sleep timer fires") { stage.news.contains(.slept) }
        } else {
            _ = await stage.player.perform(.stop)
        }
        // It still sounds.
        try await Task.sleep(for: .milliseconds(1500))
        #expect(await stage.player.snapshot().status == .stopped)
        _ = try await stage.player.play(address: "snapcast", title: "", kind: nil)
        try await stage.wait("the input plays when asked for") { await stage.player.snapshot().status == .playing }
        ends.give(())
        await written.wait()
        try await stage.wait("the input ends in silence") { await stage.player.snapshot().status == .stopped }
        #expect(stage.news == (bySleepTimer ? [.slept] : []))
        close(descriptor)
        await stage.stop()
    }
}
