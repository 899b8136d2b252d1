import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceAudio
@testable import VoiceBase

struct KnownDevicesTests {
    private func card(
        _ vendor: UInt16,
        _ product: UInt16,
        _ firmware: UInt16 = 0x0100,
        _ name: String = ""
    ) -> CardIdentity {
        CardIdentity(vendor: vendor, product: product, firmware: firmware, name: name)
    }

    private func table(_ text: String) -> (table: KnownDevices, problems: [String]) {
        KnownDevices.parse(Array(text.utf8), path: "/d")
    }

    @Test func fileEqualsTheBuiltInTable() throws {
        let isCurrent = try ProjectFiles.isGenerated("config/devices.toml", KnownDevices.builtInText)
        #expect(isCurrent, "run the tests once with UPDATE_SAMPLE=1 to write it anew")
    }

    @Test func builtInTableIsValid() {
        let (table, problems) = table(KnownDevices.builtInText)
        #expect(problems.isEmpty)
        #expect(table.lines.count == 11)
        let jabra = table.line(for: card(0x0b0e, 0x0420, 0x0105, "Jabra SPEAK 510 USB"), channels: 1)
        #expect(jabra?.title == "Jabra Speak 510")
        #expect(jabra?.cancelsEcho == true)
        let array = card(0x2886, 0x0018, 0x0200, "ReSpeaker 4 Mic Array (UAC1.0)")
        #expect(table.line(for: array, channels: 6)?.map.first(.reference) == 5)
        #expect(table.line(for: array, channels: 1)?.map.roles == [.processed])
        #expect(table.line(for: array, channels: 2) == nil)
        let later = card(0x2886, 0x001a, 0x0210, "reSpeaker XVF3800 4-Mic Array")
        #expect(table.line(for: later, channels: 6)?.map.first(.reference) == nil)
    }

    @Test func headsetOfTheSameMakerDoesNotMatch() {
        #expect(KnownDevices.builtIn.lines(for: card(0x0b0e, 0x2475, 0x0100, "Jabra Link 380")).isEmpty)
        #expect(KnownDevices.builtIn.lines(for: CardIdentity(name: "HDA Intel PCH, ALC257 Analog")).isEmpty)
    }

    @Test func theFirmwareDecides() {
        let (table, problems) = table(
            """
            [devices]
            new = { usb = "1234:5678", firmware = "0200-0210", channels = "processed" }
            old = { usb = "1234:5678", firmware = "0106", channels = "raw" }
            """
        )
        #expect(problems.isEmpty)
        #expect(table.line(for: card(0x1234, 0x5678, 0x0208), channels: 1)?.key == "new")
        #expect(table.line(for: card(0x1234, 0x5678, 0x0106), channels: 1)?.key == "old")
        #expect(table.line(for: card(0x1234, 0x5678, 0x0211), channels: 1) == nil)
        #expect(table.line(for: CardIdentity(vendor: 0x1234, product: 0x5678, name: ""), channels: 1) == nil)
    }

    @Test(arguments: [
        ("a = { usb = \"123:5678\", channels = \"raw\" }", "usb must"),
        ("a = { usb = \"1234:5678\" }", "needs channels"),
        ("a = { usb = \"1234:5678\", channels = \"rare\" }", "not \"rare\""),
        ("a = { channels = \"raw\" }", "needs usb, or a name"),
        ("a = { usb = \"1234:*\", channels = \"raw\", firmware = \"9-1\" }", "firmware must"),
        ("a = { usb = \"1234:*\", channels = \"raw\", colour = \"red\" }", "not colour"),
        ("a = 3", "must have [devices]"),
    ])
    func badLineIsSkippedAlone(line: String, complaint: String) {
        let (table, problems) = table("[devices]\n\(line)\ngood = { usb = \"1234:*\", channels = \"raw\" }\n")
        #expect(table.lines.map(\.key) == ["good"])
        #expect(problems.count == 1)
        #expect(problems.first?.contains(complaint) == true)
        #expect(problems.first?.hasPrefix("/d:2") == true)
    }

    @Test func theUsersLinesComeFirst() {
        let own = "[devices]\nmine = { usb = \"0b0e:0420\", channels = \"raw\" }\n"
        let files = FileReader.stub(["/etc/jarvis-voiced/devices.toml": Array(own.utf8)])
        let (table, problems) = KnownDevices.load(environment: [:], files: files)
        #expect(problems.isEmpty)
        #expect(table.line(for: card(0x0b0e, 0x0420, 0, "Jabra SPEAK 510"), channels: 1)?.key == "mine")
        #expect(table.lines.count == KnownDevices.builtIn.lines.count + 1)
    }

    @Test func theIdentityComesFromSysfs() throws {
        let folder = "/s/class/sound/card2/device/.."
        let files = FileReader.stub([
            "\(folder)/idVendor": Array("0b0e\n".utf8), "\(folder)/idProduct": Array("0420\n".utf8),
            "\(folder)/bcdDevice": Array("0105\n".utf8),
        ])
        let identity = CardIdentity.read(card: 2, name: "Jabra SPEAK 510 USB", root: "/s", files: files)
        #expect(identity == card(0x0b0e, 0x0420, 0x0105, "Jabra SPEAK 510 USB"))
        #expect(identity.text == "0b0e:0420 1.05 Jabra SPEAK 510 USB")
        let other = CardIdentity.read(card: 0, name: "HDA Intel PCH", root: "/s", files: files)
        #expect(other.text == "HDA Intel PCH")
    }

    @Test func sysfsIsReadThroughItsLinks() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "jv-sysfs-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: root) }
        let device = root.appending(path: "devices/usb1/1-2")
        let interface = device.appending(path: "1-2:1.0")
        let card = interface.appending(path: "sound/card1")
        try FileManager.default.createDirectory(at: card, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            at: root.appending(path: "class/sound"), withIntermediateDirectories: true
        )
        try Data("2886\n".utf8).write(to: device.appending(path: "idVendor"))
        try Data("0018\n".utf8).write(to: device.appending(path: "idProduct"))
        try FileManager.default.createSymbolicLink(
            atPath: card.appending(path: "device").path, withDestinationPath: interface.path
        )
        try FileManager.default.createSymbolicLink(
            atPath: root.appending(path: "class/sound/card1").path, withDestinationPath: card.path
        )
        let identity = CardIdentity.read(card: 1, name: "Array", root: root.path)
        #expect(identity == CardIdentity(vendor: 0x2886, product: 0x0018, name: "Array"))
    }

    @Test func firmwareWithMostChannelsIsTriedFirst() {
        let chooser = CaptureChooser(
            CaptureWishes(), known: .builtIn, identity: card(0x2886, 0x0018, 0, "ReSpeaker 4 Mic Array")
        )
        #expect(chooser.tries == [6, 1])
        let choice = chooser.choice(channels: 6)
        #expect(choice.plan == CapturePlan(voice: .channel(0), worker: .hardware, mayTakeOver: true))
        #expect(choice.text == "channel 1 (processed); echo: hardware, known device")
        #expect(chooser.choice(channels: 4).text == "channel 1; echo: software, no channel is known to be processed")
    }
}
