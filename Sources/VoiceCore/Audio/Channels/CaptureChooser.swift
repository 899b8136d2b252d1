internal import VoiceConfiguration

/// What is known of a microphone before it is opened, and how it is listened to once its channels are known.
struct CaptureChooser: Sendable {
    let wishes: CaptureWishes
    let identity: CardIdentity?
    private let lines: [KnownDevices.Line]

    /// - Parameter device: the ALSA name, resolved.
    init(_ wishes: CaptureWishes, known: KnownDevices, device: String, entries: [AudioDeviceEntry]) {
        self.init(wishes, known: known, identity: CardIdentity.of(device, in: entries))
    }

    init(_ wishes: CaptureWishes, known: KnownDevices, identity: CardIdentity?) {
        self.wishes = wishes
        self.identity = identity
        lines = identity.map(known.lines(for:)) ?? []
    }

    /// Least numbers of channels to open the device with, the most wanted first. A device with several firmwares refuses the
    /// ones it has not.
    var tries: [Int] {
        // All that the map names, where the device has them; else what is needed of it.
        if let map = wishes.map { return Set([map.roles.count, wishes.channels()]).sorted(by: >) }
        if lines.isEmpty { return [wishes.channels()] }
        let wanted = Set(lines.map { wishes.channels(known: $0.map) } + [wishes.channels()])
        return wanted.sorted(by: >)
    }

    /// How a device that gave so many channels is listened to.
    func choice(channels: Int) -> CaptureChoice {
        let line = lines.first { $0.map.roles.count == channels }
        let (plan, reason) = wishes.plan(channels: channels, known: line?.map, device: identity?.text ?? "")
        let map = wishes.usable(channels: channels, known: line?.map)
        return CaptureChoice(
            plan: plan,
            reason: reason,
            line: line,
            map: map,
            listening: wishes.listening(map),
            identity: identity,
            problem: wishes.problem(channels: channels)
        )
    }
}

/// How a microphone is listened to, and why.
package struct CaptureChoice: Sendable, Equatable {
    package var plan: CapturePlan
    package var reason: String
    /// The line of the table of known devices that counts.
    package var line: KnownDevices.Line?
    /// The map that counts.
    package var map: ChannelMap?
    /// The same with `audio.input_channel`, as `echo-test` writes it down.
    package var listening = ""
    package var identity: CardIdentity?
    /// What is wrong with what is configured, in a line for people.
    package var problem: String?

    /// As the log and `devices` have it: "channel 1 (processed); echo: hardware, known device".
    package var text: String {
        var voice = "mean of all channels"
        if case .channel(let place) = plan.voice {
            voice = "channel \(place + 1)"
            if let roles = map?.roles, roles.indices.contains(place) { voice += " (\(roles[place].rawValue))" }
        }
        if let reference = plan.reference { voice += ", reference from channel \(reference + 1)" }
        return "\(voice); echo: \(plan.worker.rawValue), \(reason)"
    }
}
