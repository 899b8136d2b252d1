internal import Glibc
internal import VoiceBase
internal import VoiceConversation

/// What the daemon itself can do for its user, without an agent or a model: for the small grammar.
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

/// tell_time: the time, or the date.
struct TellTimeTool: Tool {
    let name = "tell_time"
    let description = "Tells the time of day, or with date the day."
    let parameters = #"{"type":"object","properties":{"date":{"type":"boolean"}},"additionalProperties":false}"#
    let box: BoxControls

    func call(arguments: String) async -> ToolResult {
        let wantsDate = ToolArguments.decode(Arguments.self, from: arguments)?.date ?? false
        var seconds = box.time()
        guard seconds >= ClockInstant.oldest else {
            return ToolResult(.refusal(.because("I don't know, because the clock of this box is not set yet.")))
        }
        var local = tm()
        localtime_r(&seconds, &local)
        return ToolResult(.done(wantsDate ? Self.date(local) : Self.time(local)))
    }

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

    private struct Arguments: Decodable {
        let date: Bool?
    }
}

/// change_volume: louder, quieter, or to a percentage. The new volume is spoken, and heard at that volume: nothing else may
/// be playing.
struct ChangeVolumeTool: OrderedTool {
    let name = "change_volume"
    let description = "Changes the volume of the box by so many percent, or to so many."
    let parameters = """
        {"type":"object","properties":{"by":{"type":"integer"},"to":{"type":"integer"}},"additionalProperties":false}
        """
    let box: BoxControls

    func call(arguments: String) async -> ToolResult {
        guard let wish = ToolArguments.decode(Arguments.self, from: arguments), wish.by != nil || wish.to != nil else {
            return ToolResult(.refusal(.because("I did not get how loud. Please say it again.")))
        }
        let percent = await box.changeVolume { now in
            min(max(wish.to ?? now + min(max(wish.by ?? 0, -100), 100), 0), 100)
        }
        return ToolResult(.done("Volume \(percent) percent."))
    }

    private struct Arguments: Decodable {
        let by: Int?
        let to: Int?
    }
}

/// A tool of the daemon without arguments and without a reply.
struct BoxOrderTool: OrderedTool {
    let name: String
    let description: String
    let parameters = ToolArguments.none
    private let perform: @Sendable () -> Void

    private init(_ name: String, _ description: String, _ perform: @escaping @Sendable () -> Void) {
        self.name = name
        self.description = description
        self.perform = perform
    }

    func call(arguments: String) async -> ToolResult {
        perform()
        return ToolResult(.done("Done."), wantsReply: false)
    }

    static func stop(_ box: BoxControls) -> Self {
        Self("stop_talking", "Silence, and nothing of what was asked goes on.", box.stop)
    }

    static func mute(_ box: BoxControls) -> Self {
        Self("mute_microphone", "Closes the microphone until somebody opens it by hand.", box.mute)
    }
}

extension ToolRegistry {
    /// The tools of the small grammar that models are not offered.
    static func box(_ context: ToolContext) -> [any Tool] {
        [
            TellTimeTool(box: context.box), ChangeVolumeTool(box: context.box), BoxOrderTool.stop(context.box),
            BoxOrderTool.mute(context.box), MediaOrderTool.previous(context.media),
        ]
    }
}
