import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

struct ServiceTableTests {
    @Test func unitsHandOverTheKeyOfEveryService() throws {
        for (path, folder) in UnitFiles.all {
            let unit = UnitFiles.updated(try ProjectFiles.text(path), folder: folder)
            #expect(ServiceRegistry.keys.allSatisfy { unit.contains("LoadCredential=\($0.credential):\(folder)/") })
            #expect(
                try ProjectFiles.isGenerated(path, unit), "run the tests once with UPDATE_SAMPLE=1 to write it anew"
            )
        }
    }

    @Test func tableOfServicesFollowsTheirCapabilities() throws {
        let page = try ProjectFiles.text("docs/services.md")
        let wanted = try #require(ServiceTable.updated(page), "the page has no place for the table")
        let isCurrent = try ProjectFiles.isGenerated("docs/services.md", wanted)
        #expect(isCurrent, "run the tests once with UPDATE_SAMPLE=1 to write it anew")
    }

    @Test func servicesHaveUniqueNames() {
        let names = ServiceRegistry.all.flatMap { $0.kinds }.map(\.name)
        #expect(Set(names).count == names.count)
        // Each name that `service.use` accepts is there, once.
        #expect(Set(ServiceRegistry.all.map { $0.name }).count == ServiceRegistry.all.count)
    }
}
