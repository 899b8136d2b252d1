import Testing

@testable import TestSupport
@testable import VoiceAudio

struct MixerTests {
    @Test(
        arguments: [
            ("Speaker", "default", "default", "Speaker", 0),
            ("Speaker", "plughw:CARD=PCH,DEV=0", "hw:PCH", "Speaker", 0),
            ("PCM,1", "hw:1,0", "hw:1", "PCM", 1),
            ("hw:PCH/Speaker", "default", "hw:PCH", "Speaker", 0),
            ("PCH/Front Speaker", "default", "hw:PCH", "Front Speaker", 0),
            ("hw:CARD=Device/Mic Capture", "default", "hw:Device", "Mic Capture", 0),
        ]
    )
    func mixerPlacesAreParsed(text: String, device: String, card: String, element: String, index: Int) throws {
        let place = try MixerPlace(text, device: device)
        #expect(place.card == card && place.element == element && place.index == index)
    }

    @Test(arguments: ["/", "hw:PCH/", ",1", "/Speaker"])
    func malformedPlaceIsNamed(text: String) {
        #expect(throws: MixerError.badName(text)) { try MixerPlace(text, device: "default") }
    }

    @Test(
        arguments: [
            (100, -6500...0, MixerLevel.decibels(0)),
            (50, -6500...0, .decibels(-1806)),
            (50, -6500...600, .decibels(-1806)),
            (100, -6500 ... -300, .decibels(-300)),
            (100, 0...1200, .decibels(1200)),
            (1, -6500...0, .decibels(-6500)),
            (0, -9_999_999...0, .decibels(-9_999_999)),
            (150, -6500...0, .decibels(0)),
        ]
    )
    func mixerScaleInDecibelsIsUsed(percent: Int, scale: ClosedRange<Int>, level: MixerLevel) {
        #expect(MixerLevel(percent: percent, decibels: scale, raw: 0...31) == level)
    }

    @Test(arguments: [(0, 0), (50, 15), (100, 31)])
    func mixerWithoutDecibelsDividesItsRange(percent: Int, raw: Int) {
        #expect(MixerLevel(percent: percent, decibels: nil, raw: 0...31) == .raw(raw))
        #expect(MixerLevel(percent: percent, decibels: 0...0, raw: 0...31) == .raw(raw))
    }

    @Test func missingElementListsTheElements() throws {
        let place = try MixerPlace("Speker", device: "hw:PCH")
        let text = "\(MixerError.noElement(place, known: ["Master", "Speaker"]))"
        #expect(text == "hw:PCH has no mixer element \"Speker\"; it has: Master, Speaker")
        #expect(throws: MixerError.self) {
            try ALSAMixer().set(50, at: MixerPlace("hw:77/Speaker", device: "default"))
        }
    }
}
