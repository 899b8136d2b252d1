import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceCore
@testable import VoiceNetwork

/// Host names as found in homes, and what they resolve to: whether token and key are sent in the clear.
struct TransportVerdictTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var host: String
        var addresses: [String]
        /// Of the service with ws:// and of the agent with http://; both are judged alike.
        var verdict: String
        var testDescription: String { "\(host) = \(addresses.joined(separator: " "))" }

        init(_ host: String, _ addresses: String, _ verdict: String) {
            self.host = host
            self.addresses = addresses.split(separator: " ").map(String.init)
            self.verdict = verdict
        }
    }

    /// The machine has 198.51.100.20/24 and 2001:db8:7:1::20/64 beside private addresses.
    private static let links = ["198.51.100.20/24", "2001:db8:7:1::20/64", "192.168.7.2/24"]

    private static let table = [
        Row("homelab.lan", "192.168.7.5", "private"),
        Row("gpu.lan", "10.0.0.8", "private"),
        Row("jarvis.home.arpa", "172.16.3.4", "private"),
        Row("nas.fritz.box", "192.168.178.30 fd00::1:30", "private"),
        Row("agent.internal", "172.31.255.1", "private"),
        Row("homelab.tail1234.ts.net", "100.101.102.103 fd7a:115c:a1e0::1", "shared"),
        Row("homelab", "192.168.7.5", "private"),
        Row("homelab.local", "fe80::5054:ff:fe12:3456", "link-local"),
        Row("localhost", "127.0.0.1", "loopback"),
        Row("voice.localhost", "::1", "loopback"),
        Row("agent.example.com", "192.168.7.5", "private"),
        Row("v6.lan", "2001:db8:7:1::5", "on a link of this machine"),
        Row("public.lan", "198.51.100.77", "on a link of this machine"),
        Row("ula.lan", "fd12:3456::5", "unique local"),
        Row("both.example.com", "93.184.216.34 10.0.0.8", "private"),
        Row("homelab.lan.", "93.184.216.34", "refused"),
        Row("gpu.local", "2001:db8:7:2::5", "refused"),
        Row("example.com", "93.184.216.34 2606:2800:220:1::1", "refused"),
        Row("mapped.example.com", "::ffff:8.8.8.8", "refused"),
        Row("mapped.lan", "::ffff:10.0.0.8", "private"),
        Row("sixtofour.example.com", "2002:a00:1::1", "refused"),
        Row("nat64.example.com", "64:ff9b::a00:1", "refused"),
        Row("cgnat.example.com", "100.128.0.1", "refused"),
        Row("not-yet.lan", "", "unresolved"),
        Row("127.0.0.1", "", "loopback"),
        Row("169.254.3.4", "", "link-local"),
        Row("172.32.0.1", "", "refused"),
        Row("8.8.8.8", "", "refused"),
        Row("[fd00::5]", "", "unique local"),
        Row("[2001:db8:9::1]", "", "refused"),
        Row("0.0.0.0", "", "loopback"),
        Row("2130706433", "127.0.0.1", "loopback"),
        Row("127.0.0.1.example.com", "93.184.216.34", "refused"),
    ]

    private static func look(_ row: Row, allowed: Bool = false, tls: Bool = false) async throws -> [ServiceTransport] {
        var configuration = Configuration()
        configuration.realtime.url = "\(tls ? "wss" : "ws")://\(row.host):8000/v1/realtime"
        configuration.jarvis.url = "\(tls ? "https" : "http")://\(row.host):8080/ui"
        configuration.realtime.allowPlainHTTP = allowed
        configuration.jarvis.allowPlainHTTP = allowed
        let secrets = try Secrets(
            configuration: configuration, environment: ["OPENAI_API_KEY": "sk-1", "JARVIS_TOKEN": "t-1"],
            files: .stub([:])
        )
        let addresses = row.addresses.compactMap { NetworkAddress(text: $0) }
        #expect(addresses.count == row.addresses.count)
        return await ServiceTransport.look(
            configuration,
            secrets: secrets,
            ownLinks: links.compactMap { NetworkPrefix(text: $0) },
            lookUp: { _ in addresses }
        )
    }

    private static func word(_ verdict: TransportVerdict) -> String {
        switch verdict {
        case .encrypted: "encrypted"
        case .allowed: "allowed"
        case .near(_, let nearness): nearness.rawValue
        case .unresolved: "unresolved"
        case .exposed: "refused"
        }
    }

    @Test(arguments: table) func serviceAndAgentAreJudgedByAddress(row: Row) async throws {
        let plain = try await Self.look(row)
        #expect(plain.map(\.key) == ["realtime.url", "jarvis.url"])
        #expect(plain.map { Self.word($0.verdict) } == [row.verdict, row.verdict])
        for transport in plain where transport.isRefused {
            let section = transport.key.prefix { $0 != "." }
            #expect(transport.problem.description.contains("\(section).allow_plain_http = true"))
        }
        #expect(try await Self.look(row, allowed: true).map { Self.word($0.verdict) } == ["allowed", "allowed"])
        #expect(try await Self.look(row, tls: true).map { Self.word($0.verdict) } == ["encrypted", "encrypted"])
    }

    /// A token file that cannot be read yet may be readable later: the problem with its address is reported too.
    @Test func unreadableTokenFileStillReportsTheAddress() async {
        var configuration = Configuration()
        configuration.jarvis.url = "http://8.8.8.8"
        let without = await ServiceTransport.look(configuration, secrets: .none, ownLinks: [])
        #expect(!without.contains { $0.key == "jarvis.url" }, "there is no token")
        configuration.jarvis.tokenFile = "/nope"
        let found = await ServiceTransport.look(configuration, secrets: .none, ownLinks: [])
        #expect(found.last?.key == "jarvis.url" && found.last?.isRefused == true)
    }

    @Test func refusalNamesTheFixInOneLine() async throws {
        let refused = try await Self.look(Row("homelab.lan", "93.184.216.34", ""))
        #expect(
            refused.last?.problem.description
                == "jarvis.url: the token is not sent unencrypted to homelab.lan, which is 93.184.216.34, outside this "
                + "network: use https://, an address of this network (loopback, private, link-local, 100.64.0.0/10, fc00::/7, a "
                + "link of this machine), or jarvis.allow_plain_http = true"
        )
        let near = try await Self.look(Row("homelab.lan", "192.168.7.5", ""))
        #expect(
            near.first?.line
                == "the API key is sent unencrypted, within this network: homelab.lan is 192.168.7.5 (private)"
        )
        #expect(near.first?.advice == nil)
    }

    @Test func doctorGivesTheSameVerdict() async throws {
        func verdicts(_ row: Row, allowed: Bool = false) async throws -> [DoctorFinding] {
            try await Self.look(row, allowed: allowed).map(TransportCheck.judge)
        }
        let refused = try await verdicts(Row("homelab.lan", "93.184.216.34", ""))
        #expect(refused.map(\.check) == ["service-transport", "agent-transport"])
        #expect(refused.allSatisfy { $0.verdict == .fail && $0.advice?.contains("allow_plain_http") == true })
        #expect(try await verdicts(Row("homelab.lan", "10.0.0.8", "")).allSatisfy { $0.verdict == .ok })
        #expect(try await verdicts(Row("homelab.lan", "", "")).allSatisfy { $0.verdict == .warn })
        #expect(try await verdicts(Row("homelab.lan", "", ""), allowed: true).allSatisfy { $0.verdict == .warn })
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.128/25", "192.0.2.127", false),
        ("192.0.2.128/25", "192.0.2.200", true), ("2001:db8::/61", "2001:db8:0:7::1", true),
        ("2001:db8::/61", "2001:db8:0:8::1", false), ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false),
        ("192.0.2.1/32", "192.0.2.1", true), ("192.0.2.1/32", "192.0.2.2", false),
    ])
    func prefixContainsItsAddresses(prefix: String, address: String, isInside: Bool) throws {
        let address = try #require(NetworkAddress(text: address))
        #expect(try #require(NetworkPrefix(text: prefix)).contains(address) == isInside)
    }

    @Test(arguments: ["10.0.0.0", "10.0.0.0/33", "x/8", "10.0.0.0/8/8", "::/129", "10.0.0.0/-1"])
    func malformedPrefixIsRefused(text: String) {
        #expect(NetworkPrefix(text: text) == nil)
    }

    @Test func linksOfThisMachineAreFound() throws {
        let own = try #require(NetworkAddress(text: "127.0.0.1"))
        #expect(NetworkPrefix.ownLinks().contains { $0.contains(own) })
        let far = try #require(NetworkAddress(text: "8.8.8.8"))
        #expect(!NetworkPrefix.ownLinks().contains { $0.contains(far) })
    }
}
