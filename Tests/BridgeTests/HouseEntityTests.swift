import FoundationEssentials
import Testing

@testable import BridgeCore

struct HouseEntityTests {
    /// The rows of docs/home-assistant.md without those that only the native API has.
    @Test func pageListsEveryEntityWithItsPlatform() throws {
        let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let page = try String(
            decoding: Data(contentsOf: project.appending(path: "docs/home-assistant.md")), as: UTF8.self
        )
        let rows = page.split(separator: "\n").drop { !$0.hasPrefix("| entity | kind |") }
            .dropFirst(2).prefix { $0.hasPrefix("|") }
        var listed: [String] = []
        for row in rows where !row.contains("(discovered)") {
            let cells = row.split(separator: "|").map { $0.trimmingPrefix(" ").replacing(" (MQTT)", with: "") }
            try #require(cells.count >= 3, "\(row)")
            let kind = cells[1].replacing(" ", with: "")
            listed += cells[0].split(separator: ",").map {
                "\($0) \(kind)".split(separator: " ").joined(separator: " ")
            }
        }
        #expect(listed.sorted() == HouseEntity.all.map { "\($0.name) \($0.platform.rawValue)" }.sorted())
    }
}
