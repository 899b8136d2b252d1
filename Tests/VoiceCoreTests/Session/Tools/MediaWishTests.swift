import Testing

@testable import TestSupport
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceMedia
@testable import VoiceNetwork
@testable import VoiceReply
@testable import VoiceSession

/// What models name to be played, in the forms that they use.
struct MediaWishTests {
    private func names(_ arguments: String) -> [String]? {
        ToolArguments.decode(MediaWish.self, from: arguments)?.names
    }

    @Test(arguments: [
        #"{"what":"media-1"}"#, #"{"what":["media-1"]}"#, #"{"handle":"media-1"}"#, #"{"handles":["media-1"]}"#,
        #"{"what":null,"handle":"media-1"}"#, #"{"what":"","url":"media-1"}"#, #"{"what":{"handle":"media-1"}}"#,
        #"{"what":[{"handle":"media-1","title":"x"}]}"#, #"{"what":1}"#, #"{"what":"media-1","title":7,"type":[]}"#,
        #"{"what":["media-1",null," "]}"#,
    ])
    func singleItemIsNamed(arguments: String) {
        #expect(names(arguments) == ["media-1"])
    }

    @Test func severalItemsAreNamed() {
        #expect(names(#"{"what":["media-1","media-2"]}"#) == ["media-1", "media-2"])
        #expect(names(#"{"what":"media-1, media-2"}"#) == ["media-1", "media-2"])
        #expect(names(#"{"what":["media-1 and media-2","Radio, one"]}"#) == ["media-1", "media-2", "Radio, one"])
        #expect(names(#"{"handles":[{"handle":"media-1"},"media-2",3]}"#) == ["media-1", "media-2", "media-3"])
    }

    /// 40 is 40 percent; what may be another unit is refused, so that nothing becomes loudest by mistake.
    @Test(
        arguments: [
            (#"{"level":0.4}"#, 0.4), (#"{"level":40}"#, 0.4), (#"{"level":20}"#, 0.2), (#"{"level":"40%"}"#, 0.4),
            (#"{"level":"40 percent"}"#, 0.4), (#"{"level":"0.4"}"#, 0.4), (#"{"level":5,"unit":"percent"}"#, 0.05),
            (#"{"level":0}"#, 0),
            (#"{"level":1}"#, 1), (#"{"level":100}"#, 1), (#"{"level":"1%"}"#, 0.01), (#"{"level":5}"#, nil),
            (#"{"level":101}"#, nil),
            (#"{"level":1.5}"#, nil), (#"{"level":-0.1}"#, nil), (#"{"level":"-6 dB"}"#, nil),
            (#"{"level":20,"unit":"dB"}"#, nil),
            (#"{"level":"max"}"#, nil), (#"{"level":"+10%"}"#, nil), (#"{"level":true}"#, nil),
            (#"{"volume":40}"#, nil), ("{}", nil),
            (#"{"level":1e400}"#, nil), ("", nil),
        ] as [(String, Double?)]
    ) func aLevelIsReadInItsUnitOrRefused(arguments: String, level: Double?) {
        #expect(MediaLevel.decode(arguments) == level)
    }

    @Test(arguments: [#"{"what":null}"#, "{}", #"{"what":[]}"#, #"{"title":"x"}"#, "[]", ""])
    func missingItemTellsTheModelWhatToDo(arguments: String) async throws {
        #expect(names(arguments) == nil)
        for tool in [Tool.playAudio(NoMedia()), Tool.enqueue(NoMedia())] {
            let output = await tool.call(arguments: arguments)
            #expect(!output.succeeded)
            #expect(output.text.contains("media-1") && output.text.contains("ask_jarvis"), "\(output.text)")
        }
    }

    @Test func refusedItemDoesNotBlockTheOthers() async {
        let player = NoMedia(refused: "media-3")
        let output = await Tool.playAudio(player).call(
            arguments: #"{"what":["media-3","media-1","media-3","media-2"]}"#
        )
        #expect(output.succeeded && output.text.contains(#""taken":2"#) && output.text.contains(#""not_taken":2"#))
        #expect(output.text.contains("partly done") && output.text.contains("media-3: "), "\(output.text)")
        #expect(await Tool.playAudio(player).call(arguments: #"{"what":["media-1","media-2"]}"#).succeeded)
        #expect(!(await Tool.enqueue(player).call(arguments: #"{"what":["media-3"]}"#).succeeded))
    }

    /// What was to play on for a while must not stop now.
    @Test func aTimeToStopIsReadOrRefused() async {
        func stop(_ arguments: String) async -> ToolResult {
            await Tool.stopPlayback(NoMedia()).call(arguments: arguments)
        }
        let (now, later) = (await stop("{}"), await stop(#"{"after_min":20}"#))
        #expect(now.succeeded && later.succeeded && now != later)
        #expect(await stop(#"{"after_min":null}"#) == now)
        #expect(await stop(#"{"after_min":0}"#) == now)
        #expect(await stop(#"{"after_min":"20"}"#) == later)
        for value in [#""half an hour""#, #""20 hours""#, "[20]", #"{"min":20}"#, "true"] {
            let output = await stop(#"{"after_min":\#(value)}"#)
            #expect(!output.succeeded && output.text.contains("after_min"), "\(output.text)")
        }
    }

    /// An agent named more items than there are handles, and the model counted on.
    @Test func unknownHandlesDoNotFailTheKnownOnes() async {
        let names = (1...25).map { "\"media-\($0)\"" }.joined(separator: ",")
        let output = await Tool.enqueue(NoMedia(known: 20)).call(arguments: "{\"what\":[\(names)]}")
        #expect(output.succeeded && output.text.contains(#""taken":20"#) && output.text.contains(#""not_taken":5"#))
        #expect(!output.text.contains("failed"), "\(output.text)")
    }
}

/// A player that accepts everything but one name.
private struct NoMedia: MediaControls {
    func seek(_ change: @Sendable (Double) -> Double) async throws(MediaProblem) -> MediaSnapshot { MediaSnapshot() }
    func remove(_ place: Int, named name: String?) async throws(MediaProblem) -> MediaSnapshot { MediaSnapshot() }
    func stationNames() async -> [String] { [] }
    var refused = ""
    var known = 1000

    private func isRefused(_ name: String) -> Bool {
        name == refused || (Int(name.drop { !$0.isNumber }) ?? 0) > known
    }

    func play(
        address: String, title: String, kind: MediaKind?, home: NetworkAddress?
    ) throws(MediaProblem) -> MediaSnapshot {
        if isRefused(address) { throw .unknownHandle(address) }
        return MediaSnapshot()
    }
    func interject(
        addresses: [String], title: String, home: NetworkAddress?
    ) throws(MediaProblem) -> MediaSnapshot { MediaSnapshot() }
    func enqueue(address: String, title: String, home: NetworkAddress?) throws(MediaProblem) -> MediaSnapshot {
        if isRefused(address) { throw .unknownHandle(address) }
        return MediaSnapshot()
    }
    func perform(_ order: MediaOrder) -> MediaSnapshot { MediaSnapshot() }
    func stop(after: Duration) -> MediaSnapshot {
        var snapshot = MediaSnapshot()
        snapshot.status = .playing
        return snapshot
    }
    func playPause() -> Bool { false }
    func snapshot() -> MediaSnapshot { MediaSnapshot() }
    func setVolume(_ level: Double) -> MediaSnapshot { MediaSnapshot() }
    func setDucking(_ level: Double) -> MediaSnapshot { MediaSnapshot() }
}
