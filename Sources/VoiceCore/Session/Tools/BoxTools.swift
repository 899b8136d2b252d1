internal import Glibc
internal import VoiceBase
internal import VoiceConversation

/// The actions of the daemon itself, without an agent or a model: for the local grammar.
package struct BoxControls: Sendable {
    /// Changes the main volume, in percent, and returns the new value.
    package var changeVolume: @Sendable (_ change: (Int) -> Int) async -> Int = { $0(0) }
    /// Does the same as the stop key.
    package var stop: @Sendable () -> Void = {}
    package var mute: @Sendable () -> Void = {}
    /// Unix time, in seconds.
    package var time: @Sendable () -> Int = { Glibc.time(nil) }

    package init() {}
}

extension Tool {
    /// tell_time: the time, or the date.
    static func tellTime(_ box: BoxControls) -> Tool {
        Tool(
            "tell_time",
            needs: .none,
            "Tells the time of day, or with date the day.",
            #"{"type":"object","properties":{"date":{"type":"boolean"}},"additionalProperties":false}"#,
            .plain { arguments in
                let wantsDate = ToolArguments.decode(TimeWish.self, from: arguments)?.date ?? false
                var seconds = box.time()
                guard seconds >= ClockInstant.oldest else {
                    let words = "I don't know, because the clock of this box is not set yet."
                    return ToolResult(.refusal(.because(words)))
                }
                var local = tm()
                localtime_r(&seconds, &local)
                return ToolResult(.done(wantsDate ? SpokenClock.date(local) : SpokenClock.time(local)))
            }
        )
    }

    private struct TimeWish: Decodable {
        let date: Bool?
    }

    /// change_volume: louder, quieter, or to a percentage. The new volume is spoken, and heard at that volume: nothing else
    /// may be playing.
    static func changeVolume(_ box: BoxControls) -> Tool {
        Tool(
            "change_volume",
            needs: .turn,
            "Changes the volume of the box by so many percent, or to so many.",
            #"{"type":"object","properties":{"by":{"type":"integer"},"to":{"type":"integer"}},"additionalProperties":false}"#,
            .ordered { arguments in
                let wish = ToolArguments.decode(VolumeWish.self, from: arguments)
                guard let wish, wish.by != nil || wish.to != nil else {
                    return ToolResult(.refusal(.because("I did not get how loud. Please say it again.")))
                }
                let percent = await box.changeVolume { now in
                    min(max(wish.to ?? now + min(max(wish.by ?? 0, -100), 100), 0), 100)
                }
                return ToolResult(.done("Volume \(percent) percent."))
            }
        )
    }

    private struct VolumeWish: Decodable {
        let by: Int?
        let to: Int?
    }

    /// An order to the daemon without arguments and without a reply.
    private static func order(
        _ name: String,
        needs: ToolAuthority,
        _ description: String,
        _ perform: @escaping @Sendable () -> Void
    ) -> Tool {
        Tool(
            name,
            needs: needs,
            description,
            .ordered { _ in
                perform()
                return ToolResult(.done("Done."), wantsReply: false)
            }
        )
    }

    /// The tools of the small grammar that models are not offered.
    static func box(_ context: ToolContext) -> [Tool] {
        let box = context.box
        return [
            tellTime(box), changeVolume(box),
            order("stop_talking", needs: .none, "Stops speaking, and cancels the current request.", box.stop),
            order("mute_microphone", needs: .turn, "Mutes the microphone until a person unmutes it by hand.", box.mute),
            previousTrack(context.media),
        ]
    }
}

/// The time and the date as sentences.
enum SpokenClock {
    /// "It is 7:05 PM."
    static func time(_ local: tm) -> String {
        let (hour, minute) = (Int(local.tm_hour), Int(local.tm_min))
        let half = hour < 12 ? "AM" : "PM"
        return "It is \((hour + 11) % 12 + 1):\(minute < 10 ? "0" : "")\(minute) \(half)."
    }

    private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// "It is Monday, November 23, 2026."
    static func date(_ local: tm) -> String {
        let day = days[min(max(Int(local.tm_wday), 0), 6)]
        let month = months[min(max(Int(local.tm_mon), 0), 11)]
        return "It is \(day), \(month) \(local.tm_mday), \(Int(local.tm_year) + 1900)."
    }
}
