internal import Logging
internal import VoiceAudio

extension VoiceDaemon {
    /// The budget, with what was spent before a restart.
    static func budget(_ settings: DaemonSettings, logger: Logger) -> BudgetTracker {
        guard let directory = settings.volumes.stateDirectory else { return BudgetTracker(settings.budget) }
        return BudgetTracker(
            settings.budget,
            restored: BudgetStore.load(directory: directory, logger: logger),
            store: BudgetStore(directory: directory, logger: logger)
        )
    }
}
