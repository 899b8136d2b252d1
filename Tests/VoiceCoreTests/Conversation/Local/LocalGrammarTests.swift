import FoundationEssentials
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

    @Test(arguments: [
        ("Cancel the timer.", LocalCommand.Which.obvious, LocalCommand.Kind.timer),
        ("Stop the alarm!", .obvious, .alarm),
        ("Turn off the alarm.", .obvious, .alarm), ("Turn the alarm off", .obvious, .alarm),
        ("Cancel the tea timer.", .named("tea"), .timer), ("Cancel the timer for the pasta.", .named("pasta"), .timer),
        ("Delete the timer called tea", .named("tea"), .timer), ("Cancel timer two.", .named("2"), .timer),
        ("Cancel the school alarm.", .named("school"), .alarm),
        ("Cancel all timers", .all, .timer), ("Cancel my timers.", .all, .timer),
        ("Cancel all of my timers.", .all, .timer),
        ("Turn off all alarms.", .all, .alarm), ("Cancel all my alarms.", .all, .alarm),
        ("Cancel all timers and alarms.", .all, .any),
        ("Cancel the ten minute timer.", .length(seconds: 600), .timer),
        ("Cancel the 10-minute timer.", .length(seconds: 600), .timer),
        ("Cancel the timer for ten minutes.", .length(seconds: 600), .timer),
        ("Cancel the ten minute tea timer.", .named("tea"), .timer),
        ("Cancel the seven o'clock alarm.", .at(minute: 420, isEither: true), .alarm),
        ("Cancel Monday's alarm.", .named("monday's"), .alarm), ("Cancel my Monday alarm.", .named("monday"), .alarm),
        ("Cancel the alarm for Monday.", .named("monday"), .alarm),
        ("Cancel Tuesdays Alarm.", .named("tuesday"), .alarm),
        ("Cancel my 7:30 a.m. alarm.", .at(minute: 450, isEither: false), .alarm),
        ("Turn off the alarm for half past six", .at(minute: 390, isEither: true), .alarm),
    ]) func timersAreCancelled(text: String, which: LocalCommand.Which, kind: LocalCommand.Kind) {
        #expect(LocalGrammar.command(in: text) == .cancelTimer(which, of: kind))
    }

    /// As Whisper writes what people say in a kitchen and in bed.
    @Test(arguments: [
        ("Set a timer, please, for, um, ten minutes.", LocalCommand.timer(seconds: 600, name: "")),
        ("Set timer 10 minutes.", LocalCommand.timer(seconds: 600, name: "")),
        ("Set the kitchen timer for 10 minutes.", .timer(seconds: 600, name: "kitchen")),
        ("Start timer for 1 hour 15 minutes.", .timer(seconds: 4500, name: "")),
        ("Ten-minute pasta timer.", .timer(seconds: 600, name: "pasta")),
        ("Set a timer to 2 hours and 30 minutes, please.", .timer(seconds: 9000, name: "")),
        ("Can you set an hour timer?", .timer(seconds: 3600, name: "")),
        ("Set one hour timer", .timer(seconds: 3600, name: "")),
        ("Set a timer for 10 minutes, call it pasta.", .timer(seconds: 600, name: "pasta")),
        ("Set a 2½ minute timer.", .timer(seconds: 150, name: "")),
        ("Set a timer for an hour and twenty.", .timer(seconds: 4800, name: "")),
        ("What's left on my timer?", .listTimers), ("What are my alarms?", .listTimers),
        ("Check the timer.", .listTimers),
        ("When is my next alarm?", .listTimers), ("What time is my alarm set for?", .listTimers),
        ("Timer off.", .cancelTimer(.obvious, of: .timer)), ("Dismiss the alarm.", .cancelTimer(.obvious, of: .alarm)),
        ("Cancel my wake-up alarm.", .cancelTimer(.obvious, of: .alarm)),
        ("Stop the pasta timer.", .cancelTimer(.named("pasta"), of: .timer)),
        ("Remove my 7 a.m. alarm.", .cancelTimer(.at(minute: 420, isEither: false), of: .alarm)),
        ("Set an alarm for quarter past six in the morning.", .alarm(minute: 375, isEither: false)),
        ("Set alarm 7 am.", .alarm(minute: 420, isEither: false)),
        ("Please wake me at five to seven.", .alarm(minute: 415, isEither: true)),
        ("Wake me up at eight on Sunday morning.", .alarm(minute: 480, isEither: false, day: .on("sunday"))),
        ("Set an alarm every weekday at 6 a.m.", .alarm(minute: 360, isEither: false, day: .every(["weekdays"]))),
        ("Wake me up in the morning at six.", .alarm(minute: 360, isEither: false)),
        ("Set an alarm for tonight at 10:30.", .alarm(minute: 1350, isEither: false)),
        ("Tomorrow, wake me at 6:45 AM.", .alarm(minute: 405, isEither: false, day: .on("tomorrow"))),
        ("Alarm at twelve thirty pm", .alarm(minute: 750, isEither: false)),
        ("Turn that down.", .changeVolume(by: -10)), ("Too loud.", .changeVolume(by: -10)),
        ("Turn the music down a little bit.", .changeVolume(by: -10)), ("Speak more quietly.", .changeVolume(by: -10)),
        ("Set volume to 30 percent.", .volume(to: 30)), ("Turn the sound up.", .changeVolume(by: 10)),
        ("Skip this one.", .next), ("Music off.", .pause), ("Continue the podcast.", .resume),
        ("What's the current time?", .time), ("Could you tell me the time?", .time), ("What year is it?", .date),
        ("Which day is it?", .date), ("Do you know what day it is?", .date), ("Time, please.", .time),
        ("Quiet, please.", .stop), ("That's enough, thank you.", .stop), ("Shush!", .stop), ("No, stop!", .stop),
        ("Stop beeping!", .stop), ("Say again?", .again),
        ("Stop, Jarvis, stop!", .stop), ("Stop it now!", .stop),
        ("Sorry, what did you say?", .again), ("Can you repeat that?", .again), ("Tell me the rest.", .more),
        ("Continue reading.", .more), ("Go on, please.", .more),
    ]) func whatPeopleSayIsUnderstood(text: String, command: LocalCommand) {
        #expect(LocalGrammar.command(in: text) == command)
    }

    /// Nothing is done that nobody asked for, least of all the opposite.
    @Test(arguments: [
        "Don't set a timer for ten minutes.", "Do not set a timer for ten minutes",
        "Never set a timer for ten minutes.",
        "Pause the timer for five minutes.", "Which timer is for ten minutes?", "No timer for ten minutes.",
        "Reset the timer for ten minutes.", "Add five minutes to the timer.", "Extend the timer for ten minutes.",
        "The ten minute timer.", "Did you set a timer for ten minutes?", "What is a ten minute timer?",
        "I had a timer for ten minutes.", "My timer for ten minutes.", "Snooze the alarm for ten minutes.",
        "Don't wake me at seven.", "Did you set an alarm for seven?", "The alarm at seven.",
        "Change the alarm to seven.",
        "Is the alarm at seven?", "Don't cancel the timer.", "Do not stop the music.", "Don't stop.", "Not louder.",
        "Stop the timer in ten minutes.", "Cancel tomorrow's alarm.", "Cancel the alarm for tomorrow.",
        "Cancel the Monday morning alarm.",
        "No more.",
        "Set a timer for ten minutes for the pasta and stop the music.",
        "Set a timer for ten minutes and another for five.",
        "Turn off the burglar alarm.", "Set the house alarm for 7.", "Fire alarm at seven.", "Wake me at 7, 8 and 9.",
        "Set an alarm for ten minutes before seven.", "Wake me at seven or eight.",
        "Put ten more minutes on the timer.",
        "Set the timer back to ten minutes.", "No, not now.", "Wake me at seven, not at eight.", "Cancel it.",
        "Stop the alarm system.", "Set a timer for ten five minutes.", "How long?",
        "How much?",
        "Cancel that.", "Wake me at seven on Monday and Wednesday.", "Wake me at seven the day after tomorrow.",
        "Wake me at two tomorrow night.", "Stop the music in ten minutes.", "Turn the volume up to 400.",
    ]) func questionsAndRefusalsSetNothing(text: String) {
        #expect(LocalGrammar.command(in: text) == nil)
    }

    @Test(arguments: [
        ("Set the timer for ten minutes.", 600, ""), ("Set my timer for ten minutes.", 600, ""),
        ("Set me a timer for 10 minutes.", 600, ""), ("I want a timer for ten minutes.", 600, ""),
        ("Can I have a timer for ten minutes?", 600, ""), ("I'd like a ten-minute timer, please.", 600, ""),
        ("Set a ten minute timer for the pasta.", 600, "pasta"),
        ("Set a timer called tea for five minutes.", 300, "tea"),
        ("Set a timer for the rice for 12 minutes.", 720, "rice"),
        ("Set a timer for my rice, 12 minutes.", 720, "rice"),
        ("Set a timer for a quarter of an hour.", 900, ""), ("Timer for three quarters of an hour.", 2700, ""),
        ("Set a timer for one hour thirty.", 5400, ""), ("Set a timer for an hour and a half.", 5400, ""),
        ("Set a timer for an hour and a quarter.", 4500, ""), ("Set a timer for 1.5 hours.", 5400, ""),
        ("Set a half hour timer.", 1800, ""), ("Set a timer for half an hour and five minutes.", 2100, ""),
        ("Set a 90-second timer for the eggs.", 90, "eggs"), ("Timer, 10min.", 600, ""),
        ("Set a timer for a hundred and twenty seconds.", 120, ""), ("Start another timer for three minutes.", 180, ""),
        ("Okay, set a timer for 20 minutes to check the oven.", 1200, "oven"),
        ("Set a timer for ten minutes for fish and chips.", 600, "fish and chips"),
        ("Wake me up in twenty minutes.", 1200, ""), ("Set an alarm in half an hour", 1800, ""),
        ("Put ten minutes on the timer.", 600, ""), ("Set a timer for ten minutes from now.", 600, ""),
        ("Start a countdown of one minute.", 60, ""), ("A timer for five minutes, thanks.", 300, ""),
        ("Would you set a timer for 5 mins for me?", 300, ""), ("Two minute timer.", 120, ""),
        ("Set up a timer for ten minutes.", 600, ""), ("Set a new timer for ten minutes.", 600, ""),
        ("Set a timer for one hundred and one days.", 0, ""),
    ]) func timersAreSetInOtherWords(text: String, seconds: Int, name: String) {
        #expect(LocalGrammar.command(in: text) == (seconds > 0 ? .timer(seconds: seconds, name: name) : nil))
    }

    @Test(arguments: [
        ("Wake me at half past seven tomorrow.", 450, true, AlarmDay.on("tomorrow")),
        ("Wake me at half past seven tomorrow morning.", 450, false, .on("tomorrow")),
        ("Wake me up tomorrow morning at 7:30.", 450, false, .on("tomorrow")),
        ("Wake me at seven on weekdays.", 420, true, .every(["weekdays"])),
        ("On weekdays, wake me at seven.", 420, true, .every(["weekdays"])),
        ("Wake me at twenty past six.", 380, true, .next),
        ("Wake me at quarter to eight.", 465, true, .next), ("Wake me at a quarter to eight.", 465, true, .next),
        ("Wake me up at 7.30am.", 450, false, .next), ("Wake me up at 7:30 a.m.", 450, false, .next),
        ("Set an alarm for 7am.", 420, false, .next), ("Set an alarm for seven a m", 420, false, .next),
        ("Wake me at seven o clock", 420, true, .next),
        ("Set an alarm for 6 o'clock in the evening.", 1080, false, .next),
        ("Set an alarm for twenty-five to nine p.m.", 1235, false, .next),
        ("Alarm at ten to twelve pm", 1430, false, .next),
        ("Wake me at half seven.", 450, true, .next), ("Set the alarm for 07:00.", 420, false, .next),
        ("Set my alarm to 6:45 every day.", 405, true, .every(["daily"])),
        ("Wake me every morning at seven.", 420, false, .every(["daily"])),
        ("Wake me at six thirty on Monday.", 390, true, .on("monday")),
        ("Set an alarm for Monday at 6:30 a.m.", 390, false, .on("monday")),
        ("Set an alarm for 9 on Saturdays and Sundays.", 540, true, .every(["saturday", "sunday"])),
        (
            "Set an alarm for 9 every Monday, Wednesday and Friday.", 540, true,
            .every(["monday", "wednesday", "friday"])
        ),
        ("Set an alarm for 6:30 Monday to Friday.", 390, true, .every(["weekdays"])),
        ("Wake me at ten tonight.", 1320, false, .next), ("Wake me at one tonight.", 60, false, .next),
        ("Set an alarm for five this afternoon.", 1020, false, .on("today")),
        ("Set a 7 a.m. alarm.", 420, false, .next), ("Set a 7 o'clock alarm for tomorrow.", 420, true, .on("tomorrow")),
        ("Set a daily alarm for 7 AM.", 420, false, .every(["daily"])),
        ("Wake me at noon tomorrow", 720, false, .on("tomorrow")),
        ("Wake me up at seven this morning every day.", -1, true, .next),
        ("Wake me at seven pm in the morning.", -1, true, .next),
        ("Set an alarm tomorrow.", -1, true, .next), ("Wake me at 7:75.", -1, true, .next),
        ("Wake me when the film starts.", -1, true, .next), ("Wake me at quarter to noon.", -1, true, .next),
    ]) func alarmsAreSetForDays(text: String, minute: Int, isEither: Bool, day: AlarmDay) {
        #expect(
            LocalGrammar.command(in: text) == (minute < 0 ? nil : .alarm(minute: minute, isEither: isEither, day: day))
        )
    }

    @Test(arguments: [
        ("Set an alarm for 7 for school.", "school"), ("Set an alarm called school for 7.", "school"),
        ("Set a school alarm for 7.", "school"), ("Wake me up at 7 for the school run.", "school run"),
        ("Set a wake up alarm for 7.", ""),
        ("Set an alarm at 7 called work", "work"),
    ]) func alarmsHaveNames(text: String, name: String) {
        #expect(LocalGrammar.command(in: text) == .alarm(minute: 420, isEither: true, name: name))
    }

    @Test(arguments: [
        ("Stop the music.", LocalCommand.pause), ("Stop the radio", .pause), ("Stop playing.", .pause),
        ("Turn off the music.", .pause), ("Turn the radio off, please.", .pause), ("Stop playing music", .pause),
        ("Pause this song.", .pause), ("Switch off the radio.", .pause),
        ("Turn the volume up.", .changeVolume(by: 10)), ("Turn the volume down.", .changeVolume(by: -10)),
        ("Turn it up a bit.", .changeVolume(by: 10)), ("Turn it up a little.", .changeVolume(by: 10)),
        ("Make it louder.", .changeVolume(by: 10)), ("Make it a little quieter.", .changeVolume(by: -10)),
        ("Turn up the music", .changeVolume(by: 10)), ("Could you turn the radio down a bit?", .changeVolume(by: -10)),
        ("A bit louder", .changeVolume(by: 10)), ("Speak up.", .changeVolume(by: 10)),
        ("That's too loud!", .changeVolume(by: -10)), ("It's too quiet.", .changeVolume(by: 10)),
        ("Lower the volume.", .changeVolume(by: -10)), ("Increase the volume.", .changeVolume(by: 10)),
        ("Turn the volume up by 20 percent.", .changeVolume(by: 20)), ("Volume down 5.", .changeVolume(by: -5)),
        ("Set the volume at 40%.", .volume(to: 40)), ("Turn the volume down to thirty.", .volume(to: 30)),
        ("Volume to fifty per cent", .volume(to: 50)), ("Turn the volume to 60.", .volume(to: 60)),
        ("Full volume.", .volume(to: 100)),
        ("How long is left on the timer?", .listTimers), ("How much time is left on the pasta timer?", .listTimers),
        ("What timers do I have?", .listTimers), ("Are there any alarms?", .listTimers),
        ("Is there a timer for ten minutes?", .listTimers), ("Do I have an alarm set?", .listTimers),
        ("When does my alarm go off?", .listTimers), ("Which timers are set?", .listTimers),
        ("What's the date today?", .date), ("What day is it today?", .date), ("What day of the week is it?", .date),
        ("What's today?", .date), ("Tell me the date.", .date),
        ("Tell me what time it is.", .time), ("What time is it right now?", .time),
        ("Do you know what time it is?", .time),
        ("What's the time, please?", .time), ("Have you got the time?", .time),
        ("Stop. Stop.", .stop), ("Be quiet!", .stop), ("That's enough.", .stop), ("Would you stop talking?", .stop),
        ("Forget it.", .stop), ("Okay, stop, thank you.", .stop),
        ("Repeat that, please.", .again), ("Could you say that again?", .again), ("What was that?", .again),
        ("I didn't catch that.", .again), ("One more time.", .again), ("Pardon me?", .again),
        ("Go on.", .more), ("Carry on.", .more), ("Keep going.", .more), ("Please continue.", .more),
        ("Read me the rest", .more),
        ("Continue playing.", .resume), ("Resume the radio", .resume), ("Carry on playing.", .resume),
        ("Play.", .resume),
        ("Turn the music back on.", .resume), ("Keep playing.", .resume),
        ("Skip this song.", .next), ("Play the next song.", .next), ("Next station, please.", .next),
        ("Skip to the next track.", .next), ("Go back to the previous track.", .previous),
        ("Go back one song.", .previous),
        ("Mute the mic.", .mute), ("Turn off the microphone.", .mute), ("What can I ask you?", .help),
    ]) func everydayOrdersNeedNoAgent(text: String, command: LocalCommand) {
        #expect(LocalGrammar.command(in: text) == command)
    }

    /// Words that are part of a request for the agent are not taken from it.
    @Test(arguments: [
        "", "...", "Stop the washing machine.", "When does the next train go?", "Play the next one by the Beatles.",
        "What time is it in Tokyo?",
        "Turn it down to 19 degrees in the bedroom.", "Set a timer for when the match begins.",
        "Wake me at seven if it snows.",
        "Set the volume to 400", "Remind me in ten minutes to call.", "Set a timer for 99 days.", "Wake me at 25.",
        "Cancel the order.",
        "Tell me more about the timer.", "Set a timer for 0 minutes", "Wake me at 13 am", "Stop the heating.",
        "Turn up the heating.", "Play something quieter tomorrow.", "What time is it in New York right now?",
        "And the next one?", "The next one.", "Give me the next one.", "Go back to the previous one.", "And the date?",
        "And tomorrow?", "What's the date of Easter?", "What day is it in Sydney?", "Turn off the light.",
        "Turn it up to 21 degrees.",
        "Stop the music in the kitchen.", "Skip breakfast.", "What time is the train?", "Go on holiday.", "Next week.",
        "Play the next episode of The Archers.", "What can you do about it?", "Repeat after me.", "More sugar.",
        "Set an alarm for the first of December at seven.", "Set an alarm for Christmas at eight.",
        "Set an alarm for a week on Monday at seven.", "Wake me at seven for a week.", "Is the smoke alarm on?",
        "When does the fire alarm go off?", "Set a timer for a third of an hour.", "Add five minutes to pasta timer.",
        "Set a timer for a thousand two hundred seconds.", "Adjust timer to ten minutes.",
        "How long is left in the game?", "Say that again in French.", "Turn down the offer.", "Pause for thought.",
    ]) func whatIsForTheAgentGoesToTheAgent(text: String) {
        #expect(LocalGrammar.command(in: text) == nil)
    }

    /// The sentences with which turns and recognition are measured are all questions and requests for Jarvis.
    @Test(arguments: ["turn-sentences", "voice-sentences"]) func whatPeopleAskJarvisGoesToJarvis(file: String) throws {
        let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let text = try String(decoding: Data(contentsOf: root.appending(path: "scripts/\(file).txt")), as: UTF8.self)
        let sentences = text.split(separator: "\n").map { String($0.replacing(" | ", with: " ")) }
        #expect(sentences.count >= 40)
        for sentence in sentences { #expect(LocalGrammar.command(in: sentence) == nil, "\(sentence)") }
    }

    @Test func nothingThatIsRecognisedTraps() {
        var random = SeededGenerator(seed: 9)
        let words = [
            "set", "a", "timer", "for", "and", "half", "an", "hour", "ten", "twenty", "9999", "0", "o'clock", "to",
            "quarter", "past", "alarm",
            "wake", "me", "tomorrow", "every", "monday", "weekdays", "tea", "called", "timer", "turn", "up", "it", "at",
            "am", "pm", "in", "the", "morning", "cancel", "all", "volume", "hundred",
            "99999999999999999999", "'", "day",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }
            switch LocalGrammar.command(in: text.joined(separator: " ")) {
            case .timer(let seconds, _): #expect((1...2_592_000).contains(seconds))
            case .alarm(let minute, _, _, _): #expect((0..<1440).contains(minute))
            case .volume(to: let percent): #expect((0...100).contains(percent))
            default: break
            }
        }
    }
}
