/// Whether microphone and loudspeaker are there and can be opened, what they can do, and who holds them.
enum DevicesCheck {
    static let limit = Duration.seconds(6)

    static func findings(_ patient: Patient, unit: UnitState?) async -> [DoctorFinding] {
        guard let audio = patient.loaded?.values.audio else { return [] }
        let microphone = await look(
            at: audio.input,
            direction: .capture,
            channels: max(1, audio.inputChannel),
            audio: audio,
            unit: unit
        )
        let loudspeaker = await look(at: audio.output, direction: .playback, channels: 1, audio: audio, unit: unit)
        return [microphone, loudspeaker]
    }

    private static func look(
        at request: String,
        direction: AudioDirection,
        channels: Int,
        audio: Configuration.Audio,
        unit: UnitState?
    ) async -> DoctorFinding {
        let periods = audio.outputBufferMS / 10
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
                "\(facts.device): \(span(facts.rates)) Hz, \(span(facts.channels)) channels; opens with 48000 Hz, "
                    + "\(granted.channels) channels, buffer of \(granted.bufferFrames / 48) ms"
            )
        case .failure(.busy(let device, _, let holder)):
            if let holder, daemon.map({ holder.hasSuffix("(\($0))") }) ?? holder.hasPrefix("jarvis-voiced (") {
                return DoctorFinding(check, .ok, "\(device) is in use by the daemon itself: \(holder)")
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

    private static func span(_ range: ClosedRange<Int>) -> String {
        range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }
}
