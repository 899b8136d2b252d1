import Glibc
import Testing
import VoiceSimulator

@testable import VoiceActivation

private let serverAddress = getenv("VOICE_WYOMING").map { String(cString: $0) } ?? ""

/// A real wyoming-openwakeword server, if `scripts/wake-check` has started one.
@Suite(.enabled(if: !serverAddress.isEmpty && access("/usr/bin/espeak-ng", X_OK) == 0))
struct WyomingServerTests {
    /// What the server detects, 40 ms at a time and about twice as fast as spoken.
    private func found(_ text: String) throws -> [String] {
        let words = try WakeWords(wake: "hey_jarvis", stop: "", threshold: 0)
        let detector = try WyomingDetector(address: serverAddress, words: words)
        var decimator = TwoThirdsDecimator()
        var output = [Int16](repeating: 0, count: 640)
        var found: [String] = []
        let input = SphinxSpotterTests.room(text)
        let silence = [Int16](repeating: 0, count: 48_000)
        for start in stride(from: 0, to: input.count + silence.count, by: 960) {
            let block = Array((input + silence)[start..<start + 960])
            output.withUnsafeMutableBufferPointer { room in
                if let to = room.baseAddress { decimator.process(block, count: 960, into: to) }
            }
            found += try output.withUnsafeBufferPointer { try detector.process($0) }.map(\.word)
            usleep(20_000)
        }
        return found
    }

    @Test func serverHearsItsWord() throws {
        let found = try found("Hey Jarvis!")
        #expect(found.contains { $0.hasPrefix("hey_jarvis") })
        // In at least two windows, so that a word counts while the box plays, too.
        #expect(found.count >= 2)
    }

    @Test func serverIgnoresOtherWords() throws {
        #expect(try found("I was in the garden this morning.").isEmpty)
    }
}
