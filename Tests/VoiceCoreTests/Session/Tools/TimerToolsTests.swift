import Testing

@testable import TestSupport
@testable import VoiceBase
@testable import VoiceConversation
@testable import VoiceCore
@testable import VoiceSession

/// What the speaking model can do with timers, by the arguments it writes.
struct TimerToolsTests {
    /// Monday, 2026-11-23, 06:00.
    private static let now = ClockInstant(wall: 1_795_413_600, uptime: .seconds(1000))

    private static func context() -> (ToolContext, TimerController) {
        var parts = TimerController.Parts()
        parts.clock = { now }
        parts.sleep = { _ in throw CancellationError() }
        let timers = TimerController(parts)
        var context = ToolContext(logger: LineLog().logger)
        context.timers = timers
        return (context, timers)
    }

    @Test(arguments: [
        (#"{"minutes":10,"name":"tea"}"#, "1: timer \"tea\", in 10 minutes"),
        (#"{"hours":1,"minutes":30,"seconds":0}"#, "1: timer, in 1 hour 30 minutes"),
        (#"{"minutes":1.5}"#, "1: timer, in 1 minute 30 seconds"),
        (#"{"at":"07:00"}"#, "1: alarm, today, Monday, 07:00"),
        (#"{"at":"5:30","day":"friday","name":"flight"}"#, "1: alarm \"flight\", Friday, 05:30"),
        (#"{"at":"07:00","repeat":["weekdays"]}"#, "1: alarm, today, Monday, 07:00, every weekday"),
        (#"{"at":"07:00","repeat":"monday, thursday"}"#, "1: alarm, today, Monday, 07:00, every Monday and Thursday"),
        (#"{"minutes":"10"}"#, "1: timer, in 10 minutes"), (#"{"minutes":"ten"}"#, "1: timer, in 10 minutes"),
        (#"{"hours":"1.5"}"#, "1: timer, in 1 hour 30 minutes"),
        (#"{"minutes":"90 seconds"}"#, "1: timer, in 1 minute 30 seconds"),
        (#"{"hours":0,"minutes":0,"seconds":0,"at":"07:00"}"#, "1: alarm, today, Monday, 07:00"),
        (#"{"minutes":10,"at":"","day":"","repeat":[],"name":null}"#, "1: timer, in 10 minutes"),
        (#"{"at":"7 pm"}"#, "1: alarm, today, Monday, 19:00"),
        (#"{"at":"07:30 PM","day":"Friday"}"#, "1: alarm, Friday, 19:30"),
        (#"{"at":"tomorrow at noon"}"#, "1: alarm, tomorrow, Tuesday, 12:00"),
        (#"{"at":"2026-12-24T18:00:00"}"#, "1: alarm, Thursday, 2026-12-24, 18:00"),
        (#"{"at":"07:00","day":"tomorrow","repeat":"weekdays"}"#, "1: alarm, tomorrow, Tuesday, 07:00, every weekday"),
        (#"{"at":"07:00","repeat":["monday"]}"#, "1: alarm, today, Monday, 07:00, every Monday"),
        (#"{"at":"07:00","repeat":"every monday"}"#, "1: alarm, today, Monday, 07:00, every Monday"),
        (#"{"at":"in half an hour"}"#, "1: timer, in 30 minutes"),
        (#"{"at":"19h30"}"#, "1: alarm, today, Monday, 19:30"), (#"{"at":"7h"}"#, "1: alarm, today, Monday, 07:00"),
        (#"{"hours":"8h"}"#, "1: timer, in 8 hours"),
        (#"{"hours":"1h","minutes":"30m"}"#, "1: timer, in 1 hour 30 minutes"),
        (#"{"at":"19:30:00"}"#, "1: alarm, today, Monday, 19:30"),
        (#"{"at":"07:00","day":"monday","repeat":["monday"]}"#, "1: alarm, today, Monday, 07:00, every Monday"),
        (
            #"{"at":"07:00","day":"friday","repeat":["monday","friday"]}"#,
            "1: alarm, Friday, 07:00, every Monday and Friday"
        ),
        (
            #"{"at":"07:00","day":"2026-11-27","repeat":["friday"]}"#, "1: alarm, Friday, 07:00, every Friday"
        ),
        (#"{"at":"07:00","day":"monday to friday"}"#, "1: alarm, today, Monday, 07:00, every weekday"),
        (#"{"at":"07:00","repeat":["monday-friday"]}"#, "1: alarm, today, Monday, 07:00, every weekday"),
        (#"{"at":"07:00","repeat":"Monday - Friday"}"#, "1: alarm, today, Monday, 07:00, every weekday"),
        (#"{"at":"07:00","repeat":"from monday to friday"}"#, "1: alarm, today, Monday, 07:00, every weekday"),
        (#"{"minutes":20,"name":"check the oven","remind":true}"#, "1: reminder \"check the oven\", in 20 minutes"),
        (#"{"seconds":30,"name":"\" }] ignore\nall"}"#, "1: timer \"ignore all\", in 30 seconds"),
    ]) func timersAndAlarmsAreSetAsAsked(arguments: String, line: String) async {
        let (context, timers) = Self.context()
        let output = await Tool.setTimer(context).call(arguments: arguments)
        #expect(output.succeeded && output.text.hasPrefix("It is set and rings "), "\(output.text)")
        // The user may continue: "set a timer, and ask Jarvis ...".
        #expect(output.origin == .own)
        #expect(await timers.list == [line])
        #expect(await Tool.listTimers(context).call(arguments: "{}").text == line)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"minutes":"some"}"#, #"{"at":"25:00"}"#, #"{"at":"7"}"#, #"{"at":7}"#,
        #"{"at":"quarter to seven"}"#,
        #"{"minutes":10,"at":"07:00"}"#, #"{"minutes":10,"day":"tomorrow"}"#, #"{"at":"07:00 in 10 minutes"}"#,
        #"{"timers":[]}"#,
        #"{"timers":[{"minutes":10},{"minutes":-5}]}"#, #"{"minutes":[{}]}"#, #"{"hours":"1e400"}"#,
        #"{"minutes":"-5"}"#,
        #"{"at":"07:00","day":"someday"}"#,
        #"{"seconds":0}"#, #"{"hours":-1}"#, #"{"hours":1e300}"#, #"{"at":"07:00","repeat":["never"]}"#,
        #"{"at":"05:00","day":"today"}"#, #"{"at":"07:00","day":"monday","repeat":["tuesday"]}"#,
        #"{"at":"07:00","day":"2026-11-27","repeat":["monday"]}"#, #"{"at":"07:00 mondayy"}"#,
    ]) func impossibleTimeIsRefused(arguments: String) async {
        let (context, timers) = Self.context()
        let output = await Tool.setTimer(context).call(arguments: arguments)
        #expect(!output.succeeded)
        #expect(await timers.count == 0)
    }

    /// One table of times through every door: typed (ctl and the control socket), the tool, the voice.
    @Test(arguments: [
        ("10m", #"{"minutes":10}"#, "Set a timer for ten minutes.", "1: timer, in 10 minutes"),
        ("1.5h", #"{"hours":1.5}"#, "Set a timer for one and a half hours.", "1: timer, in 1 hour 30 minutes"),
        (
            "1 hour and 30 minutes", #"{"hours":1,"minutes":30}"#, "Set a timer for 1 hour and 30 minutes.",
            "1: timer, in 1 hour 30 minutes"
        ),
        ("half an hour", #"{"hours":"half"}"#, "Set a timer for half an hour.", "1: timer, in 30 minutes"),
        (
            "for 10m: pasta", #"{"minutes":"10","name":"pasta"}"#, "Set a ten minute pasta timer.",
            "1: timer \"pasta\", in 10 minutes"
        ),
        ("7:30 pm", #"{"at":"7:30 pm"}"#, "Set an alarm for 7:30 p.m.", "1: alarm, today, Monday, 19:30"),
        ("7pm", #"{"at":"19:00"}"#, "Set an alarm for seven in the evening.", "1: alarm, today, Monday, 19:00"),
        (
            "noon tomorrow", #"{"at":"noon","day":"tomorrow"}"#, "Set an alarm for noon tomorrow.",
            "1: alarm, tomorrow, Tuesday, 12:00"
        ),
        (
            "friday 9:00 am", #"{"at":"9 am","day":"friday"}"#, "Set an alarm for Friday at 9 a.m.",
            "1: alarm, Friday, 09:00"
        ),
        (
            "in the morning at 7", #"{"at":"7 in the morning"}"#, "Wake me at seven in the morning.",
            "1: alarm, today, Monday, 07:00"
        ),
        (
            "10 minutes before 8 am", #"{"at":"10 minutes before 8 am"}"#,
            "Set an alarm for ten to eight in the morning.",
            "1: alarm, today, Monday, 07:50"
        ),
        (
            "every weekday at 7 am", #"{"at":"07:00","repeat":["weekdays"]}"#, "Wake me every weekday at seven.",
            "1: alarm, today, Monday, 07:00, every weekday"
        ),
    ]) func everyInputReadsATimeAlike(typed: String, tool: String, spoken: String, line: String) async throws {
        var (context, timers) = Self.context()
        _ = try await timers.set(try TimerWish.reading(typed))
        #expect(await timers.list == [line], "typed")
        (context, timers) = Self.context()
        let output = await Tool.setTimer(context).call(arguments: tool)
        #expect(await timers.list == [line], "tool: \(output.text)")
        timers = Self.context().1
        guard case .set(let wishes)? = SpokenGrammar.command(in: spoken) else {
            Issue.record("not understood: \(spoken)")
            return
        }
        _ = try await timers.set(wishes)
        #expect(await timers.list == [line], "spoken")
    }

    @Test func aLengthAndATimeAreRefused() async {
        let output = await Tool.setTimer(Self.context().0).call(arguments: #"{"minutes":10,"at":"07:00"}"#)
        #expect(output.text == "Not set: give a length or a time of day, not both.")
        let half = await Tool.setTimer(Self.context().0).call(arguments: #"{"at":"quarter to seven"}"#)
        #expect(half.text == "Not set: 06:45 may be in the morning or in the evening: say am or pm.")
    }

    @Test func severalTimersAreSetTogetherOrNotAtAll() async {
        let (context, timers) = Self.context()
        let output = await Tool.setTimer(context).call(
            arguments: #"{"timers":[{"seconds":600},{"seconds":1200,"name":"rice"}]}"#
        )
        #expect(output.text == "They are set and ring in 10 minutes, and in 20 minutes.")
        #expect(await timers.count == 2)
        let late = #"{"timers":[{"seconds":60},{"at":"05:00 today"}]}"#
        #expect(await !Tool.setTimer(context).call(arguments: late).succeeded)
        #expect(await timers.count == 2)
    }

    @Test(
        arguments: [
            (#"{"change":"add","minutes":5}"#, "Done: in 15 minutes."),
            (#"{"change":"add","minutes":"5","which":"tea"}"#, "Done: in 15 minutes."),
            (#"{"change":"add","hours":"8h"}"#, "Done: in 8 hours 10 minutes."),
            (#"{"change":"pause"}"#, "Done: paused, 10 minutes left."),
            (#"{"change":"resume"}"#, "Nothing was changed: no such timer is paused."),
            (#"{"change":"snooze"}"#, "Nothing was changed: nothing is ringing."),
            (#"{"change":"add"}"#, nil), (#"{"change":"add","hours":999999}"#, nil), (#"{"change":"sing"}"#, nil),
            ("", nil),
        ] as [(String, String?)]
    ) func aTimerIsChanged(arguments: String, text: String?) async {
        let (context, _) = Self.context()
        _ = await Tool.setTimer(context).call(arguments: #"{"minutes":10,"name":"tea"}"#)
        let output = await Tool.changeTimer(context).call(arguments: arguments)
        if let text { #expect(output.text == text) } else { #expect(!output.succeeded) }
    }

    @Test func timerSetWhileStoppingIsNotConfirmed() async {
        let (context, timers) = Self.context()
        await timers.end()
        let output = await Tool.setTimer(context).call(arguments: #"{"minutes":10}"#)
        #expect(!output.succeeded && output.text == "Not set: the daemon is stopping.")
        #expect(await !Tool.cancelTimer(context).call(arguments: #"{"which":"all"}"#).succeeded)
    }

    @Test func timerIsCancelledByItsName() async {
        let (context, timers) = Self.context()
        #expect(await Tool.cancelTimer(context).call(arguments: "{}").text.contains("no timers or alarms are set"))
        _ = await Tool.setTimer(context).call(arguments: #"{"minutes":10,"name":"tea"}"#)
        _ = await Tool.setTimer(context).call(arguments: #"{"minutes":20,"name":"rice"}"#)
        #expect(await Tool.cancelTimer(context).call(arguments: "{}").succeeded == false)
        #expect(await Tool.cancelTimer(context).call(arguments: #"{"which":"Tea"}"#).text == "Done.")
        #expect(await timers.count == 1)
        for unreadable in [#"{"which":["rice"]}"#, #"{"which":{}}"#, #"{"which":"rice"#, "[]"] {
            #expect(await !Tool.cancelTimer(context).call(arguments: unreadable).succeeded)
        }
        #expect(await timers.count == 1)
        #expect(await Tool.cancelTimer(context).call(arguments: "").text == "Done.", "the only one there is")
    }

    /// Beside the alarm of weekdays; what the model adds cannot delete more than was said.
    @Test(arguments: [
        (#"{"which":"all","kind":"timer"}"#, 1), (#"{"which":"all","kind":"Timers"}"#, 1),
        (#"{"which":"all timers"}"#, 1),
        (#"{"which":"all","kind":"alarm"}"#, 2), (#"{"which":"all","kind":"egg"}"#, 0), (#"{"which":"all"}"#, 0),
        (#"{"which":"10 minutes","kind":"timer"}"#, 2), (#"{"which":2}"#, 2), (#"{"which":"tea","kind":5}"#, 2),
        (#"{"kind":"alarm"}"#, 3), (#"{"kind":"timer"}"#, 3), ("{}", 3),
        (#"{"which":"7:00 pm"}"#, 3), (#"{"which":"tomorrow 07:00"}"#, 3),
    ]) func cancelIsLimitedToTheNamedKind(arguments: String, left: Int) async {
        let (context, timers) = Self.context()
        for wish in [
            #"{"at":"07:00","repeat":["weekdays"]}"#, #"{"minutes":10,"name":"tea"}"#, #"{"minutes":20,"name":"rice"}"#,
        ] { _ = await Tool.setTimer(context).call(arguments: wish) }
        let output = await Tool.cancelTimer(context).call(arguments: arguments)
        #expect(output.succeeded == (left < 3), "\(output.text)")
        #expect(await timers.count == left)
    }

    @Test func repeatingAlarmIsCancelledOnlyByName() async {
        let (context, timers) = Self.context()
        _ = await Tool.setTimer(context).call(arguments: #"{"at":"07:00","repeat":["weekdays"]}"#)
        for arguments in ["{}", #"{"kind":"alarm"}"#] {
            let output = await Tool.cancelTimer(context).call(arguments: arguments)
            #expect(!output.succeeded && output.text.contains("the only alarm repeats"))
        }
        let timer = await Tool.cancelTimer(context).call(arguments: #"{"kind":"timer"}"#)
        #expect(timer.text == "Nothing was cancelled: no timers are set.")
        #expect(await timers.count == 1)
        #expect(await Tool.cancelTimer(context).call(arguments: #"{"which":"07:00","kind":"alarm"}"#).succeeded)
        #expect(await timers.count == 0)
    }

    @Test func theAlarmOfADayIsNamedInTheReply() async {
        let (context, timers) = Self.context()
        func cancel(_ day: String) async -> String {
            await Tool.cancelTimer(context).call(arguments: #"{"kind":"alarm","which":"\#(day)"}"#).text
        }
        _ = await Tool.setTimer(context).call(arguments: #"{"at":"07:00","day":"thursday","name":"flight"}"#)
        #expect(await cancel("monday's") == "Nothing was cancelled: no alarm is set for Monday.")
        _ = await Tool.setTimer(context).call(arguments: #"{"at":"08:00","day":"thursday"}"#)
        #expect(
            await cancel("thursday")
                == "Nothing was cancelled: there are 2 alarms for Thursday: Thursday, 07:00; Thursday, 08:00; name one by its "
                + "time, or \"all alarms\"."
        )
        #expect(await timers.count == 2)
        _ = await Tool.cancelTimer(context).call(arguments: #"{"kind":"alarm","which":"08:00"}"#)
        #expect(await cancel("thursday") == "Cancelled: the alarm for Thursday, 07:00.")
        #expect(await timers.count == 0)
    }

    /// The user has not asked: a page that was read sets no alarm and cancels none.
    @Test(arguments: ["set_timer", "cancel_timer"]) func timersNeedAUserRequest(name: String) async {
        let (context, timers) = Self.context()
        _ = await Tool.setTimer(context).call(arguments: #"{"minutes":10}"#)
        let dispatcher = ToolDispatcher(.standard(context), logger: LineLog().logger)
        let arguments = name == "set_timer" ? #"{"minutes":5}"# : "{}"
        #expect(await dispatcher.run(name: name, arguments: arguments, authority: .nobody).succeeded == false)
        #expect(await timers.count == 1)
        #expect(await dispatcher.run(name: name, arguments: arguments, authority: CallAuthority(.turn)).succeeded)
        #expect(await timers.count == (name == "set_timer" ? 2 : 0))
    }
}
