import Testing

@testable import VoiceConversation

struct LocalGrammarTests {
    @Test(arguments: [
        ("Stop.", LocalCommand.stop), ("Jarvis, stop it, please!", .stop), ("Never mind.", .stop),
        ("Pause the music.", .pause),
        ("Play on.", .resume), ("Next song.", .next), ("Skip this", .next), ("Previous track.", .previous),
        ("Louder!", .changeVolume(by: 10)),
        ("Can you turn it down, please?", .changeVolume(by: -10)),
        ("Set the volume to forty percent.", .volume(to: 40)),
        ("Volume 25", .volume(to: 25)), ("What time is it?", .time), ("What's today's date?", .date),
        ("Say that again.", .again),
        ("Go on.", .more), ("What can you do?", .help), ("Mute yourself.", .mute),
    ]) func whatTheBoxDoesItselfIsKnown(text: String, command: LocalCommand) {
        #expect(LocalGrammar.command(in: text) == command)
    }

    @Test(arguments: [
        ("Set a timer for ten minutes.", 600, ""), ("Set a ten-minute timer", 600, ""),
        ("Set a 5 minute tea timer.", 300, "tea"),
        ("Start a timer for an hour and a half.", 5400, ""), ("Set a timer for half an hour", 1800, ""),
        ("Timer for twenty five minutes called bread.", 1500, "bread"), ("Set an egg timer for 7 minutes.", 420, "egg"),
        ("Set a pasta timer for 1 hour and 20 minutes.", 4800, "pasta"), ("Timer two and a half minutes", 150, ""),
        ("Set a timer for 90 seconds for the eggs", 90, "eggs"),
    ]) func timersAreSet(text: String, seconds: Int, name: String) {
        #expect(LocalGrammar.command(in: text) == .timer(seconds: seconds, name: name))
    }

    @Test(arguments: [
        ("Wake me up at seven.", 420, true), ("Wake me at 6:30 AM", 390, false),
        ("Set an alarm for half past six.", 390, true),
        ("Set an alarm for 7 p.m.", 1140, false), ("Alarm at quarter to eight in the morning", 465, false),
        ("Wake me at 18:30", 1110, false), ("Set an alarm for noon.", 720, false), ("Wake me at 12 a.m.", 0, false),
        ("Wake me up at seven o'clock", 420, true), ("Wake me at six oh five.", 365, true),
        ("Set an alarm for 730", 450, true),
    ]) func alarmsAreSet(text: String, minute: Int, isEither: Bool) {
        #expect(LocalGrammar.command(in: text) == .alarm(minute: minute, isEither: isEither))
    }

    @Test(
        arguments: [
            ("Cancel the timer.", nil), ("Stop the alarm!", nil), ("Cancel the tea timer.", "tea"),
            ("Cancel all timers", "all"),
            ("Cancel my timers.", "all"), ("Turn off the alarm.", nil),
        ] as [(String, String?)]
    ) func timersAreCancelled(text: String, name: String?) {
        #expect(LocalGrammar.command(in: text) == .cancelTimer(named: name))
    }

    /// Words that are part of a request for the agent are not taken from it.
    @Test(arguments: [
        "", "...", "Stop the washing machine.", "When does the next train go?", "Play the next one by the Beatles.",
        "What time is it in Tokyo?",
        "Turn it down to 19 degrees in the bedroom.", "Set a timer for when the match begins.",
        "Wake me at seven if it snows.",
        "Set the volume to 400", "Remind me in ten minutes to call.", "Set a timer for 99 days.", "Wake me at 25.",
        "Cancel the order.",
        "Tell me more about the timer.", "Set a timer for 0 minutes", "Wake me at 13 am",
    ]) func whatIsForTheAgentGoesToTheAgent(text: String) {
        #expect(LocalGrammar.command(in: text) == nil)
    }

    @Test func nothingThatIsRecognisedTraps() {
        var random = SeededGenerator(seed: 9)
        let words = [
            "set", "a", "timer", "for", "and", "half", "an", "hour", "ten", "twenty", "9999", "0", "o'clock", "to",
            "quarter", "past", "alarm",
            "wake", "me", "at", "am", "pm", "in", "the", "morning", "cancel", "all", "volume", "hundred",
            "99999999999999999999", "'", "day",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }
            switch LocalGrammar.command(in: text.joined(separator: " ")) {
            case .timer(let seconds, _): #expect((1...2_592_000).contains(seconds))
            case .alarm(let minute, _): #expect((0..<1440).contains(minute))
            case .volume(to: let percent): #expect((0...100).contains(percent))
            default: break
            }
        }
    }
}
