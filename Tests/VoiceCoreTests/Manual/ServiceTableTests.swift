import FoundationEssentials
import Testing

@testable import VoiceConfiguration
@testable import VoiceConversation
@testable import VoiceCore

struct ServiceTableTests {
    @Test func theTableOfServicesIsMadeOfTheirCapabilities() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let path = root.appending(path: "docs/services.md")
        let page = try String(decoding: Data(contentsOf: path), as: UTF8.self)
        let wanted = try #require(ServiceTable.updated(page), "the page has no place for the table")
        if ProcessInfo.processInfo.environment["UPDATE_SAMPLE"] != nil { try Data(wanted.utf8).write(to: path) }
        let file = try String(decoding: Data(contentsOf: path), as: UTF8.self)
        #expect(file == wanted, "run the tests once with UPDATE_SAMPLE=1 to write it anew")
    }

    @Test func everyServiceHasANameOfItsOwn() {
        let names = ServiceRegistry.all.flatMap { $0.kinds }.map(\.name)
        #expect(Set(names).count == names.count)
        // Each name that `service.use` accepts is there, once.
        #expect(ServiceRegistry.all.map { $0.name.rawValue } == Configuration.Service.Name.allCases.map(\.rawValue))
    }
}
