internal import VoiceBase

/// The loudspeaker as a media player of Home Assistant: its features, its state, and its orders.
enum NativePlayer {
    static let id = "speaker"
    private static let key = NativeEntity.key(of: id)
    private static let name = "Speaker"

    /// Pause, set and mute the volume, play an address, volume by steps, stop, play, Home Assistant's media, announcements.
    private static let features: UInt32 = 1 | 4 | 8 | 512 | 1024 | 4096 | 16_384 | 131_072 | 1_048_576

    /// The formats that the player wants: music in stereo, announcements in mono.
    static let list = NativeMessage(
        .listMediaPlayer,
        [
            ProtoField(1, .text(id)), ProtoField(2, .fixed(key)), ProtoField(3, .text(name)),
            ProtoField(5, .text("mdi:speaker")), ProtoField(8, .flag(true)),
            ProtoField(9, format(channels: 2, purpose: 0)), ProtoField(9, format(channels: 1, purpose: 1)),
            ProtoField(11, .number(features)),
        ]
    )

    /// If Home Assistant's pipeline hears the calls, its answers use the format of announcements: that of the voice, which is WAV.
    static let listOfHearing = NativeMessage(
        .listMediaPlayer,
        [
            ProtoField(1, .text(id)), ProtoField(2, .fixed(key)), ProtoField(3, .text(name)),
            ProtoField(5, .text("mdi:speaker")), ProtoField(8, .flag(true)),
            ProtoField(9, format(channels: 2, purpose: 0)),
            ProtoField(9, format("wav", rate: 24_000, channels: 1, purpose: 1)), ProtoField(11, .number(features)),
        ]
    )

    private static func format(
        _ name: String = "flac",
        rate: UInt32 = 48_000,
        channels: UInt32,
        purpose: UInt32
    ) -> ProtoValue {
        .message([
            ProtoField(1, .text(name)), ProtoField(2, .number(rate)), ProtoField(3, .number(channels)),
            ProtoField(4, .number(purpose)), ProtoField(5, .number(2)),
        ])
    }

    /// Home Assistant fails at any other state, and reads a missing one as another.
    private enum State: UInt32 {
        case idle = 1
        case playing, paused
    }

    private static func playback(_ values: [String: JSONValue]) -> State {
        switch values.member("media.state")?.stringValue {
        case "playing": .playing
        case "paused": .paused
        default: .idle
        }
    }

    static func state(_ values: [String: JSONValue]) -> NativeMessage {
        let percent = values.member("volumes.master")?.bounded ?? 0
        return NativeMessage(
            .mediaPlayerState,
            [
                ProtoField(1, .fixed(key)), ProtoField(2, .number(playback(values).rawValue)),
                ProtoField(3, .real(Float(min(max(percent, 0), 100)) / 100)),
                ProtoField(4, .flag(values.member("volumes.muted") == true)),
            ]
        )
    }

    /// The meaning of a command.
    enum Wish: Equatable {
        case order(HouseOrder)
        /// A sound of the house, after which the present item continues.
        case announcement(String)
    }

    /// nil for a message that is not a command, or is outside the limits.
    static func wish(_ fields: ProtoFields) -> Wish? {
        guard fields.number(1) == key else { return nil }
        if fields.flag(6) {
            guard let address = address(fields.text(7)) else { return nil }
            if fields.flag(8), fields.flag(9) { return .announcement(address) }
            let isEnqueued = fields.flag(2) && fields.number(3) == 8
            return .order(HouseOrder("media", ["action": isEnqueued ? "enqueue" : "play", "what": address]))
        }
        if fields.flag(4) {
            let volume = fields.real(5)
            guard 0...1 ~= volume else { return nil }
            return .order(volumeOrder(String(Int((volume * 100).rounded()))))
        }
        return fields.flag(2) ? order(fields.number(3)).map { .order($0) } : nil
    }

    private static func order(_ command: UInt32) -> HouseOrder? {
        switch command {
        case 0: HouseOrder("media", ["action": "resume"])
        case 1: HouseOrder("media", ["action": "pause"])
        case 2: HouseOrder("media", ["action": "stop"])
        case 3: volumeOrder("off")
        case 4: volumeOrder("on")
        case 6: volumeOrder("+10")
        case 7: volumeOrder("-10")
        default: nil
        }
    }

    private static func volumeOrder(_ percent: String) -> HouseOrder {
        HouseOrder("volume", ["channel": "master", "percent": percent])
    }

    /// An address for the daemon's player: never a station, a file or a handle. The player's policy decides which
    /// servers it takes sound from.
    static func address(_ text: String) -> String? {
        let isAddress = text.hasPrefix("http://") || text.hasPrefix("https://")
        return isAddress && text.utf8.count <= 2000 ? text : nil
    }
}
