internal import VoiceBase
internal import VoiceNetwork
internal import VoiceSession

/// Whether the local speech servers answer and support the configured language and voice.
enum LocalCheck {
    static let limit = Duration.seconds(16)

    static func findings(_ context: DoctorContext, network: NetworkThread) async -> [DoctorFinding] {
        guard let values = context.loaded?.values, let settings = try? LocalSettings(values) else { return [] }
        var findings: [DoctorFinding] = []
        if values.service.use.contains(.local) {
            let answer = await WyomingProbe.ask(settings.recogniser, allowsPublic: settings.allowsPublic, on: network)
            findings.append(judgeRecogniser(answer, settings))
        }
        guard LocalSettings.isWanted(values) else { return findings }
        if let speaker = settings.speaker {
            let answer = await WyomingProbe.ask(speaker, allowsPublic: settings.allowsPublic, on: network)
            findings.append(judgeSpeaker(answer, settings, hasEspeak: EspeakVoice.isInstalled))
        } else {
            findings.append(judgeEspeak(isInstalled: EspeakVoice.isInstalled))
        }
        return findings
    }

    static func judgeRecogniser(
        _ answer: Result<WyomingInfo, WyomingEnd>,
        _ settings: LocalSettings
    ) -> DoctorFinding {
        func finding(
            _ verdict: DoctorFinding.Verdict,
            _ message: MarkedText,
            _ advice: MarkedText? = nil
        ) -> DoctorFinding {
            DoctorFinding("local-recogniser", verdict, message, advice: advice)
        }
        switch answer {
        case .failure(let end):
            return finding(.fail, "\(end.description)", Self.advice(end, "local.recogniser"))
        case .success(let info):
            let programs = info.asr.filter(\.isInstalled)
            guard let program = programs.first else {
                return finding(
                    .fail, "the server at \(settings.recogniser.text) recognises no speech",
                    "local.recogniser must name a server such as wyoming-faster-whisper"
                )
            }
            guard programs.contains(where: { $0.speaks(settings.language) }) else {
                return finding(
                    .warn, "\(program.name) has no model for \"\(settings.language)\"",
                    "start it with a model for that language, or correct local.language"
                )
            }
            return finding(.ok, "\(program.name) at \(settings.recogniser.text) recognises \"\(settings.language)\"")
        }
    }

    private static func advice(_ end: WyomingEnd, _ key: String) -> MarkedText {
        end.kind == .exposed
            ? "name a server in your own network in \(public: key); local.allow_public = true allows this one"
            : "start the server, or correct \(public: key)"
    }

    static func judgeSpeaker(
        _ answer: Result<WyomingInfo, WyomingEnd>,
        _ settings: LocalSettings,
        hasEspeak: Bool
    ) -> DoctorFinding {
        func finding(
            _ verdict: DoctorFinding.Verdict,
            _ message: MarkedText,
            _ advice: MarkedText? = nil
        ) -> DoctorFinding {
            DoctorFinding("local-speaker", verdict, message, advice: advice)
        }
        let place = settings.speaker?.text ?? ""
        switch answer {
        case .failure(let end):
            return finding(
                hasEspeak ? .warn : .fail, "\(end.description)" + (hasEspeak ? "; espeak-ng speaks meanwhile" : ""),
                Self.advice(end, "local.speaker")
            )
        case .success(let info):
            guard let program = info.tts.first(where: \.isInstalled) else {
                return finding(
                    .fail, "the server at \(place) does not speak",
                    "local.speaker must name a server such as wyoming-piper"
                )
            }
            guard settings.voice.isEmpty || program.models.contains(settings.voice) else {
                return finding(
                    .warn, "\(program.name) does not know the voice \"\(settings.voice)\"",
                    "correct local.voice, or leave it empty for the server's own"
                )
            }
            return finding(.ok, "\(program.name) at \(place) speaks")
        }
    }

    static func judgeEspeak(isInstalled: Bool) -> DoctorFinding {
        isInstalled
            ? DoctorFinding("local-speaker", .ok, "espeak-ng speaks; a server named in local.speaker sounds better")
            : DoctorFinding(
                "local-speaker", .fail, "there is no voice: local.speaker is empty and espeak-ng is not installed",
                advice: "apt install espeak-ng, or name a Wyoming server in local.speaker"
            )
    }
}
