internal import VoiceActivation
internal import VoiceAudio
internal import VoiceBase

extension ControlCommand {
    static let mute = ControlCommand(
        "mute",
        """
        Mutes the microphone: its device stays closed until `unmute`, even over restarts. `saved` is false if that is \
        not on disk within two seconds.
        """
    ) { (_, daemon) throws(ControlProblem) in
        let outcome = await daemon.set(.mute(true))
        if outcome == .stuck {
            throw ControlProblem(
                .failed, "not muted: the daemon is stuck; \"systemctl stop jarvis-voiced\" closes the microphone"
            )
        }
        return .done(remembered("the microphone is muted", ["microphone_muted": true], outcome))
    }

    static let unmute = ControlCommand("unmute", "Unmutes the microphone, no matter who muted it.") {
        (_, daemon) throws(ControlProblem) in
        let outcome = await daemon.set(.mute(false))
        if outcome == .stuck {
            throw ControlProblem(
                .failed, "still muted: the daemon is stuck; \"systemctl restart jarvis-voiced\" may help"
            )
        }
        return .done(remembered("the microphone is open", ["microphone_muted": false], outcome))
    }

    /// The result of a setting that is remembered: `text`, and whether it is on disk.
    static func remembered(
        _ text: String,
        _ values: [String: JSONValue],
        _ outcome: VoiceDaemon.Setting
    ) -> [String: JSONValue] {
        let gap = outcome == .unsaved ? ", but that is not on disk: a restart now would forget it" : ""
        return values.merging(["text": .string(text + gap), "saved": .bool(outcome == .saved)]) { $1 }
    }

    static let volume = ControlCommand(
        "volume",
        arguments: [
            ControlArgument(
                "channel", .choice(VolumeChannel.allCases.map(\.rawValue) + ["chimes"]), isOptional: true,
                "which volume; default: master"
            ),
            ControlArgument(
                "percent", .text(longest: 8), isOptional: true,
                "0 to 100; +10 or -10 for a change; off and on to mute and unmute the loudspeaker"
            ),
        ],
        "Sets a volume, or lists all of them. Volumes are remembered across restarts."
    ) { (arguments, daemon) throws(ControlProblem) in
        let channel =
            arguments["channel"].flatMap { $0 == "chimes" ? .earcons : VolumeChannel(rawValue: $0) } ?? .master
        switch arguments["percent"] {
        case nil: break
        case "off": await daemon.volumeController.setMuted(true)
        case "on": await daemon.volumeController.setMuted(false)
        case let text?:
            guard let change = VolumeChange(text) else {
                throw ControlProblem(.badArgument, VolumeChange.refusal(of: text))
            }
            let present = await daemon.volumeController.volumes[channel]
            await daemon.volumeController.set(channel, percent: change.applied(to: present))
        }
        var result = json(await daemon.volumeController.volumes)
        let text = VolumeChannel.allCases.map { "\($0.rawValue) \(result[$0.rawValue]?.intValue ?? 0) %" }
        result["text"] = .string(text.joined(separator: ", ") + (result["muted"] == true ? ", muted" : ""))
        return .done(result)
    }

    static func json(_ volumes: Volumes) -> [String: JSONValue] {
        var result: [String: JSONValue] = ["muted": .bool(volumes.isMuted)]
        for channel in VolumeChannel.allCases { result[channel.rawValue] = .integer(volumes[channel]) }
        return result
    }
}

/// A requested volume or change of volume: "40", "+10", "-10".
struct VolumeChange: Equatable {
    private let percent: Int
    private let isRelative: Bool

    init?(_ text: String) {
        guard let number = Int(text), (-100...100).contains(number) else { return nil }
        isRelative = text.hasPrefix("+") || text.hasPrefix("-")
        percent = number
    }

    /// Why a volume is refused, with the choices.
    static func refusal(of text: String) -> String {
        let word = text.split(separator: " ").first.map(String.init) ?? text
        guard word.first?.isLetter == true else {
            return "there is no volume of \"\(text)\": give 0 to 100, or a change such as +10 and -10"
        }
        return "there is no volume \"\(word)\": master, voice, media, inputs, chimes"
    }

    func applied(to volume: Int) -> Int {
        min(100, max(0, isRelative ? volume + percent : percent))
    }
}
