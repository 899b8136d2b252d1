package import VoiceBase

package typealias EchoWorker = Configuration.Echo.Worker

/// How an open microphone is used: its channels, and who cancels the echo in them.
package struct CapturePlan: Sendable, Equatable {
    /// Channel of the voice.
    package var voice = ChannelSelection.average
    /// Channel that carries what the loudspeaker plays, counted from 0; nil if none is used.
    package var reference: Int?
    package var worker = EchoWorker.software
    /// Whether the software canceller takes over if the device leaves too much echo.
    package var mayTakeOver = false
}

/// Configured wishes for channels and cancellers; the plan follows once the device is open.
package struct CaptureWishes: Sendable, Equatable {
    /// `audio.input_channel`, counted from 0; nil for automatic.
    package var channel: Int?
    /// `audio.input_channels`.
    package var map: ChannelMap?
    /// `echo.mode`; nil for auto and off.
    package var worker: EchoWorker?
    /// False for `echo.mode = "off"`.
    package var cancels = true

    /// Returns the least number of channels to open the device with.
    ///
    /// - Parameter known: map of the device in the table of known devices.
    package func channels(known: ChannelMap? = nil) -> Int {
        let map = map ?? known
        let needed = [channel, map?.first(.processed), map?.first(.raw), cancels ? map?.first(.reference) : nil]
        return min(ChannelMap.most, max(1, (needed.compactMap { $0 }.max() ?? 0) + 1))
    }

    /// The least number of channels for `audio.input_channel` alone.
    var channelsWithoutMap: Int { min(ChannelMap.most, (channel ?? 0) + 1) }

    /// Returns the plan for a device that opened with `channels` channels, and a short reason.
    ///
    /// The voice is `audio.input_channel` if set. Otherwise, with a map, it is the processed channel, or the raw ones if the
    /// software canceller works alone: the mean of the only two channels, else the first. Without a map it is the mean of up
    /// to two channels, or the first of more, as the content of the others is unknown.
    ///
    package func plan(
        channels: Int,
        known: ChannelMap? = nil
    ) -> (plan: CapturePlan, reason: String) {
        let map = usable(channels: channels, known: known)
        let (worker, reason) = choose(map, isConfigured: self.map != nil)
        var plan = CapturePlan(voice: voice(map, worker: worker, channels: channels), worker: worker)
        plan.mayTakeOver = worker == .hardware && self.worker == nil
        // A signal cannot cancel itself.
        let reference = map?.first(.reference)
        if cancels, worker != .hardware, let reference, plan.voice != .channel(reference) {
            plan.reference = reference
        }
        return (plan, reason)
    }

    /// Returns the applicable map for a device that opened with `channels` channels; nil if the map names more.
    func usable(channels: Int, known: ChannelMap? = nil) -> ChannelMap? {
        (map ?? known).flatMap { $0.roles.count <= channels ? $0 : nil }
    }

    /// Returns what is wrong with `audio.input_channels` or `audio.input_channel` on a device with `channels` channels, in
    /// one line for people, or nil.
    func problem(channels: Int, known: ChannelMap? = nil) -> String? {
        if let map, map.roles.count > channels {
            return
                "audio.input_channels names \(map.roles.count) channels, but the device has \(channels): it is ignored"
        }
        guard let channel, let role = role(of: channel, in: usable(channels: channels, known: known)) else {
            return nil
        }
        switch role {
        case .processed, .raw: return nil
        case .reference:
            return
                "audio.input_channel = \(channel + 1) selects the reference, which carries what the loudspeaker plays: the "
                + "box would listen to itself; set it to 0"
        case .silent: return "audio.input_channel = \(channel + 1) selects a channel that carries nothing: set it to 0"
        }
    }

    /// What may be wrong behind a sound server, in one line for people, or nil. It grants channels that the microphone lacks;
    /// the first two are there, if only as copies.
    var doubt: String? {
        let needed = channels()
        guard needed > 2 else { return nil }
        return
            "a sound server grants channel \(needed) whether the microphone has it or not: if it stays silent, set "
            + "audio.input to the card itself; jarvis-voiced devices names it"
    }

    private func role(of channel: Int, in map: ChannelMap?) -> ChannelRole? {
        map.flatMap { $0.roles.indices.contains(channel) ? $0.roles[channel] : nil }
    }

    private func choose(_ map: ChannelMap?, isConfigured: Bool) -> (EchoWorker, String) {
        guard cancels else { return (.software, "echo.mode = \"off\"") }
        if let worker { return (worker, "echo.mode = \"\(worker.rawValue)\"") }
        let chosen = channel.flatMap { role(of: $0, in: map) }
        if chosen == .processed || channel == nil && map?.first(.processed) != nil {
            return (.hardware, isConfigured ? "audio.input_channels" : "known device")
        }
        if let channel, map?.first(.processed) != nil { return (.software, "channel \(channel + 1) is not processed") }
        return (.software, "no channel is known to be processed")
    }

    private func voice(_ map: ChannelMap?, worker: EchoWorker, channels: Int) -> ChannelSelection {
        if let channel { return .channel(channel) }
        guard let map else { return channels <= 2 ? .average : .channel(0) }
        let processed = map.first(.processed)
        let raw = map.all(.raw)
        if let processed, worker != .software || !cancels || raw.isEmpty { return .channel(processed) }
        // Two raw microphones give their mean, as on any stereo card. With more, centimetres apart, the mean has comb-filter
        // notches.
        return raw.count == 2 && map.roles.count == 2 ? .average : .channel(raw.first ?? 0)
    }
}
