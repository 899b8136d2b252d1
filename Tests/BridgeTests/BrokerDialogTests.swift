import Testing
import VoiceBase

@testable import BridgeCore

struct BridgeTextTests {
    private func changed(_ text: String, _ table: String, _ key: String, _ value: ConfigurationValue) throws -> String {
        var file = BridgeText(Array(text.utf8), name: "bridge.toml")
        try file.set(table, key, to: value)
        return String(decoding: file.bytes, as: UTF8.self)
    }

    @Test func otherLinesStayAsTheyAre() throws {
        let text = """
            # mine
            listen = "0.0.0.0"   # the house
            [esphome]
            enabled = true
            [mqtt]
            user = "box" # old
            area = "Kitchen"
            """
        #expect(
            try changed(text, "mqtt", "user", .text("jarvis"))
                == text.replacing("user = \"box\" # old", with: "user = \"jarvis\"")
        )
        #expect(
            try changed(text, "mqtt", "broker", .text("mqtt://nas.lan"))
                == text.replacing("[mqtt]\n", with: "[mqtt]\nbroker = \"mqtt://nas.lan\"\n")
        )
        #expect(try changed(text, "esphome", "enabled", .flag(false)) == text.replacing("= true", with: "= false"))
    }

    @Test func tableIsAddedOrTakenFromTheSample() throws {
        #expect(try changed("", "esphome", "enabled", .flag(true)) == "[esphome]\nenabled = true\n")
        #expect(
            try changed("port = 87\n", "esphome", "enabled", .flag(true)) == "port = 87\n\n[esphome]\nenabled = true\n"
        )
        let sample = "#port = 1\n#[esphome]\n#enabled = true\n#area = \"Kitchen\"\n"
        #expect(
            try changed(sample, "esphome", "enabled", .flag(true))
                == "#port = 1\n[esphome]\nenabled = true\n#enabled = true\n#area = \"Kitchen\"\n"
        )
    }

    @Test func refusesAFileThatItCannotChange() {
        let problem = "bridge.toml: mqtt.user is written in a way that cannot be changed: set it to \"jarvis\" yourself"
        for text in ["mqtt = { user = \"box\" }", "mqtt.user = \"box\""] {
            #expect(throws: BridgeConfiguration.Problem(problem)) { try changed(text, "mqtt", "user", .text("jarvis")) }
        }
        #expect(throws: BridgeConfiguration.Problem.self) { try changed("[mqtt", "mqtt", "user", .text("jarvis")) }
    }
}

struct FoundBrokerTests {
    private let output = """
        +;eth0;IPv6;Home\\032Assistant;_mqtt._tcp;local
        =;eth0;IPv6;Home\\032Assistant;_mqtt._tcp;local;homeassistant.local;fd00::5;1883;
        =;eth0;IPv4;Home\\032Assistant;_mqtt._tcp;local;homeassistant.local;192.168.1.5;1883;"a=b"
        =;wlan0;IPv4;Home\\032Assistant;_mqtt._tcp;local;homeassistant.local;192.168.1.5;1883;
        =;eth0;IPv4;Other;_mqtt._tcp;local;nas.local;192.168.1.6;1884;
        =;eth0;IPv4;bad;_mqtt._tcp;local;x y;192.168.1.7;1883;
        =;eth0;IPv4;bad;_mqtt._tcp;local;x.local;nowhere;1883;
        =;eth0;IPv4;bad;_mqtt._tcp;local;x.local;192.168.1.7;99999;
        =;eth0;IPv4;short
        """

    @Test func brokersAreReadOnceEachAndTheRestLeftOut() {
        let found = FoundBroker.list(output, isEncrypted: false)
        #expect(found.map(\.name) == ["Home Assistant", "Other"])
        #expect(found.map { $0.text { _ in true } } == ["mqtt://homeassistant.local", "mqtt://nas.local:1884"])
        #expect(found.map { $0.text { _ in false } } == ["mqtt://192.168.1.5", "mqtt://192.168.1.6:1884"])
        let secure = FoundBroker.list(output, isEncrypted: true)
        // A certificate is for the name.
        #expect(secure.first?.text { _ in false } == "mqtts://homeassistant.local:1883")
    }

    @Test func nameFromOutsideIsCleaned() {
        let line = "=;eth0;IPv4;\\027[31mred;_mqtt._tcp;local;nas.local;192.168.1.6;1883;"
        let name = FoundBroker.list(line, isEncrypted: false).first?.name ?? "\u{1B}"
        #expect(name.unicodeScalars.allSatisfy { !$0.isHidden })
    }
}

struct BrokerDialogTests {
    private func answered(_ dialog: inout BrokerDialog, _ answers: String...) -> [String] {
        answers.compactMap { dialog.answer($0) }
    }

    @Test func foundBrokerIsOfferedTriedAndWritten() throws {
        var dialog = BrokerDialog(present: nil, found: "mqtt://192.168.1.5", hasPassword: false)
        #expect(dialog.prompt.contains("[mqtt://192.168.1.5]"))
        #expect(answered(&dialog, "", "", "  secret-word ").isEmpty)
        #expect(dialog.question == nil && dialog.isToTry)
        dialog.tried(refusal: nil)
        #expect(dialog.isAccepted && dialog.password?.revealed == "secret-word")
        let text = try dialog.text(BridgeText(Array("port = 80\n".utf8), name: "bridge.toml"))
        #expect(
            String(decoding: text.bytes, as: UTF8.self)
                == "port = 80\n\n[mqtt]\nbroker = \"mqtt://192.168.1.5\"\nuser = \"jarvis\"\n"
        )
        #expect(!String(decoding: text.bytes, as: UTF8.self).contains("secret-word"))
    }

    @Test func refusalAsksAgainUnlessItIsKept() {
        var dialog = BrokerDialog(present: nil, found: nil, hasPassword: false)
        _ = answered(&dialog, "homeassistant.local", "", "wrong")
        dialog.tried(refusal: "it refuses user or password")
        #expect(dialog.question == .keep && !dialog.isToTry && dialog.prompt.contains("it refuses user or password"))
        #expect(answered(&dialog, "perhaps") == ["answer yes or no"])
        #expect(answered(&dialog, "").isEmpty)
        #expect(dialog.question == .broker && !dialog.isAccepted)
        _ = answered(&dialog, "", "", "right")
        #expect(dialog.isToTry && dialog.broker == "mqtt://homeassistant.local")
        dialog.tried(refusal: "it does not answer")
        _ = answered(&dialog, "yes")
        #expect(dialog.isAccepted && dialog.question == nil && !dialog.isToTry)
    }

    @Test func storedPasswordMayStay() {
        var dialog = BrokerDialog(present: ("mqtt://nas.lan", "box"), found: nil, hasPassword: true)
        #expect(answered(&dialog, "", "", "").isEmpty)
        #expect(dialog.isToTry && dialog.password == nil && dialog.user == "box")
    }

    @Test func brokerWithoutAnAccountNeedsNoPassword() {
        var dialog = BrokerDialog(present: nil, found: nil, hasPassword: false)
        #expect(answered(&dialog, "mqtt://nas.lan:1884", "none").isEmpty)
        #expect(dialog.isToTry && dialog.settings?.user == nil && dialog.settings?.port == 1884)
    }

    @Test func accountThatIsNoLongerWantedIsRemoved() throws {
        var dialog = BrokerDialog(present: ("mqtt://nas.lan", "box"), found: nil, hasPassword: true)
        _ = answered(&dialog, "", "", "wrong")
        dialog.tried(refusal: "it refuses user or password")
        _ = answered(&dialog, "no", "", "none")
        dialog.tried(refusal: nil)
        #expect(dialog.isAccepted && dialog.password == nil)
        let present = "[mqtt]\nuser = \"box\"\nbroker = \"mqtt://nas.lan\"\narea = \"Hall\"\n"
        let text = try dialog.text(BridgeText(Array(present.utf8), name: "bridge.toml"))
        #expect(String(decoding: text.bytes, as: UTF8.self) == present.replacing("user = \"box\"\n", with: ""))
    }

    @Test(arguments: ["mqtt://8.8.8.8", "http://nas.lan", "mqtt://a b", "mqtt://u:p@nas.lan"])
    func refusesAnAddressInOneLine(text: String) {
        var dialog = BrokerDialog(present: nil, found: nil, hasPassword: false)
        let complaint = dialog.answer(text)
        #expect(complaint?.hasPrefix("it ") == true && complaint?.contains("\n") == false)
        #expect(dialog.question == .broker)
    }

    @Test func refusesAPasswordThatNoFileHolds() {
        var dialog = BrokerDialog(present: nil, found: nil, hasPassword: false)
        _ = answered(&dialog, "", "")
        #expect(dialog.answer("") != nil && dialog.answer("pässword") != nil && dialog.answer("two words") != nil)
        #expect(dialog.question == .password)
    }
}
