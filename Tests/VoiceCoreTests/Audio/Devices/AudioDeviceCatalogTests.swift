import Glibc
import Testing

@testable import VoiceAudio

struct AudioDeviceCatalogTests {
    private static let entries = [
        AudioDeviceEntry(
            id: "hw:CARD=PCH,DEV=0",
            name: "HDA Intel PCH, ALC3234 Analog",
            capture: true,
            playback: true,
            card: "PCH",
            cardNumber: 0,
            device: 0
        ),
        AudioDeviceEntry(
            id: "hw:CARD=PCH,DEV=3",
            name: "HDA Intel PCH, HDMI 0",
            capture: false,
            playback: true,
            card: "PCH",
            cardNumber: 0,
            device: 3
        ),
        AudioDeviceEntry(
            id: "hw:CARD=J410,DEV=0",
            name: "Jabra SPEAK 410 USB, USB Audio",
            capture: true,
            playback: true,
            card: "J410",
            cardNumber: 1,
            device: 0
        ),
        AudioDeviceEntry(
            id: "hw:CARD=Cam,DEV=0",
            name: "HD Webcam, USB Audio",
            capture: true,
            playback: false,
            card: "Cam",
            cardNumber: 2,
            device: 0
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
    func findsWhatANameMeans(request: String, direction: AudioDirection, id: String) throws {
        #expect(try AudioDeviceCatalog.resolve(request, direction: direction, in: Self.entries) == id)
    }

    @Test func namesTheCandidatesOfAnAmbiguousName() {
        #expect(
            throws: AudioDeviceError.ambiguous(
                device: "usb audio",
                direction: .capture,
                candidates: ["hw:CARD=J410,DEV=0", "hw:CARD=Cam,DEV=0"]
            )
        ) { try AudioDeviceCatalog.resolve("usb audio", direction: .capture, in: Self.entries) }
    }

    @Test func namesWhatThereIsWhenNothingFits() {
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

    @Test func errorsAreOneLineWithTheWayOut() {
        let busy = AudioDeviceError.busy(device: "hw:0", direction: .capture, holder: "arecord (12)")
        #expect(busy.description.contains("arecord (12)"))
        let permission = AudioDeviceError.permission(device: "hw:0", direction: .capture)
        #expect(permission.description.contains("group audio"))
        let silent = AudioDeviceError.failed(device: "hw:0", direction: .capture, step: "record", errno: ETIMEDOUT)
        #expect(silent.description.contains("muted by a key of its own, or stuck: unplug it"))
    }

    /// A missing plugin is no unplugged card, and an output is no microphone that is off.
    @Test func anAbsenceNamesItsCause() {
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

    private static let own = AudioDeviceEntry(id: "living_room", name: "living_room", capture: true, playback: true)
}
