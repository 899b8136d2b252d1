import Testing

@testable import VoiceBase
@testable import VoiceCore

/// A refused address is reported with the reason.
struct ServerURLProblemTests {
    @Test(arguments: [
        ("ws://me:hunter2@h/v1", "user name"), ("ws://h:0/v1", "port"), ("ws://h:+80/v1", "port"),
        ("ws://h:-1/v1", "port"),
        ("ws://h:65536", "port"), ("ws://h:/", "port"), ("ws://b\u{FC}cher.example/v1", "xn--bcher-kva.example"),
        ("ws://b\u{FC}cher.example:8080/v1", "xn--bcher-kva.example"), ("ws://[fe80::1%eth0]:80/v1", "zone"),
        ("ws://fe80::1/v1", "brackets"), ("ws://[::1/v1", "brackets"), ("ws:///v1", "no host"), ("ws://h/#a", "#"),
        ("ws://h/a b", "blank"), ("ws://h/gr\u{FC}n", "path"), ("ws://h!/v1", "character in its host"),
        ("http://h/v1", "wss:// or ws://"), ("h:80", "no scheme"), ("h:80", "wss:// or ws://"), ("", "wss:// or ws://"),
        ("ws://h:80:80", "more than one colon"), ("ws://h:80:80", "HOST:PORT"), ("ws://::1/v1", "brackets"),
        ("ws://a..b/v1", "label in its host"), ("ws://.a/v1", "label in its host"),
        ("ws://a../v1", "label in its host"),
        ("ws://\(String(repeating: "a", count: 64)).lan/", "label in its host"), ("ws://256.1.1.1/v1", "0 to 255"),
        ("ws://1.2.3.4.5", "0 to 255"), ("ws://a.1", "0 to 255"),
        ("ws://[:::1]/", "brackets"),
    ])
    func messageNamesTheWrongPart(text: String, named: String) throws {
        var configuration = Configuration()
        let key = try #require(ConfigurationSchema.key("realtime.url"))
        let message = try #require(key.set(.text(text), in: &configuration))
        #expect(message.hasPrefix("realtime.url ") && message.contains(named), "\(message)")
        #expect(!message.contains("hunter2"))
        #expect(ServerURL(text) == nil || text.hasPrefix("http"))
    }

    @Test(arguments: [
        "ws://127.0.0.1:80/v1", "wss://h", "ws://[::1]:8080/v1", "WS://Host_1.lan/a?b=c", "ws://h./", "ws://4you.lan",
        "ws://2130706433/v1",
    ])
    func validAddressIsAccepted(text: String) throws {
        var configuration = Configuration()
        #expect(try #require(ConfigurationSchema.key("realtime.url")).set(.text(text), in: &configuration) == nil)
        #expect(ServerURL.problem(text) == nil)
    }

    /// The paths of the agent's server are appended to its address.
    @Test func theAgentsAddressHasNoQuery() throws {
        var configuration = Configuration()
        let key = try #require(ConfigurationSchema.key("jarvis.url"))
        for text in ["http://h/ui?token=hunter2", "http://h/ui?"] {
            let message = try #require(key.set(.text(text), in: &configuration))
            #expect(message.hasPrefix("jarvis.url contains a ?") && !message.contains("hunter2"), "\(message)")
        }
        #expect(key.set(.text("http://h/ui"), in: &configuration) == nil)
    }

    @Test func portWithASignIsRefused() {
        #expect(ServerURL("http://127.0.0.1:+80") == nil && ServerURL("http://127.0.0.1:\u{661}") == nil)
    }
}
