import Testing
import VoiceBase

@testable import BridgeCore

struct HouseSettingsTests {
    private func parsed(_ text: String) throws -> BridgeConfiguration {
        try BridgeConfiguration(parsing: Array(text.utf8), name: "bridge.toml")
    }

    @Test func portDefaultsToThatOfTheScheme() throws {
        #expect(try parsed("").house == nil)
        let plain = try #require(try parsed("[mqtt]\nbroker = \"mqtt://192.168.1.5\"").house)
        #expect(plain.host == "192.168.1.5" && plain.port == 1883 && !plain.isEncrypted)
        let secure = try #require(try parsed("[mqtt]\nbroker = \"mqtts://[fd00::5]:8884\"\ntranscripts = true").house)
        #expect(secure.host == "fd00::5" && secure.port == 8884 && secure.isEncrypted && secure.tellsWords)
        #expect(try parsed("[mqtt]\nbroker = \"mqtts://home.example\"").house?.port == 8883)
        #expect(try parsed("[mqtt]\nbroker = \"mqtts://home.example:8884/\"").house?.port == 8884)
    }

    @Test(arguments: [
        ("broker = \"home.example\"", "line 2: mqtt.broker must be such as"),
        ("broker = \"mqtts://me:pass@home.example\"", "line 2: mqtt.broker must be such as"),
        ("broker = \"mqtts://home.example/path\"", "line 2: mqtt.broker must be such as"),
        ("broker = 1", "line 2: mqtt.broker must be such as"),
        ("broker = \"mqtt://8.8.8.8\"", "line 2: mqtt.broker is not in your own network, and mqtt:// is not encrypted"),
        ("user = \"me\"", "line 2: mqtt.user needs mqtt.broker beside it"),
        ("broker = \"mqtts://h\"\nuser = \"\"", "line 3: mqtt.user must be a name"),
        ("broker = \"mqtts://h\"\npassword_file = \"x\"", "line 3: mqtt.password_file must be an absolute path"),
        ("broker = \"mqtt://10.0.0.1\"\nca_file = \"/x\"", "line 2: mqtt.broker must begin with mqtts://"),
        ("broker = \"mqtts://h\"\ndiscovery_prefix = \"a/#\"", "line 3: mqtt.discovery_prefix must be a topic"),
        ("broker = \"mqtts://h\"\ntranscripts = 1", "line 3: mqtt.transcripts must be true or false"),
        ("broker = \"mqtts://h\"\narea = \"\"", "line 3: mqtt.area must be the name of a room"),
        ("brokr = \"mqtts://h\"", "line 2: there is no key mqtt.brokr; the keys are broker, user,"),
    ])
    func problemNamesTheLineAndNoPassword(text: String, message: String) {
        let problem = #expect(throws: BridgeConfiguration.Problem.self) { try parsed("[mqtt]\n" + text) }
        #expect(problem?.description.hasPrefix("bridge.toml, " + message) == true, "\(problem?.description ?? "")")
        #expect(problem?.description.contains("pass@") == false && problem?.description.contains("\n") == false)
    }

    @Test func passwordComesFromTheFileElseTheCredential() throws {
        let folder = "/tmp/jarvis-house-test-\(UInt32.random(in: 0 ... .max))"
        try StateFile.write(Array("from credential\n".utf8), to: folder + "/bad")
        try StateFile.write(Array("of-credential\n".utf8), to: folder + "/mqtt-password")
        try StateFile.write(Array("of-file\n".utf8), to: folder + "/file")
        try StateFile.write([0x0A], to: folder + "/blank/mqtt-password")
        var settings = try HouseSettings(broker: "mqtts://h")
        #expect(throws: BridgeConfiguration.Problem.self) { try settings.password(credentials: folder) }
        settings.user = "me"
        #expect(try settings.password(credentials: folder)?.revealed == "of-credential")
        #expect(try settings.password(credentials: nil) == nil)
        #expect(try settings.password(credentials: folder + "/blank") == nil)
        settings.passwordFile = folder + "/file"
        #expect(try settings.password(credentials: folder)?.revealed == "of-file")
        for wrong in ["/bad", "/missing", "/blank/mqtt-password"] {
            settings.passwordFile = folder + wrong
            let problem = #expect(throws: BridgeConfiguration.Problem.self) { try settings.password(credentials: nil) }
            #expect(problem?.description.contains(folder + wrong) == true)
        }
    }
}

struct HouseIdentityTests {
    private let folder = "/tmp/jarvis-identity-test-\(UInt32.random(in: 0 ... .max))"

    private func identity(_ traces: Set<String>) throws -> String {
        var random = SystemRandomNumberGenerator()
        return try HouseIdentity(folder: folder, traces: traces, random: &random).name
    }

    @Test func identitySurvivesAChangeOfNetworkCards() throws {
        let first = try identity(["02:00:00:00:00:01"])
        #expect(first.utf8.count == 12)
        #expect(try identity(["02:00:00:00:00:01", "02:00:00:00:00:02"]) == first)
        #expect(try identity(["02:00:00:00:00:02"]) == first)
        #expect(try identity([]) == first)
    }

    @Test func cloneOnOtherHardwareGetsItsOwnIdentity() throws {
        let first = try identity(["b8:27:eb:00:00:01"])
        let clone = try identity(["b8:27:eb:00:00:02"])
        #expect(clone != first)
        #expect(try identity(["b8:27:eb:00:00:02"]) == clone)
    }

    @Test func virtualAndRandomisedCardsAreIgnored() throws {
        let net = folder + "/net"
        func card(_ name: String, _ address: String, _ files: [String]) throws {
            for file in files { try StateFile.write([], to: "\(net)/\(name)/\(file)") }
            try StateFile.write(Array("\(address)\n".utf8), to: "\(net)/\(name)/address")
        }
        try card("eth0", "B8:27:EB:00:00:01", ["device"])
        try card("ens3", "52:54:00:00:00:01", ["device"])
        try card("docker0", "02:42:ac:11:00:02", [])
        try card("wlan0", "06:00:00:00:00:07", ["device", "phy80211"])
        try card("lo", "00:00:00:00:00:00", ["device"])
        #expect(HouseIdentity.traces(in: net) == ["b8:27:eb:00:00:01", "52:54:00:00:00:01"])
    }
}
