import Testing

@testable import VoiceAudio
@testable import VoiceConfiguration

struct DeviceReportTests {
    private func sheet() -> DeviceSheet {
        var sheet = DeviceSheet(
            entry: AudioDeviceEntry(
                id: "hw:CARD=AnnasDesk,DEV=0",
                name: "Jabra SPEAK 510 USB 50C971A2B3C4, USB Audio",
                capture: true,
                playback: true,
                card: "AnnasDesk",
                cardNumber: 1,
                device: 0
            ),
            identity: CardIdentity(vendor: 0x0b0e, product: 0x0420, firmware: 0x0105, name: "Jabra SPEAK 510 USB")
        )
        sheet.known = KnownDevices.builtIn.lines.first
        let plan = CapturePlan(voice: .channel(0), worker: .hardware)
        sheet.sides = [
            DeviceSheet.Side(
                direction: .capture,
                abilities: DeviceAbilities(rates: [16_000], formats: ["S16_LE"], channels: 1...1),
                granted: "s16, 1 channel, periods of 480 frames",
                choice: CaptureChoice(plan: plan, reason: "known device", map: sheet.known?.map),
                cost: DeviceCost(whole: 13, added: 3)
            ),
            DeviceSheet.Side(
                direction: .playback,
                refusal: "playback device \"hw:CARD=AnnasDesk,DEV=0\" is in use by mpv (4711)"
            ),
        ]
        return sheet
    }

    @Test func aSheetTellsWhatTheDaemonWouldDoAndWhy() {
        #expect(
            sheet().lines == [
                "usb     0b0e:0420, firmware 1.05, Jabra Speak 510, cancels its own echo",
                "in      16000 Hz; S16_LE; 1 channel",
                "        runs with s16, 1 channel, periods of 480 frames; adds 13 ms (3 more than an ordinary card)",
                "        listens to channel 1 (processed); echo: hardware, known device",
                "out     not usable: playback device \"hw:CARD=AnnasDesk,DEV=0\" is in use by mpv (4711)",
            ]
        )
    }

    /// Its own name is not hidden from the reason why it does not open.
    @Test func aReportNamesTheDefaultDevice() {
        var sheet = DeviceSheet(entry: AudioDeviceEntry(id: "default", name: "default", capture: true, playback: false))
        let refusal = AudioDeviceError.defaultLeadsNowhere(direction: .capture, files: []).description
        sheet.sides = [DeviceSheet.Side(direction: .capture, refusal: refusal)]
        let text = DeviceReport(version: "0.1.0", hidden: ["annabox"]).text([sheet], echo: nil)
        #expect(text.contains("device 1: default\n  in      not usable: capture device \"default\" leads to no card"))
    }

    @Test func aReportHoldsNoNamesAndNoSerialNumbers() {
        let report = DeviceReport(version: "0.1.0", hidden: ["annabox", "anna", "50C971A2B3C4", "ab"])
        let text = report.text([sheet()], echo: "Good on annabox: the microphone cancels its own echo. Best: hardware.")
        for secret in ["Annas", "annabox", "50C971A2B3C4", "hw:CARD"] {
            #expect(!text.contains(secret), "\(secret) in \(text)")
        }
        #expect(text.contains("device 1: Jabra SPEAK 510 USB (name), USB Audio"))
        #expect(text.contains("0b0e:0420, firmware 1.05"))
        #expect(text.contains("in      16000 Hz; S16_LE; 1 channel"))
        #expect(text.contains("echo-test: Good on (name)"))
        #expect(report.text([sheet()], echo: nil).contains("echo-test: none with the devices in audio.input"))
    }

    /// The names of all other devices, which a refusal lists elsewhere, and the text that an owner gave to a name of his own.
    @Test func aReportHoldsNoNamesOfOtherDevices() {
        let entry = AudioDeviceEntry(id: "anna_maier", name: "Anna Maier s Jabra", capture: true, playback: true)
        var sheet = DeviceSheet(entry: entry)
        let error = AudioDeviceError.notFound(device: "anna_maier", direction: .capture, known: ["room", "Küche"])
        sheet.sides = [DeviceSheet.Side(direction: .capture, refusal: error.descriptionWithoutOthers)]
        #expect(!sheet.isUsable)
        let text = DeviceReport(version: "0.1.0", hidden: []).text([sheet], echo: nil)
        for name in ["anna", "Anna", "Jabra", "Küche", "room"] { #expect(!text.contains(name), "\(name) in \(text)") }
        #expect(text.contains("device 1: (name)"))
        #expect(text.contains("no capture device \"(name)\""))
        let server = AudioDeviceEntry(id: "pipewire", name: "PipeWire Sound Server", capture: true, playback: true)
        #expect(
            DeviceReport(version: "0.1.0", hidden: []).text([DeviceSheet(entry: server)], echo: nil).contains(
                "device 1: pipewire"
            )
        )
    }

    @Test(arguments: [
        ("Yeti 797_2018/12/04", "Yeti 797_2018/12/04"), ("Camera A1B2C3D4E5", "Camera (number)"),
        ("HD Pro Webcam C920", "HD Pro Webcam C920"), ("16000 44100 192000 Hz", "16000 44100 192000 Hz"),
        ("USB 0012345678, Audio", "USB (number), Audio"),
    ])
    func wordsThatLookLikeSerialNumbersGo(text: String, expected: String) {
        #expect(DeviceReport.withoutSerials(text) == expected)
    }
}
