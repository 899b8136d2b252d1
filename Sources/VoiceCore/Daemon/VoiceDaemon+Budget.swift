internal import Logging
internal import VoiceAudio

extension VoiceDaemon {
    /// The budget, with what was spent before a restart.
    static func budget(_ settings: DaemonSettings, logger: Logger) -> BudgetKeeper {
        guard let directory = settings.volumes.stateDirectory else { return BudgetKeeper(settings.budget) }
        return BudgetKeeper(
            settings.budget,
            restored: BudgetStore.load(directory: directory, logger: logger),
            store: BudgetStore(directory: directory, logger: logger)
        )
    }
}
