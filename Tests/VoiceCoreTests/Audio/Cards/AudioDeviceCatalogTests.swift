import Glibc
import Testing

@testable import VoiceAudio
@testable import VoiceBase

struct AudioDeviceCatalogTests {
    private static let entries = [
        AudioDeviceEntry(
            id: "hw:CARD=PCH,DEV=0", name: "HDA Intel PCH, ALC3234 Analog", capture: true, playback: true, card: "PCH",
            cardNumber: 0, device: 0
        ),
        AudioDeviceEntry(
            id: "hw:CARD=PCH,DEV=3", name: "HDA Intel PCH, HDMI 0", capture: false, playback: true, card: "PCH",
            cardNumber: 0, device: 3
        ),
        AudioDeviceEntry(
            id: "hw:CARD=J410,DEV=0", name: "Jabra SPEAK 410 USB, USB Audio", capture: true, playback: true,
            card: "J410", cardNumber: 1, device: 0
        ),
        AudioDeviceEntry(
            id: "hw:CARD=Cam,DEV=0", name: "HD Webcam, USB Audio", capture: true, playback: false, card: "Cam",
            cardNumber: 2, device: 0
        ),
        AudioDeviceEntry(id: "pulse", name: "PulseAudio Sound Server", capture: true, playback: true),
    ]

    @Test(arguments: [
        ("default", AudioDirection.capture, "default"),
        ("hw:CARD=J410,DEV=0", .capture, "hw:CARD=J410,DEV=0"),
        ("hw:1,0", .playback, "hw:CARD=J410,DEV=0"),
        ("hw:1", .playback, "hw:CARD=J410,DEV=0"),
        ("J410", .capture, "hw:CARD=J410,DEV=0"),
        ("PCH", .playback, "hw:CARD=PCH,DEV=0"),
        ("jabra", .playback, "hw:CARD=J410,DEV=0"),
        ("HDMI", .playback, "hw:CARD=PCH,DEV=3"),
        ("pulse", .playback, "pulse"),
        ("plughw:CARD=J410", .playback, "plughw:CARD=J410"),
        ("usb audio", .playback, "hw:CARD=J410,DEV=0"),
    ])
    func nameResolvesToItsDevice(request: String, direction: AudioDirection, id: String) throws {
        #expect(try AudioDeviceCatalog.resolve(request, direction: direction, in: Self.entries) == id)
    }

    @Test func namesTheCandidatesOfAnAmbiguousName() {
        #expect(
            throws: AudioDeviceError.ambiguous(
                device: "usb audio", direction: .capture, candidates: ["hw:CARD=J410,DEV=0", "hw:CARD=Cam,DEV=0"]
            )
        ) { try AudioDeviceCatalog.resolve("usb audio", direction: .capture, in: Self.entries) }
    }

    @Test func unknownNameListsTheDevices() {
        let error = #expect(throws: AudioDeviceError.self) {
            try AudioDeviceCatalog.resolve("webcam", direction: .playback, in: Self.entries)
        }
        let text = error?.description ?? ""
        #expect(text.contains("\"webcam\""))
        #expect(text.contains("hw:CARD=PCH,DEV=3"))
        #expect(!text.contains("Cam,DEV=0"))
        #expect(!text.contains("\n"))
    }

    @Test func anEmptyNameFitsNothing() {
        #expect(throws: AudioDeviceError.self) {
            try AudioDeviceCatalog.resolve("", direction: .playback, in: Self.entries)
        }
    }

    @Test func errorsAreOneLineWithTheFix() {
        let busy = AudioDeviceError.busy(device: "hw:0", direction: .capture, holder: "arecord (12)")
        #expect(busy.description.contains("arecord (12)"))
        let permission = AudioDeviceError.permission(device: "hw:0", direction: .capture)
        #expect(permission.description.contains("group audio"))
        let silent = AudioDeviceError.failed(device: "hw:0", direction: .capture, step: "record", errno: ETIMEDOUT)
        #expect(silent.description.contains("muted by a key of its own, or stuck: unplug it"))
    }

    /// A missing plugin is not an unplugged card, and an output is not a microphone that is off.
    @Test func missingDeviceNamesTheCause() {
        func text(_ device: String, _ direction: AudioDirection) -> String {
            AudioDeviceError.absence(of: device, direction, among: Self.entries + [Self.own]).description
        }
        #expect(text("hw:CARD=PCH,DEV=3", .capture).contains("has no microphone: name another one in audio.input"))
        #expect(text("pulse", .capture).contains("install libasound2-plugins"))
        #expect(text("pipewire", .playback).contains("install pipewire-alsa"))
        #expect(text("living_room", .capture).contains("its ALSA plugin is not installed"))
        #expect(text("hw:CARD=Cam,DEV=0", .capture).hasSuffix("is not connected: switch the card on or plug it in"))
        #expect(AudioDeviceError.absence(of: "living_room", .capture, among: [Self.own]).isAbsence)
    }

    /// Where the mistake is, and not "no sound card".
    @Test(arguments: [
        (
            "_toplevel_:4:0:Unexpected end of file\n/home/x/.asoundrc may be old or corrupted: consider to remove or fix it\n",
            "/home/x/.asoundrc, line 4: Unexpected end of file" as String?
        ),
        ("/etc/asound.conf:12:3:Unexpected char\n", "/etc/asound.conf, line 12: Unexpected char"),
        (
            "Cannot access file my.conf\n_toplevel_:1:9:No such file or directory\n/home/x/.asoundrc may be old or corrupted\n",
            "/home/x/.asoundrc, line 1: cannot include \"my.conf\": No such file or directory"
        ),
        (":1:0:Unexpected }\n/home/x/.asoundrc may be old or corrupted: no", "/home/x/.asoundrc, line 1: Unexpected }"),
        ("/home/x/.asoundrc may be old or corrupted: fix it", "/home/x/.asoundrc"), ("", nil), ("Oops: 1", nil),
    ])
    func mistakeInTheALSAConfigurationIsFound(messages: String, place: String?) {
        #expect(AudioDeviceCatalog.fault(in: messages) == place)
        let error = AudioDeviceError.configuration(place)
        #expect(error.description.contains(place ?? "correct ~/.asoundrc or /etc/asound.conf"))
        #expect(error.isOfTheConfiguration && error.exitCode == .configuration)
    }

    @Test func brokenDefaultDeviceNamesItsFile() {
        let own = AudioDeviceError.defaultLeadsNowhere(direction: .capture, files: ["~/.asoundrc"])
        // It may have no part in it, and may name a plugin as well as a card.
        #expect(own.description.contains("or ~/.asoundrc makes \"default\" of a card that is not there or of a plugin"))
        #expect(
            AudioDeviceError.defaultLeadsNowhere(direction: .capture, files: []).description.contains(
                "none is connected"
            )
        )
        #expect(own.isAbsence)
        guard case .defaultLeadsNowhere = AudioDeviceError.absence(of: "default", .capture, among: Self.entries) else {
            Issue.record("default is a name of a configuration, not of a card")
            return
        }
    }

    /// The reason in words, with something to do.
    @Test(arguments: [
        (EIO, "does not answer: unplug it"), (ETIMEDOUT, "does not answer: unplug it"),
        (ECONNREFUSED, "sound server behind it does not run"), (EHOSTDOWN, "sound server behind it does not run"),
        (EINVAL, "~/.asoundrc or /etc/asound.conf defines it"),
    ])
    func unopenableDeviceNamesItsReason(errno: Int32, words: String) {
        let error = AudioDeviceError.failed(device: "room", direction: .capture, step: "open", errno: errno)
        #expect(error.description.contains(words))
        // A card that it names may still be plugged in.
        #expect(!error.isOfTheConfiguration)
    }

    @Test func singleRateIsWordedInTheSingular() {
        func words(_ rates: [Int]) -> String {
            let abilities = DeviceAbilities(rates: rates, formats: ["S16_LE"], channels: 1...1)
            return StreamRefusal(device: "hw:0", direction: .capture, abilities: abilities).rate(fixed: 44_100)
        }
        #expect(words([16_000]).hasSuffix("but at 16000 Hz: set audio.input_rate to that, or to 0 for the best"))
        #expect(words([16_000, 48_000]).contains("set audio.input_rate to one of these"))
    }

    private static let own = AudioDeviceEntry(id: "living_room", name: "living_room", capture: true, playback: true)
}
