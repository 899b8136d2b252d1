import Glibc
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase

struct SavedRoomsTests {
    @Test func savedRoomRoundTrips() throws {
        let room = RememberedRoom(decaying: 0.31, microphone: "hw:CARD=\"a\\b\"", volume: 70)
        let text = SavedRooms(of: room).text
        #expect(text.utf8.count < 45_000)
        let read = try #require(try SavedRooms(parsing: Array(text.utf8)).rooms.first)
        #expect((read.microphone, read.loudspeaker, read.volume) == (room.microphone, room.loudspeaker, 70))
        #expect((read.bias - room.bias).magnitude < 0.05)
        let wrong = zip(read.path, room.path).map { $0 - $1 }
        #expect(decibels(rms(wrong) / rms(room.path)) < -70)
    }

    @Test func theNewestOfEachVolumeIsKept() {
        var saved = SavedRooms()
        for volume in [10, 20, 30, 40, 50] { saved.keep(RememberedRoom(decaying: 0.1, volume: volume)) }
        saved.keep(RememberedRoom(decaying: 0.2, volume: 30))
        #expect(saved.rooms.map(\.volume) == [30, 50, 40, 20])
        #expect(saved.rooms[0].path.first?.magnitude == 0.2)
    }

    @Test func theNearestVolumeOfTheseDevicesIsTried() {
        let saved = SavedRooms(
            of: RememberedRoom(decaying: 0.1, volume: 20), RememberedRoom(decaying: 0.2, volume: 60),
            RememberedRoom(decaying: 0.3, microphone: "other", volume: 50)
        )
        #expect(saved.room(microphone: "hw:CARD=A", loudspeaker: "hw:CARD=B", volume: 50)?.volume == 60)
        let isKnown = saved.room(microphone: "hw:CARD=A", loudspeaker: "elsewhere", volume: 50) != nil
        #expect(!isKnown)
    }

    @Test func invalidPathIsNotKept() {
        var saved = SavedRooms()
        var room = RememberedRoom(decaying: 0.1)
        room.path[7] = .nan
        saved.keep(room)
        room.path = [1]
        saved.keep(room)
        #expect(saved.rooms.isEmpty)
    }

    @Test(arguments: [
        ("bias_ms = -1.922", "bias_ms = 1e9"), ("peak = 0.1", "peak = -0.1"), ("peak = 0.1", "peak = nan"),
        ("volume = 100", "volume = 101"), ("path = \"", "path = \"!"), ("path = \"", "path = \"AAAA"),
        ("microphone", "microphones"),
    ])
    func implausibleRoomIsRefused(right: String, wrong: String) {
        let text = SavedRooms(of: RememberedRoom(decaying: 0.1)).text
        #expect(text.contains(right))
        #expect(throws: Unreadable.self) {
            try SavedRooms(parsing: Array(text.replacing(right, with: wrong, maxReplacements: 1).utf8))
        }
    }
}
