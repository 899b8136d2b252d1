/// Whether what is to recognise words on this machine can: its library, its model, its server.
enum WakeCheck {
    static let limit = Duration.seconds(10)

    static func findings(_ patient: Patient) -> [DoctorFinding] {
        guard let activation = patient.settings?.activation, let make = activation.makeDetector,
            let words = activation.rule?.words
        else { return [] }
        do throws(WakeWordError) {
            _ = try make()
            return [judge(words: words.list, nil, mode: activation.machine.mode)]
        } catch {
            return [judge(words: words.list, error, mode: activation.machine.mode)]
        }
    }

    static func judge(words: String, _ problem: WakeWordError?, mode: ActivationMode) -> DoctorFinding {
        guard let problem else { return DoctorFinding("wake-words", .ok, "can be recognised: \(words)") }
        return DoctorFinding(
            "wake-words",
            mode == .wake ? .fail : .warn,
            problem.description,
            advice: "activation.engine names another engine, or \"off\"; docs/activation.md has what each needs"
        )
    }
}
