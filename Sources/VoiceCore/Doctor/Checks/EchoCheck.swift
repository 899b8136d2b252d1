/// What the last `echo-test` said, since a measurement takes ten seconds of noise and no doctor makes it unasked.
enum EchoCheck {
    /// Days after which a test says little: rooms change.
    static let oldAge = 180

    static func findings(_ patient: Patient, files: FileReader = .system, now: Int) -> [DoctorFinding] {
        guard let values = patient.loaded?.values else { return [] }
        let folders = [StateDirectory.path(environment: patient.environment), StateCheck.service].compactMap { $0 }
        let tests = folders.compactMap { SavedEchoTest.load(folder: $0, files: files) }
        return [judge(tests.max { $0.time < $1.time }, audio: values.audio, now: now)]
    }

    static func judge(_ test: SavedEchoTest?, audio: Configuration.Audio, now: Int) -> DoctorFinding {
        let advice = "jarvis-voiced echo-test (ten seconds of sound, with the service stopped)"
        guard let test else {
            return DoctorFinding("echo", .skipped, "was never measured on this box", advice: advice)
        }
        guard test.input == audio.input, test.output == audio.output else {
            return DoctorFinding("echo", .skipped, "was measured with other devices", advice: advice)
        }
        let days = max(0, now - test.time) / 86_400
        let when = days == 0 ? "today" : days == 1 ? "yesterday" : "\(days) days ago"
        let message = "\(test.summary) (\(when))"
        switch test.grade {
        case .good, .noEcho: return DoctorFinding("echo", .ok, message, advice: days > oldAge ? advice : nil)
        case .half, .disturbed:
            return DoctorFinding("echo", .warn, message, advice: test.advice.isEmpty ? advice : test.advice)
        }
    }
}
