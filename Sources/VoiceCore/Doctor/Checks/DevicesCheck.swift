internal import VoiceAudio
internal import VoiceBase

/// Whether microphone and loudspeaker exist and can be opened, what they support, and what is using them.
enum DevicesCheck {
    /// Covers two hanging devices.
    static let limit = DeviceRequest.patience * 2 + .seconds(2)

    static func findings(_ context: DoctorContext, unit: UnitState?) async -> [DoctorFinding] {
        guard let audio = context.loaded?.values.audio else { return [] }
        var configuration = AudioConfiguration(audio, echo: context.loaded?.values.echo ?? .init())
        _ = configuration.learn(environment: context.environment)
        let microphone = await look(configuration.request(audio.input, .capture))
        let loudspeaker = await look(
            configuration.request(audio.output, .playback), microphoneStep: (try? microphone.get())?.step
        )
        let fault = AudioConfiguration.channelsFault(audio)
        var findings = [
            judge(
                fault == nil ? microphone : microphone.map(\.withoutChoice), direction: .capture,
                daemon: unit?.mainProcess
            ),
            judge(loudspeaker, direction: .playback, daemon: unit?.mainProcess),
        ]
        if case .success(let input) = microphone, case .success(let output) = loudspeaker,
            let text = output.fillText(beside: input, configured: configuration.bufferPeriods)
        {
            findings[1].append("; \(text)")
        }
        return findings
    }

    private static func look(
        _ request: DeviceRequest,
        microphoneStep: Int? = nil
    ) async -> Result<DeviceFacts, AudioDeviceError> {
        await request.answer { request -> Result<DeviceFacts, AudioDeviceError> in
            do throws(AudioDeviceError) {
                return .success(try DeviceProbe.look(request, microphoneStep: microphoneStep))
            } catch {
                return .failure(error)
            }
        } ?? .failure(request.unanswered)
    }

    /// - Parameter daemon: process ID of the running daemon.
    static func judge(
        _ result: Result<DeviceFacts, AudioDeviceError>,
        direction: AudioDirection,
        daemon: Int?
    ) -> DoctorFinding {
        let check = direction == .capture ? "microphone" : "loudspeaker"
        let key = direction == .capture ? "audio.input" : "audio.output"
        switch result {
        case .success(let facts):
            let choice = facts.choice.map { "; listens to \($0.text)" } ?? ""
            let text: MarkedText = """
                \(facts.device): \(public: facts.abilities.text); opens with \(public: facts.granted.summary); \
                \(public: facts.cost.text)\(public: choice)
                """
            if facts.device == "null" {
                return DoctorFinding(
                    check,
                    .warn,
                    "null is not a sound card: "
                        + (direction == .capture ? "it hears nothing" : "nothing is heard of it"),
                    advice: "run jarvis-voiced devices, then set \(public: key) to one of them"
                )
            }
            guard let problem = facts.choice?.problem else { return DoctorFinding(check, .ok, text) }
            return DoctorFinding(check, .warn, text, advice: "\(problem)")
        case .failure(.busy(let device, _, let holder)):
            if let holder, daemon.map({ holder.hasSuffix("(\($0))") }) ?? holder.hasPrefix("jarvis-voiced (") {
                return DoctorFinding(check, .ok, "\(device) is in use by the daemon: \(holder)")
            }
            if holder == nil, daemon != nil {
                // Open files of other users are invisible to this one.
                return DoctorFinding(check, .ok, "\(device) is in use, probably by the running daemon")
            }
            return DoctorFinding(
                check,
                .fail,
                "\(device) is in use by \(holder ?? "another program")",
                advice: (holder == nil ? "sudo fuser -v /dev/snd/* names it; " : "")
                    + "\(AudioDeviceError.wayToShare(device, holder: holder))"
            )
        case .failure(.permission(let device, _)):
            var denied = DoctorFinding(
                check,
                .fail,
                "this user may not open \(device)",
                advice: "add this user to group audio, and log in again (sudo adduser USER audio; the service gets the "
                    + "group from its unit)"
            )
            denied.asksForGroup = true
            return denied
        case .failure(.unsupported(let device, let direction, let reason)):
            // The reason names an alternative that the list of devices need not contain (hdmi: names).
            let error = AudioDeviceError.unsupported(device: device, direction: direction, reason: reason)
            return DoctorFinding(
                check, .fail, "\(error.description)", advice: "do what the end of that line says"
            )
        case .failure(.configuration(let fault)):
            return DoctorFinding(
                check,
                .fail,
                "ALSA cannot read its configuration" + (fault.map { ": \($0)" } ?? ""),
                advice: "correct ~/.asoundrc or /etc/asound.conf, or move the file aside"
            )
        case .failure(.failed(let device, let direction, let step, let errno)):
            let error = AudioDeviceError.failed(device: device, direction: direction, step: step, errno: errno)
            return DoctorFinding(
                check, .fail, "\(error.description)",
                advice: "if that does not help, run jarvis-voiced devices, then set \(public: key) to another one"
            )
        case .failure(let error):
            return DoctorFinding(
                check, .fail, "\(error.description)",
                advice: "run jarvis-voiced devices, then set \(public: key) to one of them"
            )
        }
    }
}
