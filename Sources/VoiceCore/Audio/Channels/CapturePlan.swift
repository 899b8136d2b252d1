package import VoiceConfiguration

package typealias EchoWorker = Configuration.Echo.Worker

/// How an open microphone is listened to: which channels, and who cancels the echo in them.
package struct CapturePlan: Sendable, Equatable {
    /// What becomes the voice.
    package var voice = ChannelSelection.average
    /// The channel that carries what the loudspeaker plays, counted from 0, if it is to be used.
    package var reference: Int?
    package var worker = EchoWorker.software
    /// Whether the own canceller takes over where the device leaves too much.
    package var mayTakeOver = false

    package init() {}

    package init(
        voice: ChannelSelection,
        reference: Int? = nil,
        worker: EchoWorker = .software,
        mayTakeOver: Bool = false
    ) {
        self.voice = voice
        self.reference = reference
        self.worker = worker
        self.mayTakeOver = mayTakeOver
    }

    // MARK: As one number, for the audio thread

    /// Bits 0-7 the channel of the voice + 1 (0: the mean), 8-15 the reference + 1 (0: none), 16-17 the worker, 18 whether the
    /// own canceller may take over.
    var packed: Int {
        var channel = 0
        if case .channel(let place) = voice { channel = min(ChannelMap.most, max(0, place) + 1) }
        let place = min(ChannelMap.most, max(0, (reference ?? -1) + 1))
        let work =
            switch worker {
            case .software: 0
            case .hardware: 1
            case .both: 2
            }
        return channel | place << 8 | work << 16 | (mayTakeOver ? 1 << 18 : 0)
    }

    init(packed: Int) {
        let channel = packed & 0xFF
        voice = channel == 0 ? .average : .channel(channel - 1)
        let place = packed >> 8 & 0xFF
        reference = place == 0 ? nil : place - 1
        worker =
            switch packed >> 16 & 3 {
            case 1: .hardware
            case 2: .both
            default: .software
            }
        mayTakeOver = packed >> 18 & 1 == 1
    }
}

/// What `echo-test` found best, on the device with this identity, listened to in this way.
package struct MeasuredWorker: Sendable, Equatable {
    package var worker: EchoWorker
    /// `CardIdentity.text`.
    package var device: String
    /// `CaptureWishes.listening`.
    package var channels: String

    package init(worker: EchoWorker, device: String, channels: String = "") {
        self.worker = worker
        self.device = device
        self.channels = channels
    }

    /// A device of which nothing is known may be any: it counts for none.
    func counts(on device: String, channels: String) -> Bool {
        !device.isEmpty && device == self.device && channels == self.channels
    }
}

/// What the configuration wants of channels and cancellers; the plan follows once the device is open.
package struct CaptureWishes: Sendable, Equatable {
    /// `audio.input_channel`, counted from 0; nil for by itself.
    package var channel: Int?
    /// `audio.input_channels`.
    package var map: ChannelMap?
    /// `echo.mode`; nil for auto.
    package var worker: EchoWorker?
    /// What `echo-test` found best, and on which device.
    package var measured: MeasuredWorker?
    /// `echo.enabled`.
    package var cancels = true
    /// Whether the own canceller may take over from a device that nobody has chosen; not while it is being measured.
    package var mayTakeOver = true

    package init() {}

    /// The least number of channels with which the device is to be opened.
    ///
    /// - Parameter known: the map of the device as the table of known devices has it.
    package func channels(known: ChannelMap? = nil) -> Int {
        let map = map ?? known
        let needed = [channel, map?.first(.processed), map?.first(.raw), cancels ? map?.first(.reference) : nil]
        return min(ChannelMap.most, max(1, (needed.compactMap { $0 }.max() ?? 0) + 1))
    }

    /// The plan for a device that was opened with so many channels, and why in a few words.
    ///
    /// The voice is `audio.input_channel`; else by the map: the processed channel, or the first bare one where the own canceller
    /// works alone; else the mean of two channels, and the first of more: what the others carry is not known.
    ///
    /// - Parameter device: what it is, as `CardIdentity.text` has it; empty for what is no card.
    package func plan(
        channels: Int,
        known: ChannelMap? = nil,
        device: String = ""
    ) -> (plan: CapturePlan, reason: String) {
        let map = usable(channels: channels, known: known)
        let (worker, reason) = choose(map, isConfigured: self.map != nil, device: device)
        var plan = CapturePlan(voice: voice(map, worker: worker, channels: channels), worker: worker)
        plan.mayTakeOver = mayTakeOver && worker == .hardware && self.worker == nil
        if cancels, worker != .hardware { plan.reference = map?.first(.reference) }
        return (plan, reason)
    }

    /// The map that counts for a device that was opened with so many channels; nil where it names more of them.
    func usable(channels: Int, known: ChannelMap? = nil) -> ChannelMap? {
        (map ?? known).flatMap { $0.roles.count <= channels ? $0 : nil }
    }

    /// What is wrong with `audio.input_channels` on a device that was opened with so many channels, in a line for people.
    func problem(channels: Int) -> String? {
        guard let map, map.roles.count > channels else { return nil }
        return
            "audio.input_channels names \(map.roles.count) channels, but the device has \(channels): it is not used; "
            + "jarvis-voiced devices --probe says what each channel carries"
    }

    /// What is listened to, as `echo-test` writes it down: "raw, processed; channel 2".
    func listening(_ map: ChannelMap?) -> String {
        [map?.text, channel.map { "channel \($0 + 1)" }].compactMap { $0 }.joined(separator: "; ")
    }

    private func choose(_ map: ChannelMap?, isConfigured: Bool, device: String) -> (EchoWorker, String) {
        guard cancels else { return (.software, "echo.enabled = false") }
        if let worker { return (worker, "echo.mode = \"\(worker.rawValue)\"") }
        if let measured, measured.counts(on: device, channels: listening(map)) {
            return (measured.worker, "measured by echo-test")
        }
        let role = channel.flatMap { place in map.flatMap { $0.roles.indices.contains(place) ? $0.roles[place] : nil } }
        if role == .processed || channel == nil && map?.first(.processed) != nil {
            return (.hardware, isConfigured ? "audio.input_channels" : "known device")
        }
        return (.software, "no channel is known to be processed")
    }

    private func voice(_ map: ChannelMap?, worker: EchoWorker, channels: Int) -> ChannelSelection {
        if let channel { return .channel(channel) }
        guard let map else { return channels <= 2 ? .average : .channel(0) }
        let processed = map.first(.processed)
        let raw = map.all(.raw)
        if let processed, worker != .software || !cancels || raw.isEmpty { return .channel(processed) }
        // Two bare microphones give their mean, as on any stereo card. More are centimetres apart: their mean has holes.
        return raw.count == 2 && map.roles.count == 2 ? .average : .channel(raw.first ?? 0)
    }
}
