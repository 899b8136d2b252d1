internal import VoiceBase

/// The health that the running daemon reports.
enum HealthCheck {
    static let limit = Duration.seconds(4)

    static func findings(_ context: DoctorContext) async -> [DoctorFinding] {
        let paths = ControlPath.candidates(environment: context.environment)
        let status: JSONValue? = await OwnThread.run("jv-health") {
            guard var client = try? ControlClient(paths: paths, patience: .seconds(3)) else { return nil }
            return try? client.perform(ControlRequest(id: 1, command: "status"))
        }
        return judge(Health(status?["health"]))
    }

    /// - Parameter health: nil if no daemon answers this user.
    static func judge(_ health: Health?) -> [DoctorFinding] {
        guard let health else { return [DoctorFinding("health", .skipped, "no running daemon answers this user")] }
        guard health.level != .well else {
            return [DoctorFinding("health", .ok, "the running daemon says that all is well")]
        }
        return health.problems.map { problem in
            DoctorFinding(
                "health", problem.level == .notWorking ? .fail : .warn, "\(problem.text)",
                advice: problem.fixBesidesDoctor.map { "\($0)" }
            )
        }
    }
}

extension Health.Problem {
    /// The fix for a reader of the doctor's report, without the advice to run the doctor; nil if there is none.
    fileprivate var fixBesidesDoctor: String? {
        let alternative = ", or " + Self.askDoctor
        if fix.isEmpty || fix == Self.askDoctor { return nil }
        return fix.hasSuffix(alternative) ? String(fix.dropLast(alternative.count)) : fix
    }
}
