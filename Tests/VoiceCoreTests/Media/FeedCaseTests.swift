import FoundationEssentials
import Testing

@testable import VoiceBase
@testable import VoiceMedia

/// The feeds in Tests/Feeds, each with one thing that real feeds do.
struct FeedCaseTests {
    private static let folder = "Tests/Feeds"

    private static func rows(_ name: String) throws -> [String] {
        let bytes = Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
        let transport = name.firstIndex(of: "@").map { String(name[name.index(after: $0)...].dropLast(".xml".count)) }
        let feed = try #require(
            PodcastFeed(bytes, transport: transport, base: "https://feeds.example/show/feed.xml"),
            "\(name)"
        )
        return feed.list.newestFirst.map { "\(name)\t\($0.address)\t\($0.title)" }
    }

    @Test func everyFeedHasTheEpisodesExpected() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".xml") }
            .sorted()
        #expect(names.count > 50)
        let rows = try names.flatMap { try Self.rows($0) }
        let file = URL(filePath: Self.folder + "/expected.tsv")
        if ProcessInfo.processInfo.environment["UPDATE_SAMPLE"] != nil {
            try Data((rows.joined(separator: "\n") + "\n").utf8).write(to: file)
        }
        let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n").map(
            String.init
        )
        #expect(rows == expected)
    }
}
