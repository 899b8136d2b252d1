/// Whether microphone and loudspeaker are there and can be opened, what they can do, and who holds them.
enum DevicesCheck {
    static let limit = Duration.seconds(6)

    static func findings(_ patient: Patient, unit: UnitState?) async -> [DoctorFinding] {
        guard let audio = patient.loaded?.values.audio else { return [] }
        let microphone = await look(
            at: audio.input,
            direction: .capture,
            channels: max(1, audio.inputChannel),
            periods: 16,
            unit: unit
        )
        let loudspeaker = await look(
            at: audio.output,
            direction: .playback,
            channels: 1,
            periods: audio.outputBufferMS / 10,
            unit: unit
        )
        return [microphone, loudspeaker]
    }

    private static func look(
        at request: String,
        direction: AudioDirection,
        channels: Int,
        periods: Int,
        unit: UnitState?
    ) async -> DoctorFinding {
        let result = await OwnThread.run("jv-doctor") { () -> Result<DeviceFacts, AudioDeviceError> in
            do throws(AudioDeviceError) {
                return .success(
                    try DeviceProbe.look(at: request, direction: direction, channels: channels, periods: periods)
                )
            } catch {
                return .failure(error)
            }
        }
        return judge(result, direction: direction, daemon: unit?.mainProcess)
    }

    /// - Parameter daemon: the process of the running daemon.
    static func judge(
        _ result: Result<DeviceFacts, AudioDeviceError>,
        direction: AudioDirection,
        daemon: Int?
    ) -> DoctorFinding {
        let check = direction == .capture ? "microphone" : "loudspeaker"
        let key = direction == .capture ? "audio.input" : "audio.output"
        switch result {
        case .success(let facts):
            let granted = facts.granted
            return DoctorFinding(
                check,
                .ok,
                "\(facts.device): \(span(facts.rates)) Hz, \(channels(facts.channels)); opens with 48000 Hz, "
                    + "\(channels(granted.channels...granted.channels)), buffer of \(granted.bufferFrames / 48) ms"
            )
        case .failure(.busy(let device, _, let holder)):
            if let holder, daemon.map({ holder.hasSuffix("(\($0))") }) ?? holder.hasPrefix("jarvis-voiced (") {
                return DoctorFinding(check, .ok, "\(device) is in use by the daemon itself: \(holder)")
            }
            if holder == nil, daemon != nil {
                // Other users' open files are hidden from this one.
                return DoctorFinding(check, .ok, "\(device) is in use, most likely by the daemon, which runs")
            }
            return DoctorFinding(
                check,
                .fail,
                "\(device) is in use by \(holder ?? "another program")",
                advice: holder == nil
                    ? "sudo fuser -v /dev/snd/* names it; a sound server is stopped for the card, or given another"
                    : "stop it, or name another device in \(key)"
            )
        case .failure(.permission(let device, _)):
            return DoctorFinding(
                check,
                .fail,
                "\(device) may not be opened by this user",
                advice: "adduser USER audio (the service has the group from its unit)"
            )
        case .failure(let error):
            return DoctorFinding(
                check,
                .fail,
                error.description,
                advice: "jarvis-voiced devices; then \(key) = one of them"
            )
        }
    }

    /// ALSA's plugins take any number.
    private static func channels(_ range: ClosedRange<Int>) -> String {
        if range.upperBound >= 1000 { return "any number of channels" }
        return "\(span(range)) channel" + (range == 1...1 ? "" : "s")
    }

    private static func span(_ range: ClosedRange<Int>) -> String {
        range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }
}
