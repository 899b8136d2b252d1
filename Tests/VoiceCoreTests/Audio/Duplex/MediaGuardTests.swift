import Testing

@testable import VoiceAudio

struct MediaGuardTests {
    /// Beats of 200 ms every 600 ms, 40 dB louder than the level between them.
    private static func beats(_ period: Int) -> Float { period % 60 < 20 ? -26 : -66 }

    private func taking(_ periods: Int, into start: MediaGuard = MediaGuard(), _ level: (Int) -> Float) -> MediaGuard {
        var media = start
        var reading = EchoReading()
        for period in 0..<periods {
            reading.output = level(period)
            media.receive(reading)
        }
        return media
    }

    @Test func firstSecondHasNoFloor() {
        #expect(taking(99) { _ in -40 }.floor == nil)
        #expect(taking(100) { _ in -40 }.floor != nil)
    }

    @Test func onlyATalkerWellAboveTheMusicIsHeard() throws {
        let floor = try #require(taking(800) { $0.isMultiple(of: 2) ? -42 : -38 }.floor)
        #expect(floor > -33 && floor < -25)
    }

    /// The talker has -28 dBFS; the mean power of these beats is -31.
    @Test func talkerIsHeardBetweenEquallyLoudBeats() throws {
        let floor = try #require(taking(800, Self.beats).floor)
        #expect(floor < -45)
    }

    @Test func refusedTalkerLowersTheFloor() throws {
        let music = taking(800, Self.beats)
        // Two seconds of syllables: loud for 60 % of the time.
        let afterwards = taking(200, into: music) { $0 % 20 < 12 ? -28 : -60 }
        let floor = try #require(afterwards.floor)
        #expect(floor < -40)
    }

    @Test func louderSongPassesForATalkerOnlySeconds() throws {
        let quiet = taking(800) { _ in -50 }
        let louder = taking(150, into: quiet) { _ in -30 }
        let floor = try #require(louder.floor)
        #expect(floor > -30)
    }
}
