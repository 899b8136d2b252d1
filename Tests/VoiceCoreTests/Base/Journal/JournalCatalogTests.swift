import Testing

@testable import TestSupport
@testable import VoiceBase

struct JournalCatalogTests {
    @Test func everyMessageIDHasItsEntry() throws {
        let catalog = try ProjectFiles.text("systemd/jarvis-voiced.catalog")
        let entries = catalog.split(separator: "\n").filter { $0.hasPrefix("-- ") }.map { String($0.dropFirst(3)) }
        let known = JournalEvent.allCases.compactMap(\.messageID)
        #expect(known.count == 10)
        #expect(Set(entries) == Set(known))
        #expect(entries.count == known.count)
        for line in catalog.split(separator: "\n", omittingEmptySubsequences: false) where line.hasPrefix("Subject:") {
            #expect(line.utf8.count > 12)
        }
    }

    @Test func messageIDsAreIDs() {
        for id in JournalEvent.allCases.compactMap(\.messageID) {
            #expect(id.utf8.count == 32 && id.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        }
    }
}
