import BridgeCore
import Testing
import VoiceBase

struct BridgeConfigurationTests {
    private func parsed(_ text: String) throws -> BridgeConfiguration {
        try BridgeConfiguration(parsing: Array(text.utf8), name: "bridge.toml")
    }

    @Test func listensToThisMachineByDefault() throws {
        #expect(try parsed("").isLocal)
        #expect(try parsed("listen = \"::1\"").isLocal)
        #expect(try !parsed("listen = \"0.0.0.0\"").isLocal)
    }

    @Test(arguments: [
        ("port = 0", "bridge.toml, line 1: port must be a number from 1 to 65535"),
        ("\nlisten = \"box\"", "bridge.toml, line 2: listen must be an address such as"),
        ("hosts = [\"jarvis.local:80\"]", "bridge.toml, line 1: hosts must be at most 32 names without a port"),
        ("socket = \"run/x\"", "bridge.toml, line 1: socket must be an absolute path"),
        ("prot = 1", "bridge.toml, line 1: there is no key prot; the keys are listen, port, hosts, socket, [mqtt] and"),
        ("[bridge]", "bridge.toml, line 1: there is no key bridge"),
        ("port =", "bridge.toml, line 1: "),
    ])
    func namesTheBadLine(text: String, message: String) {
        let problem = #expect(throws: BridgeConfiguration.Problem.self) { try parsed(text) }
        #expect(problem?.description.hasPrefix(message) == true)
    }

    @Test func linksToTheAddressOfTheBrowser() throws {
        let token = try #require(Secret("abc"))
        func link(_ text: String, address: String? = nil) throws -> String {
            try parsed(text).link(token: token, address: address)
        }
        #expect(try link("") == "http://127.0.0.1:8787/#abc")
        #expect(try link("listen = \"::\"", address: "fd00::7") == "http://[fd00::7]:8787/#abc")
        #expect(try link("listen = \"0.0.0.0\"", address: "192.168.1.7") == "http://192.168.1.7:8787/#abc")
        #expect(try link("hosts = [\"Jarvis.Example\"]") == "https://jarvis.example/#abc")
        #expect(try link("hosts = [\"box\"]\nlisten = \"0.0.0.0\"\nport = 80") == "http://box:80/#abc")
    }

    @Test func announcedNameIsOfferedFirst() throws {
        let token = try #require(Secret("abc"))
        func links(_ text: String) throws -> [String] {
            try parsed(text).links(token: token, name: "kitchen.local", address: "192.168.1.7")
        }
        #expect(
            try links("listen = \"0.0.0.0\"") == ["http://kitchen.local:8787/#abc", "http://192.168.1.7:8787/#abc"]
        )
        #expect(try links("") == ["http://127.0.0.1:8787/#abc"])
        #expect(try links("hosts = [\"jarvis.example\"]") == ["https://jarvis.example/#abc"])
        #expect(try !parsed("").isShared && parsed("listen = \"0.0.0.0\"").isShared)
        #expect(try parsed("hosts = [\"jarvis.example\"]").isShared)
    }

    @Test(arguments: [
        ("", "listen = \"0.0.0.0\"\n"), ("#listen = \"127.0.0.1\"\nport = 80", "listen = \"0.0.0.0\"\nport = 80"),
        ("#listen = \"x\"\nlisten=\"::1\" # mine\n", "#listen = \"x\"\nlisten = \"0.0.0.0\"\n"),
        ("port = 80", "listen = \"0.0.0.0\"\nport = 80"),
        (
            "#listen = \"::1\"\n [esphome]\nlisten = \"::1\"\n",
            "listen = \"0.0.0.0\"\n [esphome]\nlisten = \"::1\"\n"
        ),
        ("[esphome]\nlisten = \"::1\"", "listen = \"0.0.0.0\"\n[esphome]\nlisten = \"::1\""),
        ("# [esphome]\n#listen = \"::1\"", "listen = \"0.0.0.0\"\n# [esphome]\n#listen = \"::1\""),
        ("#[esphome]\nlisten = \"::1\"", "#[esphome]\nlisten = \"0.0.0.0\""),
    ])
    func changesOnlyTheAddress(before: String, after: String) throws {
        let text = BridgeConfiguration.text(before, listeningAt: "0.0.0.0")
        #expect(text == after)
        #expect(try parsed(text).listen == "0.0.0.0")
    }

    @Test func announcesTheNameOfTheBoxBesideTheHosts() {
        func commands(_ name: String) -> [[String]] {
            NameAnnouncer.Announcement(
                name: name, host: "pi", services: [.page(name: name, port: 8787)], address: "192.168.1.7"
            ).commands
        }
        #expect(
            commands("Küche oben") == [
                ["avahi-publish", "-s", "Jarvis: Küche oben", "_http._tcp", "8787", "path=/"],
                ["avahi-publish", "-a", "-R", "kueche-oben.local", "192.168.1.7"],
            ]
        )
        #expect(commands("pi").count == 1)
        #expect(commands("厨房").count == 1, "no label can be made of it")
    }

    @Test func announcementIsTriedAgainUntilItSucceeds() {
        let wanted = NameAnnouncer.Announcement(name: "pi", host: "pi", services: [], address: "192.168.1.7")
        var attempts = NameAnnouncer.Attempts()
        var begun = 0
        func look(hasEnded: Bool = false, failing problem: String? = nil) -> String? {
            attempts.look(for: wanted, hasEnded: hasEnded) { _ in
                begun += 1
                return problem
            }
        }
        #expect(look(failing: "no avahi") == "no avahi")
        #expect(look(failing: "no avahi") == nil, "said once")
        #expect(look() == nil && begun == 3)
        #expect(look() == nil && begun == 3, "it is announced")
        #expect(look(hasEnded: true, failing: "no avahi") == "no avahi" && begun == 4)
    }

    @Test func socketPathBeyondTheLimitIsRefused() throws {
        let long = "/" + String(repeating: "x", count: 107)
        let problem = #expect(throws: BridgeConfiguration.Problem.self) { try parsed("").socketPath(standard: long) }
        #expect(problem?.description.contains(long) == true && problem?.description.contains("107 bytes") == true)
        #expect(try parsed("").socketPath(standard: String(long.dropLast())) == long.dropLast())
        #expect(try parsed("socket = \"/run/x\"").socketPath(standard: long) == "/run/x")
    }

    @Test func boxWithoutANameUsesTheHostName() {
        #expect(BoxName.shown("", host: "pi") == "pi")
        #expect(BoxName.shown("  ", host: "pi") == "pi")
        #expect(BoxName.shown("Kitchen", host: "pi") == "Kitchen")
        #expect(BoxName.label("-- Ben's room! --") == "ben-s-room")
        #expect(BoxName.label(String(repeating: "\u{DF}", count: 40))?.utf8.count == 63)
    }
}
