import Logging
import Testing

@testable import TestSupport
@testable import VoiceActivation
@testable import VoiceBase

struct WakeWordChoiceTests {
    private static let path = "/state/words.toml"
    private static let log = LineLog()

    private static func words() throws -> WakeWords {
        try WakeWords(wake: "hey jarvis, okay nabu:high", stop: "stop", threshold: 0.5)
    }

    private static func choice(
        _ file: String? = nil,
        write: @escaping @Sendable ([UInt8], String) throws(StateFile.Fault) -> Void = { _, _ throws(StateFile.Fault) in
        }
    ) throws -> WakeWordChoice {
        let files = FileReader.stub(file.map { [path: Array($0.utf8)] } ?? [:])
        return WakeWordChoice(try words(), directory: "/state", logger: log.logger, files: files, write: write)
    }

    @Test func everyWakeWordCallsUntilItIsSwitchedOff() throws {
        let choice = try Self.choice()
        #expect(choice.all == ["hey jarvis", "okay nabu"] && choice.off.isEmpty)
        choice.set(off: ["okay nabu", "unknown"])
        #expect(choice.off == ["okay nabu"])
        #expect(!choice.calls("Okay_Nabu") && choice.calls("hey jarvis"))
    }

    @Test func choiceIsReadAgainAfterARestart() async throws {
        let written = Collected<[UInt8]>()
        let choice = try Self.choice { bytes, _ throws(StateFile.Fault) in written.add([bytes]) }
        choice.set(off: ["hey jarvis"])
        #expect(await choice.isSaved(within: .seconds(5)))
        let text = String(decoding: try #require(written.all.last), as: UTF8.self)
        #expect(try Self.choice(text).off == ["hey jarvis"])
    }

    @Test func wordThatIsNoLongerConfiguredIsForgotten() throws {
        #expect(try Self.choice("schema = 1\noff = [\"alexa\", \"okay nabu\"]\n").off == ["okay nabu"])
    }

    @Test func damagedFileLetsEveryWordCall() throws {
        #expect(try Self.choice("off = 7\n").off.isEmpty)
    }
}
