import Testing

@testable import VoiceBase

struct TroubleFilterTests {
    @Test func repeatedTroubleIsWrittenAtPowersOfTen() {
        var filter = TroubleFilter()
        var written: [Int] = []
        for _ in 1...1234 {
            if case .write(let times) = filter.happened(.connectionLost, words: "no route") { written.append(times) }
        }
        #expect(written == [1, 10, 100, 1000])
        #expect(filter.ended([.connectionLost, .serviceRefused]) == 1234)
        #expect(filter.ended([.connectionLost]) == 0)
    }

    @Test func changedWordsAreWritten() {
        var filter = TroubleFilter()
        #expect(filter.happened(.connectionLost, words: "no route") == .write(times: 1))
        #expect(filter.happened(.connectionLost, words: "no route") == .hold)
        #expect(filter.happened(.connectionLost, words: "no address") == .write(times: 1))
        #expect(filter.happened(.connectionLost, words: "no route") == .write(times: 1))
        #expect(filter.ended([.connectionLost]) == 4)
    }

    @Test func troublesOfDifferentSubjectsAreSeparate() {
        var filter = TroubleFilter()
        #expect(filter.happened(.deviceLost, subject: "microphone", words: "gone") == .write(times: 1))
        #expect(filter.happened(.deviceLost, subject: "loudspeaker", words: "gone") == .write(times: 1))
        #expect(filter.ended([.deviceLost], subject: "microphone") == 1)
        #expect(filter.happened(.deviceLost, subject: "loudspeaker", words: "gone") == .hold)
    }

    @Test func filterForgetsTheOldestTrouble() {
        var filter = TroubleFilter()
        for number in 0..<65 { _ = filter.happened(.agentFailed, subject: "\(number)", words: "") }
        #expect(filter.happened(.agentFailed, subject: "64", words: "") == .hold)
        #expect(filter.happened(.agentFailed, subject: "0", words: "") == .write(times: 1))
    }
}
