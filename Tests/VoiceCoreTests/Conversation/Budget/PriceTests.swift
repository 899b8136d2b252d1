import Testing

@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

/// From a service's usage report to the cost.
struct PriceTests {
    private let decoder = ServerEventDecoder()

    private func outcome(_ usage: String, status: String = "completed") throws -> ResponseOutcome? {
        let text = #"{"type":"response.done","response":{"id":"r","status":"\#(status)","usage":\#(usage)}}"#
        guard case .responseDone(let outcome) = try decoder.decode(text) else { return nil }
        return outcome
    }

    @Test(arguments: ["completed", "cancelled", "failed", "incomplete"])
    func everyResponseIsCharged(status: String) throws {
        let usage = try outcome(
            """
            {"total_tokens":3500,"input_tokens":3000,"output_tokens":500,"input_token_details":{"text_tokens":2000,
            "audio_tokens":1000,"cached_tokens":1600,"cached_tokens_details":{"text_tokens":1000,"audio_tokens":600}},
            "output_token_details":{"text_tokens":100,"audio_tokens":400}}
            """,
            status: status
        )?.usage
        let expected = Usage(
            textIn: 2000, audioIn: 1000, cachedTextIn: 1000, cachedAudioIn: 600, textOut: 100, audioOut: 400
        )
        #expect(usage == expected)
        // 400 at $32, 600 at $0.40, 1000 at $4, 1000 at $0.40, 400 at $64, 100 at $24, per million each.
        let prices = try #require(PriceTable.published(model: "gpt-realtime-2.1"))
        #expect(prices.cost(of: expected) == 12_800 + 240 + 4_000 + 400 + 25_600 + 2_400)
    }

    @Test func totalsWithoutKindsCountAtTheHighestPrice() throws {
        let usage = try outcome(#"{"total_tokens":30,"input_tokens":20,"output_tokens":10}"#)?.usage
        #expect(usage == Usage(audioIn: 20, audioOut: 10))
    }

    @Test func cachedTokensWithoutAKindAreSplit() throws {
        let usage = try outcome(
            #"{"input_token_details":{"text_tokens":300,"audio_tokens":100,"cached_tokens":200}}"#
        )?.usage
        #expect(usage == Usage(textIn: 300, audioIn: 100, cachedTextIn: 150, cachedAudioIn: 50))
    }

    @Test(arguments: ["null", "7", "[]", #""much""#])
    func malformedUsageIsIgnored(text: String) throws {
        #expect(try outcome(text)?.usage == nil)
    }

    @Test func absurdNumbersAreClamped() throws {
        let most = Int.max
        let usage = try #require(
            try outcome(
                #"{"input_token_details":{"text_tokens":-5,"audio_tokens":\#(most),"cached_tokens":\#(most)}}"#
            )?.usage
        )
        #expect(usage.textIn == 0)
        #expect(PriceTable.dearest.cost(of: usage) < 10_000_000_000)
    }

    @Test(arguments: [
        ("gpt-realtime-2.1", 24.0), ("gpt-realtime-2.1-2026-08-01", 24), ("gpt-realtime-2.1-mini", 2.4),
        ("gpt-realtime-mini-2025-12-15", 2.4), ("gpt-realtime-1.5", 16), ("gpt-realtime-2025-08-28", 16),
    ])
    func pricesMatchThePublishedOnes(model: String, textOut: Double) {
        #expect(PriceTable.published(model: model)?.textOut == textOut)
    }

    @Test func unknownModelHasTheHighestPriceAndANotice() {
        var configuration = Configuration()
        #expect(Budget.Options.notice(on: configuration, of: RealtimeService.self) == nil)
        configuration.realtime.model = "our-deployment"
        #expect(PriceTable(configuration, of: RealtimeService.self).audioOut == PriceTable.dearest.audioOut)
        #expect(Budget.Options.notice(on: configuration, of: RealtimeService.self)?.contains("our-deployment") == true)
        configuration.budget.priceAudioInUSD = 1
        configuration.budget.priceAudioOutUSD = 0
        #expect(PriceTable(configuration, of: RealtimeService.self).audioIn == 1)
        #expect(PriceTable(configuration, of: RealtimeService.self).audioOut == 0)
        #expect(Budget.Options.notice(on: configuration, of: RealtimeService.self) == nil)
    }

    @Test(arguments: [
        (#"{"type":"duration","seconds":30}"#, 2250),
        (#"{"type":"tokens","input_tokens":300,"input_token_details":{"audio_tokens":300},"output_tokens":9}"#, 2250),
    ])
    func transcriptionIsCharged(usage: String, cost: Int) throws {
        let text =
            #"{"type":"conversation.item.input_audio_transcription.completed","item_id":"i","transcript":"x","usage":"#
            + usage + "}"
        guard case .heardTranscript(_, _, _, let usage?) = try decoder.decode(text) else {
            Issue.record("no usage")
            return
        }
        #expect(PriceTable(Configuration(), of: RealtimeService.self).cost(of: usage) == cost)
    }
}
