import Testing

@testable import VoiceCore

struct MediaPlaceTests {
    @Test(arguments: [
        ("90", 90.0), ("1:30", 90), ("1:02:30", 3750), ("+30", 130), ("-10", 90), ("-1:00", 40), ("-300", 0), ("0", 0),
    ])
    func readsAPlaceOrAStepFromSecond100(text: String, second: Double) {
        #expect(MediaPlace(text)?.second(from: 100) == second)
    }

    @Test(arguments: ["", "x", "1:", ":30", "1:60", "1:2:3:4", "1.5", "--3", "999999999"])
    func malformedPlaceIsRejected(text: String) { #expect(MediaPlace(text) == nil) }

    @Test(arguments: [
        ("bass 3", "there is no volume \"bass\": master, voice, media, inputs, chimes"),
        ("loud", "there is no volume \"loud\": master, voice, media, inputs, chimes"),
        ("300", "there is no volume of \"300\": give 0 to 100, or a change such as +10 and -10"),
    ])
    func unknownVolumeIsRefusedWithTheChoices(text: String, refusal: String) {
        #expect(VolumeChange.refusal(of: text) == refusal)
    }
}
