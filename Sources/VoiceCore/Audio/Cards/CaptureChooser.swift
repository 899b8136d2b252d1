internal import VoiceBase

/// Knowledge of a microphone before it is opened, and the choice of how to use it once its channels are known.
struct CaptureChooser: Sendable {
    let wishes: CaptureWishes
    let identity: CardIdentity?
    private let lines: [KnownDevices.Line]

    /// - Parameter device: the resolved ALSA name.
    init(_ wishes: CaptureWishes, known: KnownDevices, device: String, entries: [AudioDeviceEntry]) {
        self.init(wishes, known: known, identity: CardIdentity.of(device, in: entries))
    }

    init(_ wishes: CaptureWishes, known: KnownDevices, identity: CardIdentity?) {
        self.wishes = wishes
        self.identity = identity
        lines = identity.map(known.lines(for:)) ?? []
    }

    /// Minimum channel counts to open the device with, in order of preference. A device with several firmwares refuses counts
    /// that its own does not offer.
    var tries: [Int] {
        // All channels of the map, if the device has them; otherwise the map is not used.
        if let map = wishes.map { return Set([map.roles.count, wishes.channelsWithoutMap]).sorted(by: >) }
        if lines.isEmpty { return [wishes.channels()] }
        let wanted = Set(lines.map { wishes.channels(known: $0.map) } + [wishes.channels()])
        return wanted.sorted(by: >)
    }

    /// Returns how to use a device that opened with `channels` channels.
    ///
    /// - Parameter isServer: whether a sound server granted them.
    func choice(channels: Int, isServer: Bool = false) -> CaptureChoice {
        let line = lines.first { $0.map.roles.count == channels }
        let (plan, reason) = wishes.plan(channels: channels, known: line?.map)
        let map = wishes.usable(channels: channels, known: line?.map)
        return CaptureChoice(
            plan: plan, reason: reason, line: line, map: map, isMono: channels == 1, identity: identity,
            cancels: wishes.cancels,
            problem: wishes.problem(channels: channels, known: line?.map) ?? (isServer ? wishes.doubt : nil)
        )
    }
}

/// How a microphone is used, and why.
package struct CaptureChoice: Sendable, Equatable {
    package var plan: CapturePlan
    package var reason: String
    /// The applicable line of the table of known devices.
    package var line: KnownDevices.Line?
    /// The applicable map.
    package var map: ChannelMap?
    /// Whether the device has one channel only.
    package var isMono = false
    package var identity: CardIdentity?
    /// False for `echo.mode = "off"`.
    package var cancels = true
    /// The fault of the configuration, in one line for people.
    package var problem: String?

    /// Text for the log and `devices`: "channel 1 (processed); echo: hardware, known device".
    package var text: String {
        var voice = isMono ? "its only channel" : "mean of all channels"
        if case .channel(let place) = plan.voice {
            voice = "channel \(place + 1)"
            if let roles = map?.roles, roles.indices.contains(place) { voice += " (\(roles[place].rawValue))" }
        }
        if let reference = plan.reference { voice += ", reference from channel \(reference + 1)" }
        return "\(voice); echo: \(cancels ? plan.worker.rawValue : "not cancelled"), \(reason)"
    }
}
