import FoundationEssentials
import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation

struct SpokenGrammarTests {
    /// The time of the only alarm that a sentence sets, with "?" if it may be in the morning or in the evening.
    private static func set(_ text: String) -> String? {
        guard case .set(let wishes)? = SpokenGrammar.command(in: text), wishes.count == 1 else { return nil }
        return wishes[0].when.text + (wishes[0].when.isEither ? " ?" : "")
    }

    @Test(arguments: [
        ("Stop.", SpokenCommand.stop), ("Jarvis, stop it, please!", .stop), ("Never mind.", .stop),
        ("Pause the music.", .pause),
        ("Play on.", .resume), ("Next song.", .next), ("Skip this", .next), ("Previous track.", .previous),
        ("Louder!", .changeVolume(by: 10)),
        ("Can you turn it down, please?", .changeVolume(by: -10)),
        ("Set the volume to forty percent.", .volume(to: 40)),
        ("Volume 25", .volume(to: 25)), ("What time is it?", .time), ("What's today's date?", .date),
        ("Say that again.", .again),
        ("Go on.", .more), ("What can you do?", .help), ("Mute yourself.", .mute),
    ]) func localCommandsAreRecognised(text: String, command: SpokenCommand) {
        #expect(SpokenGrammar.command(in: text) == command)
    }

    @Test(arguments: [
        ("Set a timer for ten minutes.", 600, ""), ("Set a ten-minute timer", 600, ""),
        ("Set a 5 minute tea timer.", 300, "tea"),
        ("Start a timer for an hour and a half.", 5400, ""), ("Set a timer for half an hour", 1800, ""),
        ("Timer for twenty five minutes called bread.", 1500, "bread"), ("Set an egg timer for 7 minutes.", 420, "egg"),
        ("Set a pasta timer for 1 hour and 20 minutes.", 4800, "pasta"), ("Timer two and a half minutes", 150, ""),
        ("Set a timer for 90 seconds for the eggs", 90, "eggs"),
    ]) func timersAreSet(text: String, seconds: Int, name: String) {
        #expect(SpokenGrammar.command(in: text) == .set([TimerWish(.after(seconds), name: name)]))
    }

    @Test(arguments: [
        ("Wake me up at seven.", "07:00"), ("Wake me at 6:30 AM", "06:30"),
        ("Set an alarm for half past six.", "06:30 ?"),
        ("Set an alarm for 7 p.m.", "19:00"), ("Alarm at quarter to eight in the morning", "07:45"),
        ("Wake me at 18:30", "18:30"), ("Set an alarm for noon.", "12:00"), ("Wake me at 12 a.m.", "00:00"),
        ("Wake me up at seven o'clock", "07:00"), ("Wake me at six oh five.", "06:05"),
        ("Set an alarm for 730", "07:30 ?"),
    ]) func alarmsAreSet(text: String, when: String) {
        #expect(Self.set(text) == when)
    }

    @Test(arguments: [
        ("Cancel the timer.", TimerChoice.Which.obvious, TimerKind.timer),
        ("Stop the alarm!", .obvious, .alarm),
        ("Turn off the alarm.", .obvious, .alarm), ("Turn the alarm off", .obvious, .alarm),
        ("Cancel the tea timer.", .named("tea"), .timer), ("Cancel the timer for the pasta.", .named("pasta"), .timer),
        ("Delete the timer called tea", .named("tea"), .timer), ("Cancel timer two.", .named("2"), .timer),
        ("Cancel the school alarm.", .named("school"), .alarm),
        ("Cancel all timers", .all, .timer), ("Cancel my timers.", .all, .timer),
        ("Cancel all of my timers.", .all, .timer),
        ("Turn off all alarms.", .all, .alarm), ("Cancel all my alarms.", .all, .alarm),
        ("Cancel all timers and alarms.", .all, .any),
        ("Cancel the ten minute timer.", .named("600 seconds"), .timer),
        ("Cancel the 10-minute timer.", .named("600 seconds"), .timer),
        ("Cancel the timer for ten minutes.", .named("600 seconds"), .timer),
        ("Cancel the ten minute tea timer.", .named("tea"), .timer),
        ("Cancel the seven o'clock alarm.", .named("07:00 or 19:00"), .alarm),
        ("Cancel Monday's alarm.", .named("monday's"), .alarm), ("Cancel my Monday alarm.", .named("monday"), .alarm),
        ("Cancel the alarm for Monday.", .named("monday"), .alarm),
        ("Cancel Tuesdays Alarm.", .named("tuesday"), .alarm),
        ("Cancel my 7:30 a.m. alarm.", .named("07:30"), .alarm),
        ("Turn off the alarm for half past six", .named("06:30 or 18:30"), .alarm),
    ]) func timersAreCancelled(text: String, which: TimerChoice.Which, kind: TimerKind) {
        #expect(SpokenGrammar.command(in: text) == .cancelTimer(TimerChoice(which, of: kind)))
    }

    /// As Whisper writes what people say in a kitchen and in bed.
    @Test(arguments: [
        ("Set a timer, please, for, um, ten minutes.", SpokenCommand.set([TimerWish(.after(600), name: "")])),
        ("Set timer 10 minutes.", SpokenCommand.set([TimerWish(.after(600), name: "")])),
        ("Set the kitchen timer for 10 minutes.", .set([TimerWish(.after(600), name: "kitchen")])),
        ("Start timer for 1 hour 15 minutes.", .set([TimerWish(.after(4500), name: "")])),
        ("Ten-minute pasta timer.", .set([TimerWish(.after(600), name: "pasta")])),
        ("Set a timer to 2 hours and 30 minutes, please.", .set([TimerWish(.after(9000), name: "")])),
        ("Can you set an hour timer?", .set([TimerWish(.after(3600), name: "")])),
        ("Set one hour timer", .set([TimerWish(.after(3600), name: "")])),
        ("Set a timer for 10 minutes, call it pasta.", .set([TimerWish(.after(600), name: "pasta")])),
        ("Set a 2½ minute timer.", .set([TimerWish(.after(150), name: "")])),
        ("Set a timer for an hour and twenty.", .set([TimerWish(.after(4800), name: "")])),
        ("What's left on my timer?", .listTimers), ("What are my alarms?", .listTimers),
        ("Check the timer.", .listTimers),
        ("When is my next alarm?", .listTimers), ("What time is my alarm set for?", .listTimers),
        ("Timer off.", .cancelTimer(TimerChoice(.obvious, of: .timer))),
        ("Dismiss the alarm.", .cancelTimer(TimerChoice(.obvious, of: .alarm))),
        ("Cancel my wake-up alarm.", .cancelTimer(TimerChoice(.obvious, of: .alarm))),
        ("Stop the pasta timer.", .cancelTimer(TimerChoice(.named("pasta"), of: .timer))),
        ("Remove my 7 a.m. alarm.", .cancelTimer(TimerChoice(.named("07:00"), of: .alarm))),
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
    ]) func colloquialCommandsAreUnderstood(text: String, command: SpokenCommand) {
        #expect(SpokenGrammar.command(in: text) == command)
    }

    @Test(arguments: [
        ("Set a timer for ten minutes and another for five.", [(600, ""), (300, "")]),
        ("Set a timer for ten minutes and another one for twenty minutes.", [(600, ""), (1200, "")]),
        ("Set a ten minute timer for the pasta and a five minute egg timer.", [(600, "pasta"), (300, "egg")]),
        ("Start two timers, one for an hour and one for half an hour.", [(3600, ""), (1800, "")]),
        ("Set timers for 5 and 10 minutes.", [(300, ""), (600, "")]),
        ("Set two timers for 5 minutes and 10 minutes.", [(300, ""), (600, "")]),
        ("Set a timer for 1 minute, another for 2 and another for 3.", []),
        (
            "Set a timer for ten minutes and another for twenty and another for thirty.",
            [(600, ""), (1200, ""), (1800, "")]
        ),
        ("Set a timer for ten minutes and stop the music.", []), ("Set a timer for ten minutes and another.", []),
        ("Set a timer for 10 minutes and 20 minutes.", []),
        ("Set a timer for ten minutes and another for 999999999.", []),
    ]) func severalTimersAreSetInOneSentence(text: String, timers: [(Int, String)]) {
        let wishes = timers.map { TimerWish(.after($0.0), name: $0.1) }
        #expect(SpokenGrammar.command(in: text) == (wishes.isEmpty ? nil : .set(wishes)))
    }

    @Test(
        arguments: [
            ("Remind me in twenty minutes to check the oven.", "1200 seconds", "check the oven"),
            ("Remind me to call Anna in an hour, please.", "3600 seconds", "call Anna"),
            ("In half an hour, remind me to leave.", "1800 seconds", "leave"),
            ("Set a reminder for 7 p.m. to take the pills", "19:00", "take the pills"),
            ("Remind me tomorrow to water the plants at 8 a.m.", "08:00 tomorrow", "water the plants"),
            ("Remind us every day at six about the cat.", "06:00 every day", "the cat"),
            ("Remind me at noon that lunch is ready", "12:00", "lunch is ready"),
            ("Remind me at seven to eat.", "07:00 ?", "eat"),
            ("Remind me in 20 minutes to call Bob at 5.", nil, ""), ("Remind me to call Anna.", nil, ""),
            ("Remind me in ten minutes.", nil, ""), ("Don't remind me in ten minutes to call.", nil, ""),
            ("Remind me tomorrow to call.", nil, ""), ("Remind me in twenty minutes when the film starts.", nil, ""),
        ] as [(String, String?, String)]
    ) func remindersKeepTheirWords(text: String, when: String?, words: String) {
        let time = Self.set(text)
        #expect(time == when)
        guard when != nil, case .set(let wishes)? = SpokenGrammar.command(in: text) else { return }
        #expect(wishes[0].isReminder && wishes[0].name == words)
    }

    @Test(arguments: [
        ("Add five minutes to the timer.", SpokenCommand.changeTimer(TimerChoice(.obvious, of: .timer), .add(300))),
        ("Add five minutes to pasta timer.", .changeTimer(TimerChoice(.named("pasta"), of: .timer), .add(300))),
        ("Add another ten minutes.", .changeTimer(TimerChoice(.obvious, of: .timer), .add(600))),
        ("Extend the tea timer by two minutes.", .changeTimer(TimerChoice(.named("tea"), of: .timer), .add(120))),
        ("Put ten more minutes on the timer.", .changeTimer(TimerChoice(.obvious, of: .timer), .add(600))),
        ("Pause the timer.", .changeTimer(TimerChoice(.obvious, of: .timer), .pause)),
        ("Pause my pasta timer, please.", .changeTimer(TimerChoice(.named("pasta"), of: .timer), .pause)),
        ("Pause the ten minute timer.", .changeTimer(TimerChoice(.named("600 seconds"), of: .timer), .pause)),
        ("Resume the timer.", .changeTimer(TimerChoice(.obvious, of: .timer), .resume)),
        ("Continue the pasta timer.", .changeTimer(TimerChoice(.named("pasta"), of: .timer), .resume)),
        ("Snooze.", .changeTimer(.obvious, .snooze(600))), ("Snooze the alarm.", .changeTimer(.obvious, .snooze(600))),
        ("Snooze it for another five minutes.", .changeTimer(.obvious, .snooze(300))),
        ("Cancel the reminder to check the oven.", .cancelTimer(TimerChoice(.named("check the oven"), of: .reminder))),
        ("Snooze for five minutes.", .changeTimer(.obvious, .snooze(300))),
        ("Snooze the alarm for ten minutes.", .changeTimer(.obvious, .snooze(600))),
        ("Five more minutes.", .changeTimer(.obvious, .snooze(300))),
        ("Cancel the reminder.", .cancelTimer(TimerChoice(.obvious, of: .reminder))),
        ("Cancel all my reminders.", .cancelTimer(TimerChoice(.all, of: .reminder))),
        ("What reminders do I have?", .listTimers),
        ("Set a timer until 7:30 pm.", .set([TimerWish(.at(minute: 1170, .next, repeats: []))])),
    ]) func changesOfATimerAreUnderstood(text: String, command: SpokenCommand) {
        #expect(SpokenGrammar.command(in: text) == command)
    }

    /// "Quarter to seven" is asked about; the reply says which.
    @Test(
        arguments: [
            ("In the morning.", "06:45"), ("The evening, please", "18:45"), ("PM", "18:45"), ("a.m.", "06:45"),
            ("6:45 pm.", "18:45"), ("Quarter to seven in the evening", "18:45"), ("Tomorrow morning", "06:45 tomorrow"),
            ("At night.", "18:45"), ("It is", nil), ("Tomorrow", nil), ("What time is it?", nil), ("Seven p.m.", nil),
            ("", nil), ("Banana", nil), ("No, the other one.", nil),
        ] as [(String, String?)]
    ) func replyNamesTheHalfOfTheDay(reply: String, when: String?) throws {
        let command = try #require(SpokenGrammar.command(in: "Set an alarm for quarter to seven."))
        #expect(command.question == "6:45 in the morning, or in the evening?")
        var text: String?
        if case .set(let wishes)? = command.settled(by: reply) { text = wishes.first?.when.text }
        #expect(text == when)
    }

    /// "Twelve" is asked about; midnight belongs to the day before.
    @Test(
        arguments: [
            ("Set an alarm for twelve tomorrow.", "In the evening.", nil),
            ("Set an alarm for twelve tomorrow.", "In the afternoon.", "12:00 tomorrow"),
            ("Set an alarm for seven tomorrow.", "In the evening.", "19:00 tomorrow"),
            ("Set an alarm for twelve.", "In the evening.", "00:00"),
            ("Set an alarm for seven on Monday.", "In the morning.", "07:00 monday"),
        ] as [(String, String, String?)]
    ) func replyCannotMoveTheAlarmToAnotherDay(order: String, reply: String, when: String?) throws {
        let command = try #require(SpokenGrammar.command(in: order))
        var text: String?
        if case .set(let wishes)? = command.settled(by: reply) { text = wishes.first?.when.text }
        #expect(text == when)
    }

    /// Nothing is done without an order, least of all the opposite.
    @Test(arguments: [
        "Set a timer for minus five minutes.", "Set a timer for -5 minutes.", "Set a timer for 1e400 minutes.",
        "Set a timer for 999999999 hours.", "Set an alarm for 61 minutes past seven.",
        "Don't set a timer for ten minutes.", "Do not set a timer for ten minutes",
        "Never set a timer for ten minutes.",
        "Pause the timer for five minutes.", "Which timer is for ten minutes?", "No timer for ten minutes.",
        "Reset the timer for ten minutes.",
        "The ten minute timer.", "Did you set a timer for ten minutes?", "What is a ten minute timer?",
        "I had a timer for ten minutes.", "My timer for ten minutes.",
        "Don't wake me at seven.", "Did you set an alarm for seven?", "The alarm at seven.",
        "Change the alarm to seven.",
        "Is the alarm at seven?", "Don't cancel the timer.", "Do not stop the music.", "Don't stop.", "Not louder.",
        "Stop the timer in ten minutes.", "Cancel tomorrow's alarm.", "Cancel the alarm for tomorrow.",
        "Cancel the Monday morning alarm.",
        "No more.",
        "Set a timer for ten minutes for the pasta and stop the music.",

        "Turn off the burglar alarm.", "Set the house alarm for 7.", "Fire alarm at seven.", "Wake me at 7, 8 and 9.",
        "Wake me at seven or eight.",

        "Set the timer back to ten minutes.", "No, not now.", "Wake me at seven, not at eight.", "Cancel it.",
        "Stop the alarm system.", "Set a timer for ten five minutes.", "How long?",
        "How much?",
        "Cancel that.", "Wake me at seven on Monday and Wednesday.",
        "Wake me at two tomorrow night.", "Stop the music in ten minutes.", "Turn the volume up to 400.",
    ]) func questionsAndRefusalsSetNothing(text: String) {
        #expect(SpokenGrammar.command(in: text) == nil)
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
        #expect(SpokenGrammar.command(in: text) == (seconds > 0 ? .set([TimerWish(.after(seconds), name: name)]) : nil))
    }

    @Test(
        arguments: [
            ("Wake me at half past seven tomorrow.", "07:30 tomorrow"),
            ("Set an alarm for quarter past six in the morning.", "06:15"),
            ("Set alarm 7 am.", "07:00"),
            ("Please wake me at five to seven.", "06:55"),
            ("Wake me up at eight on Sunday morning.", "08:00 sunday"),
            ("Set an alarm every weekday at 6 a.m.", "06:00 every weekday"),
            ("Wake me up in the morning at six.", "06:00"),
            ("Set an alarm for tonight at 10:30.", "22:30"),
            ("Tomorrow, wake me at 6:45 AM.", "06:45 tomorrow"),
            ("Alarm at twelve thirty pm", "12:30"),
            ("Wake me at half past seven tomorrow morning.", "07:30 tomorrow"),
            ("Wake me up tomorrow morning at 7:30.", "07:30 tomorrow"),
            ("Wake me at seven on weekdays.", "07:00 every weekday"),
            ("On weekdays, wake me at seven.", "07:00 every weekday"),
            ("Wake me at twenty past six.", "06:20"),
            ("Wake me at quarter to eight.", "07:45"), ("Wake me at a quarter to eight.", "07:45"),
            ("Wake me up at 7.30am.", "07:30"), ("Wake me up at 7:30 a.m.", "07:30"),
            ("Set an alarm for 7am.", "07:00"), ("Set an alarm for seven a m", "07:00"),
            ("Wake me at seven o clock", "07:00"),
            ("Set an alarm for 6 o'clock in the evening.", "18:00"),
            ("Set an alarm for twenty-five to nine p.m.", "20:35"),
            ("Alarm at ten to twelve pm", "23:50"),
            ("Wake me at half seven.", "07:30"), ("Set the alarm for 07:00.", "07:00"),
            ("Set my alarm to 6:45 every day.", "06:45 every day"),
            ("Wake me every morning at seven.", "07:00 every day"),
            ("Wake me at six thirty on Monday.", "06:30 monday"),
            ("Set an alarm for Monday at 6:30 a.m.", "06:30 monday"),
            ("Set an alarm for 9 on Saturdays and Sundays.", "09:00 every weekend"),
            ("Set an alarm for 9 every Monday, Wednesday and Friday.", "09:00 every monday, wednesday and friday"),
            ("Set an alarm for 6:30 Monday to Friday.", "06:30 every weekday"),
            ("Wake me at twelve in the evening.", "00:00"), ("Wake me at twelve this evening.", "00:00"),
            ("Wake me at ten tonight.", "22:00"), ("Wake me at one tonight.", "01:00"),
            ("Set an alarm for five this afternoon.", "17:00 today"),
            ("Set a 7 a.m. alarm.", "07:00"), ("Set a 7 o'clock alarm for tomorrow.", "07:00 tomorrow ?"),
            ("Set a daily alarm for 7 AM.", "07:00 every day"),
            ("Wake me at noon tomorrow", "12:00 tomorrow"),
            ("Wake me at seven the day after tomorrow.", "07:00 the day after tomorrow"),
            ("Wake me up at seven this morning every day.", nil),
            ("Wake me at seven pm in the morning.", nil),
            ("Set an alarm tomorrow.", nil), ("Wake me at 7:75.", nil),
            ("Wake me when the film starts.", nil), ("Wake me at quarter to noon.", "11:45"),
        ] as [(String, String?)]
    ) func alarmsAreSetForDays(text: String, when: String?) {
        #expect(Self.set(text) == when)
    }

    @Test(arguments: [
        ("Set an alarm for 7 for school.", "school"), ("Set an alarm called school for 7.", "school"),
        ("Set a school alarm for 7.", "school"), ("Wake me up at 7 for the school run.", "school run"),
        ("Set a wake up alarm for 7.", ""),
        ("Set an alarm at 7 called work", "work"),
    ]) func alarmsHaveNames(text: String, name: String) {
        #expect(
            SpokenGrammar.command(in: text)
                == .set([TimerWish(.at(minute: 420, .next, repeats: [], isEither: !text.hasPrefix("Wake")), name: name)]
                )
        )
    }

    @Test(arguments: [
        ("Stop the music.", SpokenCommand.pause), ("Stop the radio", .pause), ("Stop playing.", .pause),
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
    ]) func everydayOrdersNeedNoAgent(text: String, command: SpokenCommand) {
        #expect(SpokenGrammar.command(in: text) == command)
    }

    /// Words that are part of a request for the agent are not taken from it.
    @Test(arguments: [
        "", "...", "Stop the washing machine.", "When does the next train go?", "Play the next one by the Beatles.",
        "What time is it in Tokyo?",
        "Turn it down to 19 degrees in the bedroom.", "Set a timer for when the match begins.",
        "Wake me at seven if it snows.",
        "Set the volume to 400", "Set a timer for 99 days.", "Wake me at 25.",
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
        "When does the fire alarm go off?", "Set a timer for a third of an hour.",
        "Set a timer for a thousand two hundred seconds.", "Adjust timer to ten minutes.",
        "How long is left in the game?", "Say that again in French.", "Turn down the offer.", "Pause for thought.",
    ]) func requestsContainingCommandWordsReachTheAgent(text: String) {
        #expect(SpokenGrammar.command(in: text) == nil)
    }

    /// The sentences with which turns and recognition were measured are all questions and requests for Jarvis.
    @Test func recordedRequestsReachTheAgent() throws {
        let text = try ProjectFiles.text("Tests/Sentences/requests.txt")
        let sentences = text.replacing(" | ", with: " ").split(separator: "\n")
        #expect(sentences.count >= 80)
        for sentence in sentences { #expect(SpokenGrammar.command(in: String(sentence)) == nil, "\(sentence)") }
    }

    @Test func randomSentencesDoNotTrap() {
        var random = SeededGenerator(seed: 9)
        let words = [
            "set", "a", "timer", "for", "and", "half", "an", "hour", "ten", "twenty", "9999", "0", "o'clock", "to",
            "quarter", "past", "alarm",
            "wake", "me", "tomorrow", "every", "monday", "weekdays", "tea", "called", "timer", "turn", "up", "it", "at",
            "am", "pm", "in", "the", "morning", "cancel", "all", "volume", "hundred",
            "99999999999999999999", "'", "day", "remind", "another", "snooze", "add", "more", "1e400", "-5", "7:30pm",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...9, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }
            switch SpokenGrammar.command(in: text.joined(separator: " ")) {
            case .set(let wishes):
                for wish in wishes {
                    switch wish.when {
                    case .after(let seconds): #expect((1...2_592_000).contains(seconds))
                    case .at(let minute, _, _, _): #expect((0..<1440).contains(minute))
                    }
                }
            case .volume(to: let percent): #expect((0...100).contains(percent))
            default: break
            }
        }
    }
}
