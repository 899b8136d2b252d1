import Testing

@testable import VoiceActivation

struct TalkerGateTests {
    private static let block = 640

    /// Passes numbered blocks through a gate; returns the numbers of the blocks that each one admits.
    private func admitted(_ heard: [Bool]) -> [[Int]] {
        var gate = TalkerGate()
        return heard.enumerated().map { number, isTalkerHeard in
            let sound = [Int16](repeating: Int16(number), count: Self.block)
            let searched = sound.withUnsafeBufferPointer { gate.admit($0, isTalkerHeard: isTalkerHeard).sound }
            return stride(from: 0, to: searched.count, by: Self.block).map { Int(searched[$0]) }
        }
    }

    @Test func everyBlockIsSearchedWhileATalkerIsHeard() {
        #expect(admitted([true, true, true]) == [[0], [1], [2]])
    }

    @Test func theSearchEndsTwoSecondsAfterTheTalker() {
        let blocks = admitted([true] + [Bool](repeating: false, count: 80))
        #expect(blocks.prefix(50) == (0..<50).map { [$0] }[...])
        #expect(blocks.dropFirst(50).flatMap { $0 }.isEmpty)
    }

    /// The canceller may notice a talker only at the end of the word.
    @Test func theSearchBeginsWithTheSoundBeforeTheTalkerWasHeard() {
        let blocks = admitted([Bool](repeating: false, count: 100) + [true, true])
        #expect(blocks[100] == Array(70...100))
        #expect(blocks[101] == [101])
    }

    @Test func noSoundIsSearchedTwice() {
        let blocks = admitted([true] + [Bool](repeating: false, count: 70) + [true]).flatMap { $0 }
        #expect(blocks == Array(Set(blocks)).sorted())
    }

    /// A short pause leaves no sound out, so a word that it divides is found.
    @Test(arguments: [(30, false), (31, true)]) func aGapIsSoundThatIsNeverSearched(blocks: Int, isGap: Bool) {
        var gate = TalkerGate()
        let sound = [Int16](repeating: 0, count: Self.block)
        func admit(_ isTalkerHeard: Bool) -> TalkerGate.Admitted {
            sound.withUnsafeBufferPointer { gate.admit($0, isTalkerHeard: isTalkerHeard) }
        }
        _ = admit(true)
        let tail = TalkerGate.after / Self.block - 1
        for _ in 0..<tail + blocks { _ = admit(false) }
        #expect(admit(true).followsGap == isGap)
        #expect(!admit(true).followsGap)
    }
}
