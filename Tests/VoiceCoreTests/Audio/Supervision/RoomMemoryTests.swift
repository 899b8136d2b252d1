import FoundationEssentials
import Glibc
import Logging
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase

/// What a start gets of the earlier room, and when the current one is kept; the test plays the audio thread.
struct RoomMemoryTests {
    private let folder = "/tmp/rooms-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    private let ports = AudioPorts()
    private let log = LineLog()

    private func memory() async -> RoomMemory {
        let memory = RoomMemory(directory: folder, on: ports, logger: log.logger)
        await memory.start()
        return memory
    }

    private func open(_ microphone: String = "hw:CARD=A", _ loudspeaker: String = "hw:CARD=B") {
        (ports.capture.device, ports.playback.device) = (microphone, loudspeaker)
        ports.gauges.snapshot.echo.beginnings += 1
    }

    /// Simulates that the canceller has heard so many half seconds of the box with this echo reduction.
    private func hear(blocks: UInt64, erle: Float = 25) {
        ports.gauges.snapshot.echo.state = .good
        ports.gauges.snapshot.echo.isAligned = true
        ports.gauges.snapshot.echo.figures.linearERLE = erle
        ports.gauges.snapshot.echo.blocks += blocks
    }

    private func saved() -> SavedRooms? {
        try? StateStore.read(folder + "/rooms.toml", limit: SavedRooms.limit) { try SavedRooms(parsing: $0) }
    }

    private func taken() -> (path: [Float], bias: Double)? {
        var path = [Float](repeating: 0, count: RememberedRoom.pathFrames)
        return ports.echoPath.takeBefore(into: &path).map { (path, $0) }
    }

    private var isAsked: Bool { ports.echoPath.isAsked }

    private func answer(_ room: RememberedRoom) { ports.echoPath.handOver(room.path, bias: room.bias) }

    @Test func savedRoomIsOfferedAtTheNextStart() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let room = RememberedRoom(decaying: 0.2)
        let first = await memory()
        open()
        await first.step(at: .seconds(1))
        #expect(taken() == nil, "nothing is known yet")
        hear(blocks: 20)
        await first.step(at: .seconds(2))
        #expect(isAsked)
        answer(room)
        await first.step(at: .seconds(3))

        let second = await memory()
        open()
        await second.step(at: .seconds(4))
        let offered = try #require(taken())
        #expect((offered.bias - room.bias).magnitude < 0.05)
        #expect(decibels(rms(zip(offered.path, room.path).map { $0 - $1 }) / rms(room.path)) < -70)
        #expect(log.lines.isEmpty)
        ports.gauges.snapshot.echo.isRecalled = true
        await second.step(at: .seconds(8))
        await second.step(at: .seconds(9))
        #expect(log.lines.count { $0.contains("the remembered room was recognised") } == 1)
    }

    @Test func otherDevicesGetNoSavedRoom() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try StateFile.write(Array(SavedRooms(of: RememberedRoom(decaying: 0.2)).text.utf8), to: folder + "/rooms.toml")
        let memory = await memory()
        open("hw:CARD=C")
        await memory.step(at: .seconds(1))
        #expect(taken() == nil)
        open()
        await memory.step(at: .seconds(2))
        #expect(taken() != nil)
        await memory.step(at: .seconds(3))
        #expect(taken() == nil, "once for each beginning")
    }

    /// A path that was learned badly, briefly or while the box speaks is not kept, and once in ten minutes is enough.
    @Test func roomIsSavedInAQuietMomentAfterEnoughSound() async {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let memory = await memory()
        open()
        await memory.step(at: .seconds(1))
        hear(blocks: 19)
        await memory.step(at: .seconds(2))
        #expect(!isAsked)
        hear(blocks: 1, erle: 14)
        await memory.step(at: .seconds(3))
        #expect(!isAsked)
        hear(blocks: 1)
        ports.gauges.snapshot.echo.isPlaying = true
        await memory.step(at: .seconds(4))
        #expect(!isAsked)
        ports.gauges.snapshot.echo.isPlaying = false
        await memory.step(at: .seconds(5))
        #expect(isAsked)
        answer(RememberedRoom(decaying: 0.2))
        hear(blocks: 40)
        await memory.step(at: .seconds(6))
        await memory.step(at: .seconds(604))
        #expect(!isAsked)
        await memory.step(at: .seconds(606))
        #expect(isAsked)
    }

    @Test func lateResultOfEarlierDevicesIsDropped() async {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let memory = await memory()
        open()
        await memory.step(at: .seconds(1))
        hear(blocks: 20)
        await memory.step(at: .seconds(2))
        answer(RememberedRoom(decaying: 0.2))
        open("hw:CARD=C")
        await memory.step(at: .seconds(3))
        await memory.step(at: .seconds(4))
        // Compared here, because a failed comparison would print a page for the path.
        let isKept = saved()?.room(microphone: "hw:CARD=C", loudspeaker: "hw:CARD=B", volume: 100) != nil
        #expect(!isKept)
    }

    /// At the end the box may be in the middle of a word.
    @Test func endOfTheProgramSavesTheRoom() async {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let memory = await memory()
        open()
        await memory.step(at: .seconds(1))
        hear(blocks: 20)
        ports.gauges.snapshot.echo.isPlaying = true
        // The answer of a very quick audio thread.
        answer(RememberedRoom(decaying: 0.2))
        await memory.stop()
        #expect(saved()?.rooms.count == 1)
    }
}
